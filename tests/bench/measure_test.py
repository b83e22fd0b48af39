"""tools/measure: tables that are filled as far as trainings came, and trainings that go on.

A shell script stands in for peer: it writes what peer writes, and takes its time when told to.
"""
import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile
import unittest
from types import SimpleNamespace

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from measure import experiments, page, programs, training  # noqa: E402

# Trains one of two generations in no time. Then, by its mode, it fails, ends at once, or says that
# it is ready and waits for SIGTERM, a while at most. A run file means itself and what is set.
FAKE_PEER = r"""#!/bin/bash
meaning() {
  cat "$1"
  shift
  while [[ $1 != --set && $# -gt 0 ]]; do shift; done
  for word in "$@"; do echo "# $word"; done
}
case $1 in
  check)
    text=$(meaning "${@:2}")
    if [[ $text == nonsense* ]]; then exit 78; fi
    echo "# run id $(grep -v '^generations\|^rows' <<<"$text" | cksum | cut -d ' ' -f 1)"
    sed '/=/s/$/    # from 1 on/' <<<"$text"
    exit ;;
  evaluate)
    generation=$(ls "$2/checkpoints" | tail -n 1)
    echo '{"generation": '$((10#$generation))', "figures": [
          {"name": "TVD", "value": 0.25}, {"name": "Frechet distance", "value": null}]}'
    exit ;;
esac
echo "$*" >>"$LOG"
out=$3
if [[ ! -d $out ]]; then mkdir -p "$out/checkpoints/000001"; fi
meaning "$@" >"$out/run.toml"
end() {
  echo '{"generations": 2}' >"$out/summary.json"
  exit 0
}
case "$(cat "$LOG.mode")" in
  fail) echo 'peer: run.toml:1: is wrong' >&2; exit 78 ;;
  slow) trap end TERM; echo ready >&2; for _ in {1..500}; do sleep 0.02; done; exit 1 ;;
  sudden) mkdir -p "$out/checkpoints/000002"; end ;;
esac
"""


