"""Bad input, from outside: one clear line on standard error, the right exit code, nothing lost."""

import gzip
import os
import resource
import shutil
import struct
import unittest

from sandbox import CONFIGURATION, SANITIZED, USAGE, Sandbox, idx, idx_images, idx_labels


class RunFiles(Sandbox):
    def check_setting(self, setting, *parts):
        line = len((self.path("toy.toml")).read_text().splitlines()) + 1
        self.write("bad.toml", self.path("toy.toml").read_text() + setting + "\n")
        for arguments in (["bad.toml"], ["check", "bad.toml"]):
            self.refused(arguments, CONFIGURATION, f"bad.toml:{line}", *parts)
        self.assertFalse(self.path("runs").exists())

    def test_a_misspelt_key_names_the_nearest(self):
        self.check_setting("cuont = 100", "cuont", "count")

    def test_a_misspelt_table_names_the_nearest(self):
        self.check_setting("[exchnage]", "exchnage", "exchange")

    def test_a_value_out_of_range_names_the_range(self):
        self.check_setting("fraction = 1.5", "data.fraction is 1.5", "to 1")

    def test_a_value_of_another_type_is_named(self):
        self.check_setting('fraction = "half"', "fraction")

    def test_text_that_is_no_toml_names_its_place(self):
        self.check_setting("= 3")

    def test_a_path_that_is_no_utf_8_is_refused_before_it_makes_the_run_unreadable(self):
        self.write_letters()
        latin1 = os.fsdecode(b"caf\xe9")
        shutil.copytree(self.path("letters"), self.path(latin1) / "letters")
        self.succeed("images.toml", "--threads", 1, "--out", "run")
        before = self.files_below("run")
        for arguments in (["images.toml"], ["images.toml", "--out", "run", "--resume"],
                          ["extend", "run", "-g", 1], ["sample", "run"], ["evaluate", "run"]):
            self.refused([*arguments, "--data", latin1], CONFIGURATION,
                         'data.path is "caf\\xe9"; it must be a path in UTF-8')
        self.assertEqual(self.files_below("run"), before)

    def test_files_for_a_set_that_is_computed(self):
        self.succeed("toy.toml", "--threads", 1, "--out", "run")
        for arguments in (["toy.toml"], ["check", "toy.toml"], ["sample", "run"],
                          ["evaluate", "run"], ["extend", "run", "-g", 1]):
            self.refused([*arguments, "--data", "letters"], CONFIGURATION,
                         'data.path is "letters", but a synthetic set is computed and not read')

    def test_a_grid_of_zero(self):
        self.refused(["toy.toml", "--set", "grid.rows=0"], CONFIGURATION, "grid.rows is 0", "1024")
        self.write("zero.toml", self.path("toy.toml").read_text().replace("rows = 2", "rows = 0"))
        self.refused(["zero.toml"], CONFIGURATION,
                     "zero.toml:6: grid.rows is 0; a grid needs 1 to 1024 rows")

    def test_several_problems_get_a_line_each(self):
        self.write("two.toml", self.path("toy.toml").read_text()
                   .replace("rows = 2", "rows = 0").replace("batch_size", "batch_sise"))
        ended = self.peer("two.toml")
        self.assertEqual(ended.code, CONFIGURATION)
        self.assertEqual(len(ended.problems), 2, ended.err)
        for line, part in zip(ended.problems, ("grid.rows is 0", "batch_sise")):
            self.assertTrue(line.startswith("peer: two.toml:"), line)
            self.assertIn(part, line)

    def test_two_disagreements_with_the_data_get_a_line_each(self):
        ended = self.peer("toy.toml", "--set", "algorithm.batch_size=101",
                          "--set", "algorithm.fitness_sample_size=102")
        self.assertEqual(ended.code, CONFIGURATION)
        self.assertEqual(len(ended.problems), 2, ended.err)
        for line, part in zip(ended.problems, ("batch_size is 101", "fitness_sample_size is 102")):
            self.assertTrue(line.startswith("peer: "), line)
            self.assertIn(part, line)

    def test_a_missing_run_file_names_one_that_was_meant(self):
        self.refused(["tiy.toml"], CONFIGURATION, "tiy.toml", "toy.toml")

    def test_an_unknown_flag_names_the_nearest(self):
        self.refused(["toy.toml", "--thread", "2"], USAGE, "--threads")

    def test_a_batch_larger_than_the_data(self):
        self.refused(["toy.toml", "--set", "algorithm.batch_size=101"], CONFIGURATION,
                     "--set: algorithm.batch_size is 101", "ring8 has 100 rows", "use at most that")
        self.refused(["toy.toml", "--set", "data.fraction=0.09"], CONFIGURATION,
                     "toy.toml:10: algorithm.batch_size is 10", "a cell's share has 9 rows")
        self.write("short.toml", self.path("toy.toml").read_text().replace("batch_size = 10\n", ""))
        self.refused(["short.toml", "--set", "data.fraction=0.9"], CONFIGURATION,
                     "short.toml: algorithm.batch_size is by default 100", "share has 90 rows")

    def test_a_synchronous_run_wants_all_its_cells(self):
        self.refused(["toy.toml", "--cells", "2"], CONFIGURATION, "algorithm.sync",
                     "--cells allows 2 of 4 cells", "set algorithm.sync to false")

    def test_what_was_refused_for_its_data_may_be_mended_and_started(self):
        self.refused(["toy.toml", "--set", "algorithm.batch_size=101"], CONFIGURATION)
        self.succeed("toy.toml", "--threads", 1)


