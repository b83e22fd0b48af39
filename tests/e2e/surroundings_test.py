"""What surrounds a peer and fails it: streams, disks, names, and numbers that are none."""

import json
import os
import unittest

from sandbox import CONFIGURATION, FAILED, PEER, USAGE, Sandbox, limit_files


class Surroundings(Sandbox):
    def test_closed_streams_cost_no_file(self):
        for descriptors in ((0,), (0, 1), (2,), (0, 1, 2)):
            with self.subTest(closed=descriptors):
                out = "run" + "".join(map(str, descriptors))
                closing = " ".join(f"{d}>&-" for d in descriptors)
                self.command("sh", "-c", f'"{PEER}" toy.toml --threads 1 --out {out} {closing}')
                for line in self.path(f"{out}/metrics.jsonl").read_text().splitlines():
                    self.assertTrue(line.startswith('{"cell":'), line)
                self.assertEqual(self.path(f"{out}/.lock").read_bytes(), b"")

    def test_a_sheet_costs_no_other_file(self):
        self.train("run")
        before = self.files_below("run")
        self.write("notes.txt", "mine")
        self.write("notes.png", "mine")
        self.path("folder.png").mkdir()
        for output in ("run/run.toml", "run/summary.json", "notes.txt", "x.jpg", "."):
            self.refused(["sample", "run", "-o", output, "--force"], USAGE, output, ".png")
        for output, part in (("run/checkpoints/x.png", "is a place of the run itself"),
                             ("notes.png", "is no PNG"), ("folder.png", "is a directory")):
            self.refused(["sample", "run", "-o", output, "--force"], CONFIGURATION, output, part)
        self.assertEqual(self.files_below("run"), before)
        for name in ("notes.txt", "notes.png"):
            self.assertEqual(self.path(name).read_text(), "mine")

    def test_a_sheet_is_written_over_only_when_asked(self):
        self.train("run")
        self.write("empty.png", b"")
        self.path("dangling.png").symlink_to("nowhere/else.png")
        for output in ("run/samples/mine.png", "samples.png"):
            self.succeed("sample", "run", "-o", output)
        before = self.files_below(".")
        for more in (["-o", "run/samples/mine.png"], ["-o", "samples.png"], ["-o", "empty.png"],
                     ["-o", "run/samples/final.png"], ["-o", "dangling.png"], []):
            self.refused(["sample", "run", *more], CONFIGURATION, "is there already",
                         "add --force")
        self.assertEqual(self.files_below("."), before)
        for output in ("run/samples/mine.png", "samples.png", "empty.png"):
            self.succeed("sample", "run", "-n", 2, "--force", "-o", output)
            self.assertNotEqual(self.path(output).read_bytes(), before.get(output))

    def test_a_name_cannot_play_with_the_terminal(self):
        line = self.refused(["a\x1b[2J.toml"], CONFIGURATION, "a\\x1b[2J.toml")
        self.assertNotIn("\x1b", line)

    def test_a_name_of_thousands_of_letters_is_shown_in_part(self):
        name = 5000 * "a"
        for arguments, code in (([name], CONFIGURATION), (["check", name], CONFIGURATION),
                                (["toy.toml", "--out", name], CONFIGURATION),
                                (["sample", name], CONFIGURATION), (["toy.toml", name], USAGE)):
            self.assertLess(len(self.refused(arguments, code, "a...a")), 400)

    def test_a_bench_of_a_large_batch_keeps_to_its_time(self):
        ended = self.succeed("bench", "step", "--batch", 8192, "--seconds", 0.01, "--json")
        self.assertEqual(json.loads(ended.out)["steps"], 1)

    def test_a_name_of_two_lines_is_shown_on_one(self):
        name = "two\nlines"
        for arguments, code in (([f"{name}.toml"], CONFIGURATION),
                                (["sample", name], CONFIGURATION), (["check", name], CONFIGURATION),
                                (["data", name], USAGE), (["toy.toml", f"--{name}"], USAGE),
                                (["toy.toml", "--threads", name], USAGE),
                                (["toy.toml", "--set", f"grid.{name}=1"], CONFIGURATION),
                                (["toy.toml", "--out", f"toy.toml/{name}"], CONFIGURATION)):
            self.refused(arguments, code)
        self.write(f"{name}.toml", self.path("toy.toml").read_text() + "cuont = 1\n")
        self.refused([f"{name}.toml"], CONFIGURATION, "two\\x0alines.toml:", "cuont")
        ended = self.peer("data", "check", f"./{name}")
        self.assertIn("./two\\x0alines: no such directory", ended.out)

    def test_a_directory_of_any_name_is_trained_in(self):
        """One of two lines, and one that is no text at all."""
        for out in (b"two\nlines", b"\xff"):
            ended = self.succeed("toy.toml", "--threads", 1, "--out", os.fsdecode(out))
            self.assertEqual(len(ended.out.splitlines()), 3, ended.out)
            self.succeed("sample", os.fsdecode(out), "-o", os.fsdecode(out) + ".png")

    def test_a_reader_that_has_seen_enough_is_no_error(self):
        for verb in ("check --keys", "check toy.toml", "--help", "bench gemm --seconds 0.01",
                     "data check ring8", "toy.toml --threads 1 --out run"):
            ended = self.command("bash", "-c", f'set -o pipefail; "{PEER}" {verb} | true')
            self.assertEqual((ended.code, ended.problems), (0, []), verb)
            # Gone before the first word.
            read, write = os.pipe()
            os.close(read)
            ended = self.peer(*verb.replace("out run", "out gone").split(), stdout=write)
            os.close(write)
            self.assertEqual((ended.code, ended.problems), (0, []), verb)
        self.assertTrue(self.path("gone/summary.json").exists())


