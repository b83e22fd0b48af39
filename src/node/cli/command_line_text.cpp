#include "node/cli/command_line_text.hpp"

namespace quadrille::node::help {

const std::string_view overview =
    R"(peer trains generative adversarial networks on a torus of cells.

  peer RUN.toml                      train the run that the file describes
  peer sample   RUNDIR -o x.png      draw images from the best mixture of a run
  peer evaluate RUNDIR               measure how good a run's images are
  peer extend   RUNDIR -g N          train N generations more
  peer check    RUN.toml             check a run file and print it with every default
  peer data     check DIR            tell what a data set holds, and what is wrong with it
  peer bench    step|gemm|peak       measure how fast this machine computes

`peer VERB --help` tells more of each. The flags below are for training.)";

const std::string_view overview_end = R"(
Examples
  peer examples/fashion-2x2.toml
  peer examples/fashion-2x2.toml --resume
  peer examples/ring8-4x4.toml --set run.seed=2 --set grid.rows=3
  peer mine.toml --data ~/data/letters --out ~/runs/letters --threads 8

Flags win over the environment (QUADRILLE_DATA, _OUT, _NAME, _THREADS, _CELLS, _DEVICE,
_LOG_LEVEL), which wins over the run file, which wins over the defaults. docs/run-file.md,
or `peer check --keys`, describes every key of a run file.

Ctrl-C, SIGTERM or a hang-up finishes the generation, saves it and leaves; a second one
stops at once. That a run is done or stopped is said on standard output, its course and
errors on standard error.
Exit codes: 0 done, 1 failed, 2 wrong usage, 69 no seed answered, 78 wrong run file,
data set or run directory, 128 and the signal's number (130: Ctrl-C) stopped at once.
)";

const std::string_view sample = R"(
Example
  peer sample runs/fashion-2x2/peer-1 -n 100 -o sheet.png
)";

const std::string_view evaluate = R"(
Each figure names the features it was measured on and the number of samples: figures with
other features or another number do not compare.

Example
  peer evaluate runs/fashion-2x2/peer-1 --json
)";

const std::string_view data_check = R"(
Examples
  peer data check data/mnist
  peer data check fashion-mnist
  peer data check ring8 --json
)";

const std::string_view check = R"(
Examples
  peer check mine.toml
  peer check mine.toml --set grid.rows=4
  peer check --keys
)";

const std::string_view extend = R"(
N is added to the generations that the run is to have: one that was stopped before
it had them trains these as well.

Example
  peer extend runs/fashion-2x2/peer-1 --generations 50
)";

const std::string_view bench = R"(
  step   a generator's step and a discriminator's, as in training
  gemm   the matrix products of that step
  peak   multiply-adds in registers: what the others are a share of

Example
  peer bench step --model mlp --batch 100 --threads 1 --json
)";

}  // namespace quadrille::node::help
