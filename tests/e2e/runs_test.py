"""Runs from outside: what a person does with peer, and what kill -9 and signals leave behind."""

import gzip
import json
import random
import re
import signal
import struct
import sys
import time
import unittest

from sandbox import PROGRESS, SANITIZED, Sandbox, end_of, idx, idx_labels

PNG = b"\x89PNG\r\n\x1a\n"
# Enough that a run can be met at work; with sanitizers each takes fifteen times as long.
GENERATIONS = 12 if SANITIZED else 40


class Happy(Sandbox):
    """What the README tells people to type."""

    def test_a_run_from_its_file_to_its_sheet(self):
        ended = self.succeed("toy.toml", "--threads", 1, "--set", "output.sheet_every=2")
        self.assertRegex(ended.out, r"^done: 4 generations in \d+s \(cell \d\), .*\n"
                                    r"run: runs/toy/peer-1\n"
                                    r"samples: runs/toy/peer-1/samples/final.png\n$")
        self.assertEqual(len([line for line in ended.err.splitlines()
                              if line.startswith("generation ")]), 4)
        run = "runs/toy/peer-1"
        self.assertEqual(
            sorted(self.files_below(run)),
            [".lock", *(f"checkpoints/00000{generation}/cell-0000{cell}.safetensors"
                        for generation in (3, 4) for cell in range(4)), "metrics.jsonl", "run.toml",
             "samples/final.png", "samples/generation-000002.png", "samples/generation-000004.png",
             "summary.json"])
        self.assertTrue(self.path(f"{run}/samples/final.png").read_bytes().startswith(PNG))
        summary = json.loads(self.path(f"{run}/summary.json").read_text())
        self.assertEqual((summary["ending"], summary["generation"], summary["grid"]),
                         ("done", 4, [2, 2]))
        lines = [json.loads(line)
                 for line in self.path(f"{run}/metrics.jsonl").read_text().splitlines()]
        self.assertEqual(sorted((line["generation"], line["cell"]) for line in lines),
                         [(generation, cell) for generation in range(1, 5) for cell in range(4)])
        # West is east and north south on such a grid.
        neighbourhoods = {0: [0, 1, 2], 1: [1, 0, 3], 2: [2, 3, 0], 3: [3, 2, 1]}
        for line in lines:
            self.assertEqual(line["members"], neighbourhoods[line["cell"]])
            self.assertEqual(len(line["mixture_weights"]), 3)

    def test_the_same_run_twice_and_on_two_threads_is_the_same_to_the_bit(self):
        self.train("one")
        self.succeed("toy.toml", "--threads", 2, "--out", "two")
        self.assert_same_files("one/checkpoints", "two/checkpoints")
        self.assert_same_files("one/samples", "two/samples")

    def test_an_asynchronous_run_with_fewer_cells_says_that_others_wait(self):
        ended = self.peer("toy.toml", "--out", "run", "--cells", 2, "--threads", 1, "--set",
                          "algorithm.sync=false")
        self.assertEqual((ended.code, ended.problems),
                         (0, ["--cells allows 2 of 4 cells: the others wait for other peers, and 2 "
                              "of these train with fewer neighbours until then"]))

    def test_a_run_of_fewer_cells_goes_on_with_as_many(self):
        asynchronous = ("--threads", 1, "--set", "algorithm.sync=false")
        self.peer("toy.toml", "--out", "run", "--cells", 2, *asynchronous)
        self.succeed("sample", "run")
        ended = self.peer("extend", "run", "-g", 1, "--threads", 1)
        self.assertEqual((ended.code, len(ended.problems)), (0, 1), ended.err)
        self.assertIn("the checkpoint holds 2 of 4 cells: ", ended.problems[0])
        self.assertIn("done: 5 generations", ended.out)
        self.refused(["run/run.toml", "--out", "run", "--resume", "--cells", 3], 78,
                            "checkpoints/000005: holds 2 cells, and this peer was to train 3: give "
                            "--cells 2, as before")

    def test_quiet_is_quiet(self):
        fewer = ("--cells", 2, "--set", "algorithm.sync=false")
        for level, said in (("warning", ["--cells allows 2 of 4 cells"]), ("error", []),
                            ("off", [])):
            ended = self.peer("toy.toml", "--threads", 1, "--out", level, "--log-level", level,
                              *fewer)
            self.assertIn("done: 4 generations", ended.out)
            self.assertEqual([line.split(":")[0] for line in ended.err.splitlines()], said)

    def test_what_went_wrong_is_said_unless_nothing_is_to_be(self):
        for level, lines in (("warning", 1), ("error", 1), ("off", 0)):
            ended = self.peer("nowhere.toml", "--log-level", level)
            self.assertEqual((ended.code, len(ended.err.splitlines())), (78, lines), ended.err)

    def test_sample_draws_from_a_run(self):
        self.train("run")
        ended = self.succeed("sample", "run", "-n", 10, "-o", "sheet.png")
        self.assertRegex(ended.out, r"^samples: sheet.png \(10 of generation 4, cell \d\)\n$")
        self.assertTrue(self.path("sheet.png").read_bytes().startswith(PNG))

    def test_the_best_cell_is_the_same_to_all_who_look(self):
        for score in ("none", "modes"):
            ended = self.train(score, "--set", f"algorithm.score={score}", "--set", "run.seed=4",
                               "--set", "data.scale=0.01")
            best = re.search(r"\(cell (\d)\)", ended.out)[1]
            self.assertNotEqual(best, "0")
            drawn = self.succeed("sample", score, "-n", 10, "-o", f"{score}.png")
            self.assertIn(f"cell {best})", drawn.out)
            measured = self.succeed("evaluate", score, "-n", 500, "--json", "--threads", 1)
            self.assertEqual(str(json.loads(measured.out)["cell"]), best)

    def test_evaluate_measures_a_run(self):
        self.train("run")
        ended = self.succeed("evaluate", "run", "-n", 500, "--json", "--threads", 1)
        answer = json.loads(ended.out)
        self.assertEqual((answer["run"], answer["generation"]), ("toy", 4))
        figures = {figure["name"]: figure for figure in answer["figures"]}
        self.assertTrue(any("modes" in name for name in figures), figures)
        for figure in figures.values():
            self.assertEqual(figure["n"], 500)
        self.assertIn("generation 4", self.succeed("evaluate", "run", "-n", 500).out)

    def test_extend_trains_on_to_the_bits_of_the_longer_run(self):
        self.train("longer", "--set", "run.generations=6")
        self.train("run")
        ended = self.succeed("extend", "run", "--generations", 2, "--threads", 1)
        self.assertIn("done: 6 generations", ended.out)
        self.assert_same_files("longer/checkpoints", "run/checkpoints")
        self.assertIn("generations = 6 ", self.path("run/run.toml").read_text())

    def test_resuming_a_run_that_is_done_changes_nothing(self):
        self.train("run")
        before = self.files_below("run")
        ended = self.train("run", "--resume")
        self.assertEqual(ended.out,
                         "done before: 4 generations; train more with: peer extend run -g N\n")
        self.assertEqual(self.files_below("run"), before)

    def test_asking_for_fewer_generations_than_there_are_changes_nothing_and_says_so(self):
        for out, generations in (("done", 4), ("stopped", 9)):
            self.train(out, "--set", f"run.generations={generations}")
            if out == "stopped":
                self.path(f"{out}/summary.json").unlink()
            before = self.files_below(out)
            ended = self.train(out, "--resume", "--set", "run.generations=2")
            self.assertEqual(ended.out, f"done before: {generations} generations, and "
                             "run.generations is 2: nothing was trained, and nothing taken back; "
                             f"train more with: peer extend {out} -g N\n")
            self.assertEqual(self.files_below(out), before)

    def test_check_prints_a_file_that_is_the_same_run(self):
        ended = self.succeed("check", "toy.toml")
        self.assertEqual(ended.err, "")
        self.write("effective.toml", ended.out)
        self.assertEqual(self.succeed("check", "effective.toml").out, ended.out)

    def test_check_prints_every_key(self):
        self.assertIn("batch_size", self.succeed("check", "--keys").out)

    def test_data_check_tells_what_is_there(self):
        self.write_letters()
        ended = self.succeed("data", "check", "letters")
        self.assertIn("100", ended.out)
        self.assertEqual(ended.err, "")
        json.loads(self.succeed("data", "check", "letters", "--json").out)
        json.loads(self.succeed("data", "check", "ring8", "--json").out)

    def test_bench_measures(self):
        step = json.loads(self.succeed("bench", "step", "--model", "toy", "--batch", 10,
                                       "--seconds", 0.05, "--json").out)
        self.assertEqual(sorted(step["step_ms"]), ["max", "median", "min"])
        for key in ("cpu_ms", "gflops", "share_of_peak"):
            self.assertGreater(step[key], 0)
        for kind in ("gemm", "peak"):
            json.loads(self.succeed("bench", kind, "--seconds", 0.05, "--batch", 10, "--json").out)
            self.assertTrue(self.succeed("bench", kind, "--seconds", 0.05, "--batch", 10).out)

    def test_help_and_version(self):
        self.assertRegex(self.succeed("--version").out, r"^peer \d+\.\d+\.\d+\n$")
        self.assertIn("peer RUN.toml", self.succeed("--help").out)
        for verb in ("sample", "evaluate", "extend", "check", "data", "bench"):
            self.assertIn(f"peer {verb}", self.succeed(verb, "--help").out)


