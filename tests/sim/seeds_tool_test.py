"""tools/seeds with the real swarm-sim: which seeds it names, what it refuses, and that its end is
the end of all that it began.

The program is built already; what would build it again is stood in for by a command that does
nothing.
"""
import contextlib
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SWARM_SIM = pathlib.Path(os.environ["QUADRILLE_SWARM_SIM"]).resolve()
ENDING = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


class Seeds(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        cmake = self.folder / "cmake"
        self.built = self.folder / "built"
        cmake.write_text(f"#!/bin/sh\ntouch {self.built}\n${{BUILDING:-true}}\n")
        cmake.chmod(0o755)

    def begin(self, *arguments, **variables):
        preset = os.path.relpath(SWARM_SIM.parent, ROOT / "build")
        environment = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}",
                       "PRESET": preset, "JOBS": "2", **variables}
        seeds = subprocess.Popen([ROOT / "tools/seeds", *arguments], env=environment, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 start_new_session=True, preexec_fn=take_signals)
        self.addCleanup(seeds.communicate)
        self.addCleanup(kill_session, seeds.pid)
        return seeds

    def run_seeds(self, *arguments, **variables):
        seeds = self.begin(*arguments, **variables)
        out, err = seeds.communicate(timeout=300)
        return seeds.returncode, out, err

    def refused(self, named, *arguments, **variables):
        code, out, err = self.run_seeds(*arguments, **variables)
        self.assertEqual((code, out), (2, ""), err)
        self.assertFalse(self.built.exists())
        self.assertIn(named, err)

    def test_seeds_that_hold_are_told_in_one_line(self):
        # Leading zeros make no octal number.
        code, out, err = self.run_seeds("008", "02", "--", "--peers", "4")
        self.assertEqual((code, out, err), (0, "tools/seeds: seeds 8 to 9: all is well\n", ""))

    def test_each_seed_that_fails_is_named_with_how_to_see_it_again(self):
        code, out, err = self.run_seeds("5", "2", "--", "--peers", "4", "--grid", "9 x 9")
        self.assertEqual(code, 1)
        self.assertEqual(err, "tools/seeds: seeds 5 to 6: some failed\n")
        lines = sorted(line for line in out.splitlines() if line.startswith("seed "))
        self.assertEqual([line[:14] for line in lines], ["seed 5: usage:", "seed 6: usage:"])
        replay = next(line for line in out.splitlines() if "--seed 5" in line)
        self.assertIn("--grid 9\\ x\\ 9", replay)

    def test_a_seed_that_takes_too_long_is_named(self):
        code, out, _ = self.run_seeds("1", "1", "--", "--peers", "1000", SECONDS_MAX="1")
        self.assertEqual(code, 1)
        self.assertIn("seed 1: not done after 1 s", out)

    def test_what_makes_no_sense_is_refused_before_anything_runs(self):
        self.refused("'ten'", "ten")
        self.refused("FIRST is '1x'", "1x")
        self.refused("COUNT is '0'", "1", "0")
        self.refused("COUNT is '999999999999999999'", "1", "999999999999999999")
        self.refused("'3' is one number too many", "1", "2", "3")
        self.refused("JOBS is '0'", "1", "1", JOBS="0")
        self.refused("SECONDS_MAX is '1.5'", "1", "1", SECONDS_MAX="1.5")
        for option in ("--seed", "--seed=4", "--scenario", "--json", "--help"):
            self.refused(option, "1", "1", "--", option)

    def test_a_signal_ends_all_that_runs_and_the_script_dies_of_it(self):
        for number in ENDING:
            for running, variables in (("swarm-sim", {}), ("sleep", {"BUILDING": "sleep 600"})):
                with self.subTest(number.name, running=running):
                    seeds = self.begin("1", "100000", **variables)
                    self.wait_until(lambda: running in programs_of(seeds.pid))
                    seeds.send_signal(number)
                    seeds.communicate(timeout=60)
                    self.assertEqual(seeds.returncode, -number)
                    self.wait_until(lambda: not programs_of(seeds.pid))

    def wait_until(self, holds):
        until = time.monotonic() + 60
        while not holds():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)


def take_signals():
    """A shell cannot take a signal that it was started without, as everything under nohup is."""
    for number in ENDING:
        signal.signal(number, signal.SIG_DFL)


def processes_of(session):
    """Number and name of the processes of this session that have not ended."""
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            before, _, after = (folder / "stat").read_text().rpartition(")")
        except OSError:
            continue
        state, _, _, its_session = after.split()[:4]
        if state != "Z" and int(its_session) == session:
            yield int(folder.name), before.partition("(")[2]


def programs_of(session):
    return {name for _, name in processes_of(session)}


def kill_session(session):
    while processes := list(processes_of(session)):
        for number, _ in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)


if __name__ == "__main__":
    unittest.main()
