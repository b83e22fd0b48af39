"""The examples from end to end, with what they promise. Minutes each: tools/check --long."""

import json
import pathlib
import subprocess
import unittest

from sandbox import PEER, Sandbox

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


class Examples(Sandbox):
    def figures_after(self, example):
        """What `peer evaluate` says of the example's run, by name."""
        self.run_peer(EXAMPLES / f"{example}.toml", "--out", "run")
        answer = json.loads(self.run_peer("evaluate", "run", "--json"))
        return {figure["name"]: figure["value"] for figure in answer["figures"]}

    def run_peer(self, *arguments):
        """As peer() does, but it may take as long as it takes."""
        ended = subprocess.run([PEER, *map(str, arguments)], cwd=self.directory, text=True,
                               env=self.environment(), capture_output=True, check=False)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return ended.stdout

    def test_ring8_covers_all_eight_modes(self):
        self.assertEqual(self.figures_after("ring8-4x4")["modes covered"], 8)

    @unittest.skipUnless(pathlib.Path("/usr/share/datasets/fashion-mnist").is_dir(),
                         "Debian's dataset-fashion-mnist is not installed")
    def test_the_demo_draws_every_class_about_as_often_as_it_is(self):
        self.assertLessEqual(self.figures_after("fashion-2x2")["TVD"], 0.2)
