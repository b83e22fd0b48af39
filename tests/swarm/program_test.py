"""swarm-sim as a script meets it: exit codes, and what is printed where."""
import json
import os
import pathlib
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

    def test_a_recording_that_cannot_be_written_is_told_before_anything_runs(self):
        done = run(*SMALL, "--json", "--record", str(self.folder / "no" / "such"))
        self.assertEqual((done.returncode, done.stdout), (USAGE, ""))
        self.assertIn("no/such cannot be written; --record names", done.stderr)

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

    def test_a_report_that_is_not_written_is_told(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = run(*SMALL, "--json", stdout=full)
        self.assertEqual(done.returncode, NOT_WRITTEN)
        self.assertIn("the report was not written whole", done.stderr)

    def test_a_run_that_misses_a_bound_keeps_its_code_whatever_is_written(self):
        nobody_is_heard = ("--scenario", "isolation", "--peers", "4", "--seconds", "1",
                           "--loss", "0.9", "--record", "/dev/full")
        self.assertEqual(run(*nobody_is_heard).returncode, 3)

    @unittest.skipIf(SANITIZED, "limits the addresses")
    def test_without_memory_the_code_is_not_that_of_a_broken_invariant(self):
        def little_memory():
            resource.setrlimit(resource.RLIMIT_AS, (64 << 20, 64 << 20))
        done = run("--scenario", "boot", "--peers", "10000", preexec_fn=little_memory)
        self.assertEqual(done.returncode, FAILED)
        self.assertIn("out of memory", done.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
