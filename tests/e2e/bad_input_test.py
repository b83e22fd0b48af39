"""Bad input, from outside: one clear line on standard error, the right exit code, nothing lost."""

import gzip
import json
import os
import resource
import shutil
import struct
import sys
import unittest

from sandbox import PEER, Sandbox, idx, idx_images, idx_labels, limit_files

CONFIGURATION = 78
FAILED = 1
USAGE = 2


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
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
