"""tools/reliability: what is kept of a run is the report of that run, by that program.

A shell script stands in for swarm-sim: it says what it is told to, and counts its calls.
"""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))

FAKE_SWARM_SIM = r"""#!/bin/bash
echo "$*" >>"$0.log"
cat "$0.says"
exit "$(cat "$0.code")"
"""


REPORT = {"scenario": "boot", "options": {"hosts": "4"}, "outcome": "ok", "reasons": [],
          "figures": {"full_grid_seconds": 2}}


def load_tool():
    loader = importlib.machinery.SourceFileLoader("reliability", str(ROOT / "tools/reliability"))
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("reliability", loader))
    loader.exec_module(module)
    return module


class WithProgram(unittest.TestCase):
    def setUp(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.tool = load_tool()
        self.tool.KEPT = folder / "reliability"
        self.tool.ROOT = folder
        self.program = folder / "build/ci/swarm-sim"
        self.program.parent.mkdir(parents=True)
        self.program.write_text(FAKE_SWARM_SIM)
        self.program.chmod(0o755)
        self.says(REPORT)

    def says(self, report, code=0):
        text = report if isinstance(report, str) else json.dumps(report)
        self.program.with_suffix(".says").write_text(text)
        self.program.with_suffix(".code").write_text(str(code))

    def calls(self):
        log = self.program.with_suffix(".log")
        return len(log.read_text().splitlines()) if log.exists() else 0


class Kept(WithProgram):
    def run_tool(self, *arguments, fresh=False):
        with contextlib.redirect_stderr(io.StringIO()):
            return self.tool.run("boot", 4, list(arguments), fresh)

    def test_a_run_is_kept_and_only_read_again(self):
        self.run_tool()
        self.assertEqual(self.run_tool(), REPORT)
        self.assertEqual(self.calls(), 1)
        self.run_tool(fresh=True)
        self.assertEqual(self.calls(), 2)

    def test_what_is_no_report_is_not_kept(self):
        for text in ("", "swarm-sim: something\n", '{"outcome": '):
            self.says(text, code=1)
            with self.assertRaisesRegex(self.tool.Failed, "no report"):
                self.run_tool()
        self.says(REPORT)
        self.assertEqual(self.run_tool(), REPORT)

    def test_a_file_that_holds_no_report_of_the_run_is_made_anew(self):
        self.run_tool()
        damaged = ("", "{", "5", "[]", "{}", '{"outcome": "ok"}', "\x00",
                   json.dumps(REPORT | {"scenario": "crash"}),
                   json.dumps(REPORT | {"options": {"hosts": "5"}}),
                   json.dumps(REPORT | {"figures": {"full_grid_seconds": None}}))
        for calls, text in enumerate(damaged, 2):
            for kept in self.tool.KEPT.iterdir():
                kept.write_text(text)
            self.assertEqual(self.run_tool(), REPORT)
            self.assertEqual(self.calls(), calls, text)

    def test_another_build_and_other_arguments_are_other_runs(self):
        self.run_tool()
        self.run_tool("--crashes", "30")
        self.assertEqual(self.calls(), 2)
        self.run_tool("--crashes", "30")
        self.assertEqual(self.calls(), 2)
        for kept in self.tool.KEPT.iterdir():
            os.utime(kept, (1, 1))
        self.run_tool()
        self.assertEqual(self.calls(), 3)

    def test_a_program_that_fails_ends_the_call(self):
        self.says(REPORT, code=70)
        with self.assertRaisesRegex(self.tool.Failed, "ended with 70"):
            self.run_tool()

    def test_a_program_that_is_built_anew_meanwhile_leaves_nothing(self):
        with open(self.program, "a", encoding="utf-8") as script:
            script.write("")
        self.program.write_text(FAKE_SWARM_SIM.replace("exit", "touch -d '1 hour' \"$0\"\nexit"))
        with self.assertRaisesRegex(self.tool.Failed, "built anew"):
            self.run_tool()
        self.assertFalse(self.tool.KEPT.exists())


class Traffic(unittest.TestCase):
    def test_a_peer_may_send_a_tenth_more_or_less_than_in_a_smaller_fleet(self):
        tool = load_tool()
        datagrams, streams = tool.TRAFFIC.values()
        small, same, more, streaming = (
            {"scenario": "steady", "options": {"hosts": hosts},
             "figures": {datagrams: sent, streams: streamed}}
            for hosts, sent, streamed in (("100", 5000, 9000), ("1000", 5400, 9000),
                                          ("10000", 5600, 9000), ("10000", 5000, 10000)))
        rows, is_same = tool.compare_traffic(small, same)
        self.assertEqual([row[1:4] for row in rows],
                         [["1,000", "bytes in datagrams, of those at 100 peers", "1.080"],
                          ["1,000", "bytes in streams, of those at 100 peers", "1.000"]])
        self.assertTrue(is_same)
        self.assertFalse(tool.compare_traffic(small, more)[1])
        self.assertFalse(tool.compare_traffic(small, streaming)[1])

    def test_a_run_that_missed_a_bound_is_compared_all_the_same(self):
        tool = load_tool()
        sent = dict.fromkeys(tool.TRAFFIC.values(), 5000)
        small = {"scenario": "steady", "outcome": "ok", "reasons": [],
                 "options": {"hosts": "100"}, "figures": sent}
        large = small | {"outcome": "unsettled", "reasons": ["memory is 3, and must be at most 2"],
                         "options": {"hosts": "10000"}}
        ended_early = large | {"figures": {}}
        rows, missed = tool.lines_of("steady", [small, large])
        self.assertTrue(missed)
        self.assertEqual([row[1:4:2] for row in rows if "of those at" in row[2]],
                         [["10,000", "1.000"], ["10,000", "1.000"]])
        for early in ([small, ended_early], [ended_early, large]):
            rows, missed = tool.lines_of("steady", early)
            self.assertTrue(missed)
            self.assertNotIn("of those at", str(rows))

    def test_of_a_mass_crash_the_rest_before_it_stands_in_the_table_of_fleets_at_rest(self):
        tool = load_tool()
        result = {"scenario": "mass-crash", "reasons": [],
                  "figures": {"datagrams_per_second_mean": 17, "learned_seconds_median": 9.5}}
        names = {table: [row[2] for row in tool.rows_of(result, 100, table)]
                 for table in ("crash", "steady")}
        self.assertEqual(names["crash"], ["learned seconds median"])
        self.assertEqual(names["steady"], ["datagrams per second mean"])


class Table(WithProgram):
    """A page of its own, with a line of a run that takes hours."""

    def setUp(self):
        super().setUp()
        self.tool.PAGE = self.tool.ROOT / "page.md"
        self.tool.TABLES = {"boot": [("boot", 4, []), ("boot", 10000, [])]}
        self.large = ["boot", "10,000", "full grid seconds", "90", ""]
        self.text = f"<!-- boot -->\n{self.tool.page.table(self.tool.HEAD, [self.large])}\n" \
                    "<!-- /boot -->\nthe end\n"
        self.tool.PAGE.write_text(self.text)

    def main(self, *arguments):
        with contextlib.redirect_stderr(io.StringIO()), \
                unittest.mock.patch.object(sys, "argv", ["reliability", *arguments]):
            return self.tool.main()

    def test_what_takes_hours_stays_where_it_is_not_asked_for(self):
        self.assertEqual(self.main(), 0)
        rows = self.tool.page.rows(self.tool.PAGE, "boot")
        self.assertEqual(rows, [["boot", "4", "full grid seconds", "2", ""], self.large])
        self.assertTrue(self.tool.PAGE.read_text().endswith("-->\nthe end\n"))

    def test_a_table_that_is_not_whole_is_not_written(self):
        self.says(REPORT, code=70)
        with self.assertRaisesRegex(SystemExit, "tools/reliability: boot with 4 peers ended"):
            self.main()
        self.assertEqual(self.tool.PAGE.read_text(), self.text)

    def test_a_page_without_its_marks_is_told(self):
        for damage in (lambda page: page.write_text("nothing"), lambda page: page.unlink()):
            damage(self.tool.PAGE)
            with self.assertRaisesRegex(SystemExit, "tools/reliability: .*page.md"):
                self.main()

    def test_who_ends_it_ends_the_program_that_runs(self):
        # The second is for the tool, to be waiting for it by then.
        self.program.write_text("#!/bin/bash\nsleep 1; echo $$ >\"$0.pid\"\nexec sleep 600\n")
        code = f"import runpy, sys; sys.path.insert(0, {str(ROOT / 'tools')!r}); " \
               "from measure import programs; import pathlib; " \
               f"programs.ROOT = pathlib.Path({str(self.tool.ROOT)!r}); " \
               f"sys.argv = ['reliability']; " \
               f"runpy.run_path({str(ROOT / 'tools/reliability')!r}, run_name='__main__')"
        tool = subprocess.Popen([sys.executable, "-B", "-c", code], stderr=subprocess.DEVNULL)
        pid = self.program.with_suffix(".pid")
        while not (pid.exists() and pid.read_text().strip()):
            self.assertIsNone(tool.poll())
            time.sleep(0.01)
        tool.terminate()
        self.assertEqual(tool.wait(timeout=60), -signal.SIGTERM)
        with self.assertRaises(ProcessLookupError):
            os.kill(int(pid.read_text()), 0)


class Page(unittest.TestCase):
    def test_the_page_has_what_this_program_reports(self):
        """Its figures are the same on every machine: who changes them runs tools/reliability."""
        tool = load_tool()
        page = tool.PAGE.read_text()
        for table, scenario, peers in (("crash", "crash", 10), ("crash", "mass-crash", 100),
                                       ("partition", "isolation", 25), ("partition", "pause", 25),
                                       ("partition", "crash-seeds", 25), ("boot", "boot", 4),
                                       ("boot", "upgrade", 12), ("boot", "growth", 25),
                                       ("slow-edge", "slow-edge", 9)):
            done = subprocess.run(
                [os.environ["QUADRILLE_SWARM_SIM"], "--quiet", "--json", "--scenario", scenario,
                 "--peers", str(peers)], stdout=subprocess.PIPE, text=True, check=True)
            for row in tool.rows_of(json.loads(done.stdout), peers, table):
                line = "| " + " | ".join(row) + " |\n"
                if line not in page:  # assertIn would print the whole page
                    self.fail(f"docs/reliability.md has no line {line}run tools/reliability")


class Stopping(unittest.TestCase):
    """What tools/reliability and tools/bench do when a signal comes."""

    SCRIPT = """
import subprocess
from measure import stopping
stopping.listen()
try:
    subprocess.run(["sh", "-c", "echo $$; exec sleep 600"])
except stopping.Stopped as stopped:
    stopping.die_of(stopped)
"""

    def begin(self, before):
        script = subprocess.Popen([sys.executable, "-B", "-c", self.SCRIPT], cwd=ROOT / "tools",
                                  stdout=subprocess.PIPE, text=True, preexec_fn=before)
        self.addCleanup(script.communicate)
        self.addCleanup(script.kill)
        return script, int(script.stdout.readline())

    def test_what_runs_ends_and_then_the_script_dies_of_the_signal(self):
        def take(numbers=(signal.SIGHUP, signal.SIGINT, signal.SIGTERM)):
            for number in numbers:
                signal.signal(number, signal.SIG_DFL)
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
            with self.subTest(number.name):
                script, running = self.begin(take)
                script.send_signal(number)
                self.assertEqual(script.wait(timeout=60), -number)
                self.assertRaises(ProcessLookupError, os.kill, running, 0)

    def test_under_nohup_a_closed_terminal_ends_nothing(self):
        script, running = self.begin(lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.addCleanup(os.kill, running, signal.SIGKILL)
        script.send_signal(signal.SIGHUP)
        with self.assertRaises(subprocess.TimeoutExpired):
            script.wait(timeout=0.5)


if __name__ == "__main__":
    sys.exit(unittest.main())
