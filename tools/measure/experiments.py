"""The long experiments: what comes out of trainings, not how fast they are.

Each yields its table again and again, with one row more: what is stopped half-way has filled what
it could.
"""
import json
import re
import statistics

from measure.page import table
from measure.programs import ROOT
from measure.training import Training, advance, directory

RING = "examples/ring8-4x4.toml"
MNIST = "examples/mnist-3x3-neurips2018.toml"
SEEDS = range(1, 6)
NO_SHEETS = "output.sheet_every=0"


def ring_trainings(seed):
    """The grid, and one cell with as many training steps as its sixteen have together."""
    generations = int(re.search(r"^generations = (\d+)", (ROOT / RING).read_text(), re.M)[1])
    seeded = (f"run.seed={seed}", NO_SHEETS)
    single = ("grid.rows=1", "grid.columns=1", f"run.generations={16 * generations}",
              "output.checkpoint_every=200")
    return [Training(f"ring8, seed {seed}, 4x4", f"ring8/seed-{seed}-4x4", RING, seeded),
            Training(f"ring8, seed {seed}, 1x1", f"ring8/seed-{seed}-1x1", RING, seeded + single)]


def ring_row(seed, outcomes):
    row = [f"{seed}"]
    for outcome in outcomes:
        at = "" if outcome.finished() else f" at {outcome.generation} of {outcome.generations}"
        row += [f"{outcome.figure('modes covered'):.0f}{at}",
                f"{outcome.figure('share within'):.2f}", f"{outcome.figure('TVD over'):.2f}"]
    return row + [""] * (7 - len(row))


def ring_table(found):
    rows = [ring_row(seed, outcomes) for seed, outcomes in found.items()]
    whole = [o for o in found.values() if len(o) == 2 and all(each.finished() for each in o)]
    if whole:
        row = [f"median of {len(whole)}"]
        for arm in (0, 1):
            for name, digits in (("modes covered", 0), ("share within", 2), ("TVD over", 2)):
                middle = statistics.median(o[arm].figure(name) for o in whole)
                row.append(f"{middle:.{digits}f}")
        rows.append(row)
    head = ["seed", "4x4: modes", "share", "TVD", "1x1: modes", "share", "TVD"]
    return (f"`{RING}` beside one cell with the same budget: as many training steps as the sixteen "
            "cells have together. Modes covered of 8, share of samples within 3 sigma of one, TVD "
            "over modes; 10,000 samples of the best mixture.\n\n" + table(head, rows))


def ring8(minutes):
    found = {}
    for seed in SEEDS:
        found[seed] = []
        for training in ring_trainings(seed):
            found[seed].append(advance(training, minutes))
            yield ring_table(found)


MNIST_ARMS = [
    Training("mnist, published settings", "mnist/published", MNIST, ()),
    Training("mnist, transposed neighbours (the original's fault)", "mnist/transposed", MNIST,
             ("grid.neighbourhood=transposed-cross",)),
    Training("mnist, learning-rate mutation off", "mnist/no-mutation", MNIST,
             ("algorithm.mutation_probability=0",))]


def score_at(training, generation):
    """The best score of any cell after that generation, as the training itself measured it."""
    scores = []
    with (directory(training) / "run/metrics.jsonl").open() as lines:
        for line in lines:
            entry = json.loads(line)
            if entry["generation"] == generation and entry["score"] is not None:
                scores.append(entry["score"])
    return min(scores, default=float("nan"))


def mnist_table(found):
    # Arms that were stopped by the clock stand at different generations: one column compares all
    # of them where the slowest is.
    common = min(outcome.generation for outcome in found.values())
    rows = [[training.label.removeprefix("mnist, "),
             f"{outcome.generation} of {outcome.generations}", f"{outcome.minutes:.0f}",
             f"{outcome.figure('TVD'):.3f}", f"{outcome.figure('Frechet'):.1f}",
             f"{outcome.figure('classifier score'):.2f}", f"{score_at(training, common):.1f}"]
            for training, outcome in found.items()]
    head = ["arm", "generations", "minutes", "TVD", "Frechet distance, our features",
            "classifier score", f"distance after {common} generations, N = 1,000"]
    return (f"`{MNIST}`, one seed; the best cell's mixture, 10,000 samples, but for the last "
            "column, which is the training's own score where all arms have been.\n\n"
            + table(head, rows))


def mnist(minutes):
    found = {}
    for training in MNIST_ARMS:
        found[training] = advance(training, minutes)
        yield mnist_table(found)