class Broken(Sandbox):
    """A run that is met at work."""

    def setUp(self):
        super().setUp()
        self.write("long.toml", self.path("toy.toml").read_text()
                   .replace("generations = 4", f"generations = {GENERATIONS}"))

    def start_long(self, out, *more, hang_up=signal.SIG_DFL):
        return self.start("long.toml", "--threads", 1, "--out", out, *more,
                          preexec_fn=lambda: signal.signal(signal.SIGHUP, hang_up))

    def wait_for_generation(self, process, generation):
        for line in process.stderr:
            if line.startswith(f"generation {generation}/"):
                return
        self.fail(f"generation {generation} was never ended")

    def check_resumes_to_the_same_bits(self, out):
        resumed = ["--resume"] if self.path(f"{out}/run.toml").exists() else []
        self.succeed("long.toml", "--threads", 1, "--out", out, *resumed)
        self.assert_same_files("unbroken/checkpoints", f"{out}/checkpoints")
        self.assert_same_files("unbroken/samples", f"{out}/samples")

    def test_kill_9_at_random_moments_loses_nothing_that_was_saved(self):
        self.succeed("long.toml", "--threads", 1, "--out", "unbroken")
        for seed in range(4):
            out = f"killed-{seed}"
            moments = random.Random(seed)
            process = self.start_long(out)
            if seed > 0:  # the first one may be killed before it has a directory
                self.wait_for_generation(process, moments.randint(1, GENERATIONS * 3 // 4))
            time.sleep(moments.uniform(0, 0.05))
            self.assertIn(end_of(process).code, (-signal.SIGKILL, 0))
            # And once more, while it goes on.
            if self.path(f"{out}/run.toml").exists():
                process = self.start_long(out, "--resume")
                time.sleep(moments.uniform(0.01, 0.2))
                end_of(process)
            self.check_resumes_to_the_same_bits(out)

    def test_a_signal_ends_the_run_cleanly_at_a_generation(self):
        self.succeed("long.toml", "--threads", 1, "--out", "unbroken")
        for sent in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            out = f"stopped-{sent}"
            process = self.start_long(out)
            self.wait_for_generation(process, 3)
            ended = end_of(process, sent)
            self.assertEqual((ended.code, ended.problems), (0, []), ended.err)
            self.assertRegex(ended.out, rf"^stopped at generation \d+ of {GENERATIONS}; "
                                        rf"go on with: peer {out}/run.toml --out {out} --resume\n"
                                        rf"samples: {out}/samples/generation-\d+\.png\n$")
            summary = json.loads(self.path(f"{out}/summary.json").read_text())
            self.assertEqual(summary["ending"], "stopped")
            newest = max(path.name for path in self.path(f"{out}/checkpoints").iterdir())
            self.assertEqual(int(newest), summary["generation"])
            # With the line that it printed.
            self.succeed(f"{out}/run.toml", "--out", out, "--resume", "--threads", 1)
            self.assert_same_files("unbroken/checkpoints", f"{out}/checkpoints")

    def test_nohup_outlives_the_terminal(self):
        process = self.start_long("run", hang_up=signal.SIG_IGN)
        self.wait_for_generation(process, 1)
        process.send_signal(signal.SIGHUP)
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0)
        self.assertNotIn("stopping: ", err)
        self.assertIn(f"done: {GENERATIONS} generations", out)

    def test_a_second_signal_ends_it_at_once(self):
        # A generation so long that it will not end meanwhile.
        process = self.start("toy.toml", "--threads", 1, "--out", "run", "--set",
                             "algorithm.batches_per_generation=100000000")
        # Until the metrics are there it does not train yet, and one signal ends it at once, too.
        while process.poll() is None and not self.path("run/metrics.jsonl").exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        for line in process.stderr:
            if line.startswith("stopping: "):
                break
        ended = end_of(process, signal.SIGTERM)
        self.assertEqual(ended.code, 128 + signal.SIGTERM)
        self.assertFalse([line for line in ended.err.splitlines() if not PROGRESS.match(line)])

    def wait_for(self, process, beginning):
        for line in process.stderr:
            if line.startswith(beginning):
                return
        self.fail(f"never said: {beginning}")

    def test_a_signal_before_training_ends_the_process_soon_and_cleanly(self):
        self.write_letters()
        # A gzip file that inflates to more than can be read before the signal arrives.
        member = gzip.compress(bytes(1 << 20))
        header = struct.pack(">IIII", 0x803, 1 << 16, 64, 64)
        self.write("large/train-images-idx3-ubyte.gz", gzip.compress(header) + member * 256)
        # And a set on which a classifier takes far longer.
        self.write("many/train-images-idx3-ubyte", idx(0x803, (1 << 16, 16, 16),
                                                       bytes(range(256)) * (1 << 16)))
        self.write("many/train-labels-idx1-ubyte", idx_labels(1 << 16))
        for data, said, not_said in (("large", "run: ", "data: "),
                                     ("many", "device: ", "scores: ")):
            process = self.start("images.toml", "--threads", 1, "--out", f"run-{data}", "--data",
                                 data, "--set", "algorithm.score=frechet")
            self.wait_for(process, said)
            ended = end_of(process, signal.SIGTERM)
            self.assertEqual((ended.code, ended.out),
                             (0, "stopped before it trained: nothing to save\n"), ended.err)
            self.assertNotIn(not_said, ended.err)
            self.assertFalse(self.path(f"run-{data}/metrics.jsonl").exists())
        self.assertEqual([path for path in self.path(".").rglob("*.classifier")], [])
        # The directory is as good as new.
        self.succeed("images.toml", "--threads", 1, "--out", "run-large")

    def test_two_peers_do_not_share_a_directory(self):
        process = self.start_long("run")
        self.wait_for_generation(process, 1)
        self.refused(["long.toml", "--out", "run", "--resume"], 78,
                     "run: another peer works in this directory: stop it first")
        end_of(process)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