class DataFiles(Sandbox):
    def setUp(self):
        super().setUp()
        self.write_letters()
        self.images = "letters/train-images-idx3-ubyte"
        self.labels = "letters/train-labels-idx1-ubyte"

    def check_refused(self, *parts):
        """By the run, and by the check that is made before hours are spent."""
        self.refused(["images.toml"], CONFIGURATION, *parts)
        checked = self.peer("data", "check", "letters")
        self.assertEqual((checked.code, checked.err), (CONFIGURATION, ""))
        for part in parts:
            self.assertIn(part, checked.out)

    def test_images_that_are_as_they_should_be(self):
        self.succeed("images.toml", "--threads", 1)

    def test_a_missing_directory(self):
        self.refused(["images.toml", "--data", "letetrs"], CONFIGURATION, "letetrs")

    def test_a_missing_file(self):
        self.path(self.images).unlink()
        self.refused(["images.toml"], CONFIGURATION, "letters")

    def test_a_truncated_file(self):
        self.write(self.images, idx_images(100)[:-5])
        self.check_refused("train-images-idx3-ubyte")

    def test_an_empty_file(self):
        self.write(self.images, b"")
        self.check_refused("train-images-idx3-ubyte")

    def test_a_file_with_more_than_it_says(self):
        self.write(self.images, idx_images(100) + b"more")
        self.check_refused("train-images-idx3-ubyte")

    def test_a_header_that_claims_more_than_memory_holds(self):
        self.write(self.images, idx(0x803, (0xFFFFFFFF, 0xFFFF, 0xFFFF), b"123"))
        self.check_refused("train-images-idx3-ubyte")

    def test_another_type_of_values(self):
        self.write(self.images, idx(0xD03, (2, 1, 1), b"12345678"))
        self.check_refused("train-images-idx3-ubyte")

    @unittest.skipIf(SANITIZED, "limits the addresses")
    def test_a_gzip_bomb_is_not_inflated(self):
        """A claim of 4 GB that a label file of 100 gives away, and one with labels for all."""
        def limit_memory():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        self.path(self.images).unlink()
        header = struct.pack(">4I", 0x803, 5_000_000, 28, 28)
        with gzip.open(self.path(self.images + ".gz"), "wb", compresslevel=1) as bomb:
            bomb.write(header)
            bomb.write(os.urandom(4 << 20))  # large enough for the claim to be possible
        for part in ("holds 5000000 images, but", "promises 5000000 images of 28 x 28 (3920000000"):
            self.refused(["images.toml"], CONFIGURATION, self.images + ".gz: " + part,
                         preexec_fn=limit_memory)
            checked = self.peer("data", "check", "letters", preexec_fn=limit_memory)
            self.assertEqual((checked.code, checked.err), (CONFIGURATION, ""))
            self.assertIn(self.images + ".gz: " + part, checked.out)
            self.write(self.labels, idx_labels(5_000_000))

    def test_images_and_labels_that_disagree_in_count(self):
        self.write(self.labels, idx_labels(99))
        self.check_refused("100", "99")

    def test_labels_in_the_place_of_images(self):
        self.write(self.images, idx_labels(100))
        self.check_refused("train-images-idx3-ubyte")

    def test_a_png_says_that_it_is_one(self):
        self.write(self.images, b"\x89PNG\r\n\x1a\n" + bytes(100))
        self.check_refused("train-images-idx3-ubyte", "PNG")

    def test_a_web_page_in_the_place_of_a_download(self):
        self.write(self.images, b"<!DOCTYPE html><html><body>404</body></html>")
        self.check_refused("train-images-idx3-ubyte", "HTML")

    def test_a_gz_cut_short(self):
        self.write_letters(compress=True)
        self.path(self.images).unlink()
        whole = gzip.compress(idx_images(100))
        self.write(self.images + ".gz", whole[:len(whole) // 2])
        self.check_refused("train-images-idx3-ubyte.gz")

    def test_a_gz_with_a_flipped_bit(self):
        self.path(self.images).unlink()
        whole = bytearray(gzip.compress(idx_images(100)))
        whole[-6] ^= 1  # of its checksum
        self.write(self.images + ".gz", bytes(whole))
        self.check_refused("train-images-idx3-ubyte.gz")

    def test_pixels_that_teach_nothing(self):
        for values, part in ((bytes(64 * 100), "every pixel is 0"),
                             (bytes([0, 1] * 32 * 100), "pixels are 0 and 1 only")):
            self.write(self.images, idx(0x803, (100, 8, 8), values))
            self.check_refused("train-images-idx3-ubyte: " + part)

    def test_labels_of_one_class_are_judged_by_nobody(self):
        self.write(self.labels, idx(0x801, (100,), [5] * 100))
        self.refused(["images.toml", "--set", "algorithm.score=tvd"], CONFIGURATION,
                     "--set: algorithm.score is \"tvd\"", "one class only (every label is 5)",
                     "use \"none\"")
        ended = self.succeed("images.toml", "--threads", 1, "--out", "run", "--set",
                             "algorithm.score=auto", "--set", "run.generations=1")
        self.assertIn("scores: none, for letters has one class only", ended.err)
        ended = self.succeed("evaluate", "run", "-n", 100)
        self.assertIn("letters has one class only (every label is 5)", ended.out)
        self.assertNotIn("TVD", ended.out)
        self.assertIn("every image has label 5", self.succeed("data", "check", "letters").out)

    def test_few_labels_are_judged_by_nobody(self):
        self.write_letters(count=99)
        ended = self.succeed("images.toml", "--threads", 1, "--out", "run", "--set",
                             "algorithm.score=auto", "--set", "run.generations=1")
        self.assertIn("scores: none, for letters has 99 rows", ended.err)
        self.assertIn("letters has 99 rows", self.succeed("evaluate", "run", "-n", 100).out)
        self.assertIn("99 labels: too few", self.succeed("data", "check", "letters").out)

    def test_what_does_not_fit_is_refused_before_a_classifier_is_trained(self):
        self.write_letters(count=200)
        scored = ["images.toml", "--out", "run", "--set", "algorithm.score=frechet",
                  "--set", "run.generations=1"]
        for more in (["--set", "data.partition=label", "--set", "algorithm.batch_size=41"],
                     ["--set", "algorithm.fitness_sample_size=201"], ["--cells", "2"]):
            self.refused([*scored, *more], CONFIGURATION)
            self.assertFalse(self.path("cache").exists())
        self.succeed(*scored, "--threads", 1)
        shutil.rmtree(self.path("cache"))
        self.write("other/train-images-idx3-ubyte", idx_images(200))
        self.write("other/train-labels-idx1-ubyte", idx_labels(200, 5))
        for arguments in ([*scored, "--resume", "--set", "grid.rows=1"],
                          [*scored, "--resume", "--data", "other"],
                          ["sample", "run", "--data", "other"],
                          ["evaluate", "run", "--data", "other"]):
            self.refused(arguments, CONFIGURATION, "cell-00000.safetensors: ")
            self.assertFalse(self.path("cache").exists())

    def test_a_batch_larger_than_the_images(self):
        self.refused(["images.toml", "--set", "algorithm.batch_size=1000"], CONFIGURATION,
                     "batch_size is 1000", "100 rows")


class Directories(Sandbox):
    def setUp(self):
        super().setUp()
        self.train("run")
        self.before = self.files_below("run")

    def check_untouched(self):
        self.assertEqual(self.files_below("run"), self.before)

    def test_another_run_is_not_overwritten(self):
        for more in ([], ["--resume"]):
            self.refused(["toy.toml", "--out", "run", "--set", "run.seed=8", *more], CONFIGURATION,
                         "run: holds another run (run.seed is", "choose another --out")
        self.check_untouched()

    def test_this_run_is_not_overwritten_unasked(self):
        self.refused(["toy.toml", "--out", "run"], CONFIGURATION,
                     "holds this run already, at generation 4", "--resume")
        self.check_untouched()

    def test_other_files_are_not_overwritten(self):
        self.write("mine/letter", "dear")
        self.refused(["toy.toml", "--out", "mine"], CONFIGURATION, "mine: is not empty")
        self.refused(["toy.toml", "--out", "mine/letter"], CONFIGURATION,
                     "mine/letter: is not a directory")
        self.assertEqual(self.files_below("mine"), {"letter": b"dear"})

    def test_a_directory_that_cannot_be_made(self):
        self.refused(["toy.toml", "--out", "toy.toml/run"], CONFIGURATION,
                     "toy.toml/run: toy.toml is not a directory: choose another --out")
        self.path("dangling").symlink_to("nowhere")
        self.refused(["toy.toml", "--out", "dangling"], CONFIGURATION,
                     "dangling: is a link to what is not there")
        self.refused(["toy.toml", "--out", 300 * "a"], CONFIGURATION, "File name too long")

    def test_there_is_nothing_to_resume(self):
        self.refused(["toy.toml", "--out", "nothing", "--resume"], CONFIGURATION,
                     "nothing: there is no run to resume here")

    def test_a_directory_without_a_run(self):
        for verb in (["sample"], ["evaluate"], ["extend", "-g", "3"]):
            self.refused([*verb, "nothing"], CONFIGURATION, "nothing: there is no run here")


if __name__ == "__main__":
    unittest.main()