class Trainings(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.log = self.folder / "log"
        peer = self.folder / "peer"
        peer.write_text(FAKE_PEER.replace("$LOG", str(self.log)))
        peer.chmod(0o755)
        self.swap(training, "peer", lambda: peer)
        self.example = self.folder / "run.toml"
        self.example.write_text("generations = 2\n")
        self.swap(training, "ROOT", self.folder)
        self.swap(programs, "ROOT", self.folder)
        self.swap(training, "RUNS", self.folder / "runs")
        self.enterContext(contextlib.redirect_stdout(io.StringIO()))
        self.training = training.Training("a run", "a/run", "run.toml", ("run.seed=7",))

    def swap(self, module, name, value):
        self.addCleanup(setattr, module, name, getattr(module, name))
        setattr(module, name, value)

    def advance(self, mode):
        (self.folder / "log.mode").write_text(mode)
        return training.advance(self.training, minutes=1)

    def let_time_be_up_when_the_peer_is_ready(self):
        timers, follow = [], training.follow

        class Timer:
            def __init__(self, _, function):
                self.time_is_up = function
                timers.append(self)

            def start(self):
                pass

            def cancel(self):
                pass

        def stop_and_follow(trained, process):
            process.stderr.readline()
            timers[-1].time_is_up()
            return follow(trained, process)

        self.swap(training.threading, "Timer", Timer)
        self.swap(training, "follow", stop_and_follow)

    def press_ctrl_c_when_the_peer_is_ready(self):
        # A terminal signals everybody in our process group, and us.
        def press_and_follow(_, process):
            process.stderr.readline()
            self.peer_has_a_group_of_its_own = os.getpgid(process.pid) != os.getpgrp()
            raise KeyboardInterrupt

        self.swap(training, "follow", press_and_follow)

    def calls(self):
        return self.log.read_text().splitlines() if self.log.exists() else []

    def test_time_that_is_up_stops_a_training_and_the_next_call_goes_on(self):
        self.let_time_be_up_when_the_peer_is_ready()
        stopped = self.advance("slow")
        self.assertEqual((stopped.generation, stopped.finished()), (1, False))
        done = self.advance("sudden")
        self.assertEqual((done.generation, done.finished()), (2, True))
        self.assertGreater(done.minutes, stopped.minutes)
        self.assertNotIn("--resume", self.calls()[0])
        self.assertIn("--resume --set run.seed=7", self.calls()[1])

    def test_ctrl_c_lets_the_peer_end_its_generation(self):
        self.press_ctrl_c_when_the_peer_is_ready()
        with self.assertRaises(KeyboardInterrupt):
            self.advance("slow")
        self.assertTrue(self.peer_has_a_group_of_its_own)
        self.assertTrue((training.directory(self.training) / "run/summary.json").exists())

    def test_minutes_before_a_ctrl_c_count(self):
        follow = training.follow
        self.press_ctrl_c_when_the_peer_is_ready()
        with self.assertRaises(KeyboardInterrupt):
            self.advance("slow")
        before = training.minutes_spent(self.training)
        self.assertGreater(before, 0)
        training.follow = follow
        self.assertGreater(self.advance("sudden").minutes, before)

    def test_a_peer_is_asked_to_stop_once(self):
        asked = []
        stop = training.stop_once(SimpleNamespace(terminate=lambda: asked.append("once")))
        stop()
        stop()
        self.assertEqual(asked, ["once"])

    def test_a_run_whose_example_has_changed_begins_anew(self):
        self.let_time_be_up_when_the_peer_is_ready()
        for mode in ("sudden", "slow"):  # finished, and not
            for other in ("generations = 2\nbatch_size = 7\n", "generations = 3\n",
                          "generations = 2\nrows = 1\n"):
                with self.subTest(mode=mode, other=other):
                    self.example.write_text("generations = 2\n")
                    self.advance(mode)
                    self.example.write_text(other)
                    self.assertEqual(self.advance("sudden").generation, 2)
                    self.assertNotIn("--resume", self.calls()[-1])
                    trained = training.directory(self.training) / "run/run.toml"
                    self.assertIn(other, trained.read_text())

    def test_a_kept_run_that_the_peer_no_longer_understands_begins_anew(self):
        self.advance("sudden")
        (training.directory(self.training) / "run/run.toml").write_text("nonsense\n")
        self.advance("sudden")
        self.assertEqual(len(self.calls()), 2)
        self.assertNotIn("--resume", self.calls()[-1])

    def test_what_is_finished_is_not_trained_again(self):
        first = self.advance("sudden")
        self.assertEqual(self.advance("fail"), first)
        self.assertEqual(len(self.calls()), 1)

    def test_a_run_without_a_checkpoint_begins_anew(self):
        (training.directory(self.training) / "run/checkpoints/000001.partial").mkdir(parents=True)
        self.advance("sudden")
        self.assertNotIn("--resume", self.calls()[0])

    def test_a_failure_says_what_the_peer_said(self):
        with self.assertRaisesRegex(programs.Failed, "a run: .* ended with 78: .*is wrong"):
            self.advance("fail")

    def test_a_refused_figure_is_not_a_number(self):
        outcome = self.advance("sudden")
        self.assertEqual(outcome.figure("TVD"), 0.25)
        self.assertTrue(outcome.figure("Frechet") != outcome.figure("Frechet"))


def outcome(generation, figures):
    return training.Outcome(generation, 4, 1.0, figures)


class Tables(unittest.TestCase):
    def test_rings_are_compared_where_both_finished(self):
        good = {"modes covered": 8, "share within 3 sigma": 0.9, "TVD over modes": 0.1}
        poor = {"modes covered": 5, "share within 3 sigma": 0.5, "TVD over modes": 0.4}
        lines = experiments.ring_table({1: [outcome(4, good), outcome(4, poor)],
                                        2: [outcome(2, good)]}).splitlines()
        self.assertIn("| 1 | 8 | 0.90 | 0.10 | 5 | 0.50 | 0.40 |", lines)
        self.assertIn("| 2 | 8 at 2 of 4 | 0.90 | 0.10 |  |  |  |", lines)
        self.assertIn("| median of 1 | 8 | 0.90 | 0.10 | 5 | 0.50 | 0.40 |", lines)

    def test_arms_are_compared_at_a_generation_that_all_have_reached(self):
        with tempfile.TemporaryDirectory() as folder:
            runs, training.RUNS = training.RUNS, pathlib.Path(folder)
            self.addCleanup(setattr, training, "RUNS", runs)
            arms = {training.Training(f"mnist, {name}", name, "", ()): outcome(generation, {})
                    for name, generation in (("one", 3), ("two", 2))}
            for arm in arms:
                run = training.directory(arm) / "run"
                run.mkdir(parents=True)
                (run / "metrics.jsonl").write_text("".join(
                    json.dumps({"cell": cell, "generation": g, "score": 10.0 * g + cell}) + "\n"
                    for g in (1, 2, 3) for cell in (0, 1)))
            text = experiments.mnist_table(arms)
        self.assertIn("distance after 2 generations", text)
        self.assertIn("| one | 3 of 4 | 1 | nan | nan | nan | 20.0 |", text)

    def test_only_what_is_between_the_marks_is_written(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "page.md"
            file.write_text("above\n<!-- a -->\nold\n<!-- /a -->\nbelow\n")
            page.write_section(file, "a", r"new \1")
            self.assertEqual(file.read_text(),
                             "above\n<!-- a -->\nnew \\1\n<!-- /a -->\nbelow\n")
            with self.assertRaisesRegex(programs.Failed, "<!-- b -->"):
                page.write_section(file, "b", "text")

    def test_the_page_has_marks_for_every_table(self):
        text = (ROOT / "docs/performance.md").read_text()
        for name in ("step", "gemm", "generation", "codecs", "data", "base", "ring8", "mnist"):
            self.assertEqual(text.count(f"<!-- {name} -->"), 1, name)
            self.assertEqual(text.count(f"<!-- /{name} -->"), 1, name)


if __name__ == "__main__":
    unittest.main()