class FullDisk(Sandbox):
    def test_training_goes_on_and_the_end_is_an_error(self):
        # Room for run.toml and metrics, none for a checkpoint.
        ended = self.peer("toy.toml", "--threads", 1, "--out", "run",
                          preexec_fn=limit_files(50_000))
        self.assertEqual(ended.code, FAILED)
        warning, error = ended.problems
        self.assertTrue(warning.startswith("warning: run/checkpoints/000001.partial/"), warning)
        self.assertIn("training goes on; the last checkpoint is kept", warning)
        self.assertTrue(error.startswith("peer: run/checkpoints/000004.partial/"), error)
        self.assertIn("generation 4/4", ended.err)
        self.assertEqual(list(self.path("run/checkpoints").iterdir()), [])
        self.refused(["sample", "run"], CONFIGURATION, "run: there is no checkpoint yet")
        self.train("unbroken")
        self.train("run", "--resume")
        self.assert_same_files("unbroken/checkpoints", "run/checkpoints")

    def test_a_disk_that_is_really_full(self):
        """A file system of 6 MB, in which one generation has room and a second has not."""
        self.path("run").mkdir()
        script = """
            mount -t tmpfs -o size=6m none run || exit 100
            "$0" toy.toml --threads 1 --out run; code=$?
            ls run/checkpoints
            mount -o remount,size=64m none run
            "$0" toy.toml --threads 1 --out run --resume || exit 101
            cp -r run/checkpoints after
            exit $code
            """
        ended = self.command("unshare", "-m", "sh", "-c", script, PEER)
        if ended.code in (1, 100) and "generation" not in ended.err:
            self.skipTest("file systems cannot be mounted here")
        self.assertEqual(ended.code, FAILED, ended.err)
        self.assertEqual(ended.out.splitlines()[0], "000001")
        warning, error = ended.problems
        self.assertIn("000002.partial/", warning)
        self.assertRegex(warning, r"No space left on device: \d+ bytes were needed, \d+ are free")
        self.assertTrue(error.startswith("peer: run/checkpoints/000004.partial/"), error)
        self.assertIn("resumed at generation 1", ended.err)
        self.train("unbroken")
        self.assert_same_files("unbroken/checkpoints", "after")

    def test_a_file_system_that_is_only_read(self):
        self.path("run").mkdir()
        script = """
            mount -t tmpfs none run && "$0" toy.toml --threads 1 --out run/a || exit 100
            mount -o remount,ro none run || exit 100
            "$0" toy.toml --out run/a --resume; test $? = 1 || exit 101
            "$0" extend run/a -g 1; test $? = 1 || exit 102
            "$0" toy.toml --out run/b
            """
        ended = self.command("unshare", "-m", "sh", "-c", script, PEER)
        if ended.code == 100 or (ended.code == 1 and "generation" not in ended.err):
            self.skipTest("file systems cannot be mounted here")
        self.assertEqual(ended.code, FAILED, ended.err)
        self.assertEqual(len(ended.problems), 3, ended.err)
        for line in ended.problems:
            self.assertIn("Read-only file system; write to another file system", line)

    def test_a_sheet_that_cannot_be_written(self):
        self.train("run")
        self.refused(["sample", "run", "-o", "big.png"], FAILED, "big.png cannot be written",
                     preexec_fn=limit_files(10))
        self.assertFalse(self.path("big.png").exists())
        self.refused(["sample", "run", "-o", "no/where.png"], FAILED, "no/where.png",
                     "create the directory no first")

    def test_standard_output_that_is_full(self):
        with open("/dev/full", "w") as full:
            for arguments in (["check", "toy.toml"], ["check", "--keys"], ["--help"]):
                ended = self.peer(*arguments, stdout=full)
                self.assertEqual((ended.code, len(ended.problems)), (FAILED, 1), ended.err)
                self.assertIn("standard output", ended.err)


