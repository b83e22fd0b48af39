"""Runs that cannot be gone on with, from outside: damaged checkpoints, other data, another grid."""

import os
import struct
import unittest

from sandbox import CONFIGURATION, Sandbox, idx_images, idx_labels


class Checkpoints(Sandbox):
    def setUp(self):
        super().setUp()
        self.train("run")
        self.cell = "run/checkpoints/000004/cell-00002.safetensors"

    def check_refused(self, *parts):
        before = self.files_below("run/checkpoints")
        for arguments in (["toy.toml", "--out", "run", "--resume", "--set", "run.generations=5"],
                          ["sample", "run"], ["evaluate", "run"]):
            self.refused(arguments, CONFIGURATION, self.cell, *parts)
        self.assertEqual(self.files_below("run/checkpoints"), before)

    def damage(self, change):
        content = bytearray(self.path(self.cell).read_bytes())
        self.write(self.cell, bytes(change(content)))

    def test_a_flipped_bit_names_the_way_to_the_older_generation(self):
        def flip(content):
            content[-100] ^= 1
            return content
        self.damage(flip)
        self.check_refused("remove run/checkpoints/000004 to resume from generation 3")
        for path in self.path("run/checkpoints/000004").iterdir():
            path.unlink()
        self.path("run/checkpoints/000004").rmdir()
        self.train("unbroken", "--set", "run.generations=5")
        self.train("run", "--resume", "--set", "run.generations=5")
        self.assert_same_files("unbroken/checkpoints", "run/checkpoints")

    def test_a_type_that_no_tensor_has(self):
        self.damage(lambda content: content.replace(b'"U64"', b'"]64"', 1))
        self.check_refused("has dtype ']64'", "remove run/checkpoints/000004 to resume from")

    def test_a_pipe_in_its_place(self):
        self.path(self.cell).unlink()
        os.mkfifo(self.path(self.cell))
        self.check_refused("is not a file; remove run/checkpoints/000004 to resume from")

    def test_a_cell_that_is_not_there(self):
        for cell in (3, 1):
            path = f"run/checkpoints/000004/cell-0000{cell}.safetensors"
            kept = self.path(path).read_bytes()
            self.path(path).unlink()
            self.cell = f"run/checkpoints/000004: lacks cell {cell}; "
            self.check_refused("remove run/checkpoints/000004 to resume from generation 3")
            self.write(path, kept)

    def test_a_cell_of_another_generation(self):
        self.write(self.cell, self.path(self.cell.replace("000004", "000003")).read_bytes())
        self.check_refused("holds generation 3, not 4; remove run/checkpoints/000004 to resume "
                           "from generation 3")

    def test_a_file_cut_short(self):
        self.damage(lambda content: content[:len(content) // 3])
        self.check_refused()

    def test_an_empty_file(self):
        self.damage(lambda content: b"")
        self.check_refused()

    def test_a_header_longer_than_the_file(self):
        self.damage(lambda content: struct.pack("<Q", 1 << 60) + content[8:])
        self.check_refused()

    def test_a_file_of_somebody_else(self):
        header = b'{"weight":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
        self.write(self.cell, struct.pack("<Q", len(header)) + header + bytes(4))
        self.check_refused("not a checkpoint of this program")

    def test_a_checkpoint_of_another_run(self):
        self.train("other", "--set", "run.seed=8")
        self.write(self.cell, self.path(self.cell.replace("run/", "other/", 1)).read_bytes())
        self.check_refused("belongs to run ", "give that run's file, or another --out")


class OtherData(Sandbox):
    """What a run was trained on is written down, and nothing else is taken for it."""

    def test_other_data_are_refused_and_change_nothing(self):
        self.write_letters()
        small = ["--set", "algorithm.score=none", "--set", "run.generations=1"]
        self.succeed("images.toml", "--threads", 1, "--out", "run", *small)
        self.write("letters/train-labels-idx1-ubyte", idx_labels(100, 5))
        before = self.files_below("run")
        for arguments in (["extend", "run", "-g", "1"], ["sample", "run"], ["evaluate", "run"],
                          ["images.toml", "--out", "run", "--resume", *small]):
            self.refused(arguments, CONFIGURATION, "trained on other data", "fingerprint", "--data")
            self.assertEqual(self.files_below("run"), before)
        # Where the right ones are may be said.
        self.write("moved/train-images-idx3-ubyte", idx_images(100))
        self.write("moved/train-labels-idx1-ubyte", idx_labels(100))
        for verb in ("sample", "evaluate"):
            self.refused([verb, "run", "--data", "letters"], CONFIGURATION, "trained on other data")
            self.succeed(verb, "run", "--data", "moved")
        self.assertEqual(self.files_below("run"), before)

    def test_scores_on_another_classifier_are_refused_and_change_nothing(self):
        self.write_letters()
        self.write("letters/t10k-images-idx3-ubyte", idx_images(40))
        self.write("letters/t10k-labels-idx1-ubyte", idx_labels(40))
        scored = ["--threads", 1, "--set", "algorithm.score=tvd", "--set",
                  "algorithm.score_sample_size=20"]
        self.succeed("images.toml", "--out", "run", *scored)
        labels = self.path("letters/t10k-labels-idx1-ubyte")
        kept = labels.read_bytes()
        labels.unlink()
        # A copy without the test split has a classifier of its own, and leaves the other alone.
        self.succeed("images.toml", "--out", "without", *scored)
        before = self.files_below("run")
        for arguments in (["extend", "run", "-g", 1],
                          ["images.toml", "--out", "run", "--resume", *scored, "--set",
                           "run.generations=5"]):
            self.refused(arguments, CONFIGURATION, "run/checkpoints/000004: its scores are on "
                         "classifier ", "the data set's test files are gone: bring them back, or")
            self.assertEqual(self.files_below("run"), before)
        labels.write_bytes(kept)
        ended = self.succeed("extend", "run", "-g", 1, "--threads", 1)
        self.assertNotIn("classifier: training", ended.err)
        self.refused(["extend", "without", "-g", 1], CONFIGURATION, "had no test files then")

    def test_another_grid_is_refused_and_changes_nothing(self):
        self.train("run")
        before = self.files_below("run")
        self.refused(["toy.toml", "--out", "run", "--resume", "--set", "grid.rows=1"],
                     CONFIGURATION, "is of a 2x2 grid, and this run has a 1x2 one")
        self.assertEqual(self.files_below("run"), before)


if __name__ == "__main__":
    unittest.main()
