"""swarm-sim as a script meets it: exit codes, and what is printed where."""
import json
import os
import pathlib
import pty
import re
import resource
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ["QUADRILLE_SWARM_SIM"]
SANITIZED = bool(os.environ.get("QUADRILLE_SANITIZE"))
SMALL = ("--scenario", "boot", "--peers", "4")
SEED_LINE = "SEED=1 SCENARIO=boot\n"

OK, USAGE, FAILED, NOT_WRITTEN = 0, 2, 70, 74


def run(*arguments, **options):
    return subprocess.run([PROGRAM, *arguments], text=True, check=False, stderr=subprocess.PIPE,
                          **{"stdout": subprocess.PIPE, **options})


class Program(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_the_seed_comes_first_and_json_stays_alone(self):
        plain = run(*SMALL)
        self.assertEqual((plain.returncode, plain.stderr), (OK, ""))
        self.assertTrue(plain.stdout.startswith(SEED_LINE))
        as_json = run(*SMALL, "--json")
        self.assertEqual((as_json.returncode, as_json.stderr), (OK, SEED_LINE))
        self.assertEqual(json.loads(as_json.stdout)["outcome"], "ok")

    def test_a_refusal_is_all_that_is_said(self):
        lipizzaner = ("--worker", "lipizzaner", "--scenario", "growth")
        for arguments, told in (
                ((*SMALL, "--record", str(self.folder / "no" / "such")),
                 "no/such, which cannot be written (No such file or directory); it names"),
                (lipizzaner, "grid"),
                ((*lipizzaner, "--print-options"), "grid"),
                (("--scenario", "boot", "--peers", "524288"), "--peers is 524288"),
                (("--scenario", "boot", "--peers", "4", "--grid", "1024x1024"),
                 "--capacity 4096 gives 4 peers room"),
                (("--seed", "-1"), "--seed is -1")):
            for as_json in ((), ("--json",)):
                done = run(*arguments, *as_json)
                self.assertEqual((done.returncode, done.stdout), (USAGE, ""), arguments)
                self.assertRegex(done.stderr, r"^swarm-sim: [^\n]*\n$")
                self.assertIn(told, done.stderr)

    def test_a_recording_is_written_or_its_end_is_told(self):
        there = self.folder / "recording"
        self.assertEqual(run(*SMALL, "--record", str(there)).returncode, OK)
        self.assertGreater(there.stat().st_size, 100)
        full = run(*SMALL, "--record", "/dev/full")
        self.assertEqual(full.returncode, NOT_WRITTEN)
        self.assertIn("/dev/full was not written whole", full.stderr)

    def test_only_told_options_write_no_recording(self):
        there = self.folder / "recording"
        self.assertEqual(run(*SMALL, "--print-options", "--record", str(there)).returncode, OK)
        self.assertFalse(there.exists())

    def test_what_standard_output_does_not_take_is_told(self):
        def full(*arguments):
            with open("/dev/full", "w", encoding="utf-8") as out:
                return run(*arguments, stdout=out)
        for arguments, what in (((*SMALL, "--json"), "the report was"), (SMALL, "the options were"),
                                (("--help",), "the help was"),
                                (("--print-options",), "the options were"),
                                (("--print-options", "--json"), "the options were")):
            done = full(*arguments)
            self.assertEqual(done.returncode, NOT_WRITTEN, arguments)
            self.assertIn(f"swarm-sim: {what} not written whole", done.stderr)

    def test_a_recording_does_not_take_the_place_of_a_closed_standard_output(self):
        there = self.folder / "recording"
        closed = run(*SMALL, "--json", "--record", str(there), stdout=None,
                     preexec_fn=lambda: os.close(1))
        self.assertEqual(closed.returncode, NOT_WRITTEN)
        self.assertEqual(there.read_bytes()[:4], b"QDRW")
        self.assertNotIn(b"virtual_seconds", there.read_bytes())

    def test_options_are_told_as_json_too(self):
        plain = run("--seed", "7", "--print-options")
        self.assertEqual((plain.returncode, plain.stderr), (OK, ""))
        self.assertTrue(plain.stdout.startswith("SEED=7 SCENARIO=random\n"))
        done = run("--seed", "7", "--print-options", "--json")
        self.assertEqual((done.returncode, done.stderr), (OK, ""))
        told = json.loads(done.stdout)
        self.assertEqual((told["scenario"], told["seed"]), ("random", 7))
        for name, value in told["options"].items():
            self.assertIn(f"  {name:20} {value}\n", plain.stdout)

    def test_a_run_that_failed_is_run_again_by_pasting_its_last_line(self):
        record = str(self.folder / "it's a recording")
        first = run("--scenario", "isolation", "--peers", "4", "--seconds", "1", "--loss", "0.9",
                    "--record", record)
        self.assertEqual(first.returncode, 3)
        line = first.stdout.splitlines()[-1]
        self.assertTrue(line.startswith("replay with:  "))
        again = subprocess.run(["sh", "-c", line.removeprefix("replay with:  ")], text=True,
                               check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(again.returncode, 3)
        history = [text for text in first.stdout.splitlines() if text.startswith("  history ")]
        self.assertEqual(len(history), 1)
        self.assertIn(history[0], again.stdout)
        self.assertEqual(again.stdout.splitlines()[-1], line)

    def test_a_report_is_told_whatever_the_recording_is_called(self):
        record = os.fsencode(str(self.folder)) + b"/a\xff"
        done = run("--scenario", "isolation", "--peers", "4", "--seconds", "1", "--loss", "0.9",
                   "--json", "--record", record)
        self.assertEqual(done.returncode, 3)
        self.assertEqual(json.loads(done.stdout)["outcome"], "unsettled")

    def test_what_peers_tell_has_names_and_cells_where_there_are_some(self):
        done = run(*SMALL, "--events")
        self.assertEqual(done.returncode, OK)
        self.assertRegex(done.stderr, r"(?m)^\d+\.\d{3} s host-0 joined host-\d$")
        self.assertRegex(done.stderr, r"(?m)^\d+\.\d{3} s host-\d cell gained cell 0: claimed$")
        self.assertNotRegex(done.stderr, r"[0-9a-f]{32}")
        self.assertNotRegex(done.stderr, r"joined.* cell ")

    def test_a_terminal_sees_progress_unless_it_is_not_to(self):
        def seen(*arguments):
            ours, theirs = pty.openpty()
            with open(ours, "rb", buffering=0) as terminal:
                done = subprocess.run([PROGRAM, "--scenario", "steady", "--peers", "4", *arguments],
                                      check=False, stdout=subprocess.PIPE, stderr=theirs)
                os.set_blocking(ours, False)
                text = terminal.read() or b""
                os.close(theirs)
            return done.stdout, text
        drawn, text = seen()
        self.assertRegex(text, rb"^\r\x1b\[Kvirtual time \d+ s, ")
        self.assertTrue(text.endswith(b"\r\x1b[K"))
        quiet, nothing = seen("--quiet")
        self.assertEqual(nothing, b"")
        cost = re.compile(rb"\n  (cpu_|peak_)[^\n]*")
        self.assertEqual(cost.sub(b"", drawn), cost.sub(b"", quiet))

    def test_a_run_that_misses_a_bound_keeps_its_code_whatever_is_written(self):
        nobody_is_heard = ("--scenario", "isolation", "--peers", "4", "--seconds", "1",
                           "--loss", "0.9", "--record", "/dev/full")
        self.assertEqual(run(*nobody_is_heard).returncode, 3)

    def test_a_reader_that_goes_leaves_a_run_and_a_line_that_tells(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        # More than the pipe holds.
        with subprocess.Popen([PROGRAM, "--scenario", "steady", "--peers", "25", "--record",
                               str(pipe)], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            with open(pipe, "rb") as reader:
                reader.read(1)
            out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, NOT_WRITTEN)
        self.assertTrue(out.endswith("\nok\n"), out)
        self.assertIn("pipe was not written whole", err)

    def test_a_file_that_may_not_grow_leaves_a_run_and_a_line_that_tells(self):
        done = run(*SMALL, "--record", str(self.folder / "recording"),
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10)))
        self.assertEqual(done.returncode, NOT_WRITTEN)
        self.assertIn("recording was not written whole", done.stderr)

    @unittest.skipIf(SANITIZED, "limits the addresses")
    def test_without_memory_for_real_learners_no_cell_is_said_to_have_failed(self):
        for mebibytes in (100, 300):
            done = run("--worker", "lipizzaner", "--scenario", "boot", "--peers", "4",
                       preexec_fn=lambda size=mebibytes << 20:
                           resource.setrlimit(resource.RLIMIT_AS, (size, size)))
            self.assertEqual(done.returncode, FAILED, done.stdout + done.stderr)
            self.assertIn("out of memory", done.stderr)

    @unittest.skipIf(SANITIZED, "limits the addresses")
    def test_without_memory_the_code_is_not_that_of_a_broken_invariant(self):
        def little_memory():
            resource.setrlimit(resource.RLIMIT_AS, (64 << 20, 64 << 20))
        done = run("--scenario", "boot", "--peers", "10000", preexec_fn=little_memory)
        self.assertEqual(done.returncode, FAILED)
        self.assertIn("out of memory", done.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