class NotFinite(Sandbox):
    def settings(self, rate):
        return ["--set", "grid.rows=1", "--set", "grid.columns=1", "--set",
                f"algorithm.learning_rate={rate}", "--set", "algorithm.optimizer=sgd", "--set",
                "algorithm.loss=least-squares", "--set", "algorithm.batches_per_generation=64"]

    def test_a_cell_rolls_back_says_so_and_goes_on_with_lower_rates(self):
        ended = self.peer("toy.toml", "--threads", 1, "--out", "run", *self.settings(0.4))
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual(len(ended.problems), 1, ended.err)
        self.assertRegex(ended.problems[0],
                         r"^cell 0: generation \d: a weight, loss or moment is not finite with "
                         r"learning rates G .*; the cell starts it again, alone, with learning "
                         r"rates G 0.2")
        self.assertIn("diverged (NaN: rolled back)", ended.err)
        self.assertIn("done: 4 generations", ended.out)

    def test_a_moment_that_overflowed_leaves_checkpoints_that_can_be_opened(self):
        self.write("toy.toml", self.path("toy.toml").read_text()
                   .replace("batches_per_generation = 3", "batches_per_generation = 20"))
        ended = self.peer("toy.toml", "--threads", 1, "--out", "run",
                          *(part for setting in ("loss=hinge", "learning_rate=10",
                                                 "optimizer=rmsprop", "epsilon=1e-12")
                            for part in ("--set", f"algorithm.{setting}")))
        self.assertEqual(ended.code, 0, ended.err)
        self.assertIn("a weight, loss or moment is not finite with ", ended.err)
        self.succeed("sample", "run")

    def test_three_times_running_is_an_error(self):
        self.train("run", "--set", "grid.rows=1", "--set", "grid.columns=1")
        ended = self.peer("toy.toml", "--threads", 1, "--out", "bad", *self.settings(10))
        self.assertEqual(ended.code, FAILED)
        self.assertEqual(len(ended.problems), 3, ended.err)
        self.assertRegex(ended.problems[2], r"^peer: cell 0: generation 1: .* not finite .*, "
                                            r"3 times running; lower the learning rates$")


if __name__ == "__main__":
    unittest.main()
