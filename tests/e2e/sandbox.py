"""What the end-to-end tests share: a directory of their own, the peer, and made data files."""

import dataclasses
import gzip
import os
import pathlib
import re
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
import unittest

PEER = os.environ["QUADRILLE_PEER"]
# Sanitizers take more addresses than a limit leaves, and end the program when there are none.
SANITIZED = bool(os.environ.get("QUADRILLE_SANITIZE"))

# Exit codes
FAILED = 1
USAGE = 2
CONFIGURATION = 78

# Checkpoints are synced to the disk, which takes most of the time of runs as short as these.
SHARED_MEMORY = "/dev/shm"

# What a run says about its course; anything else on standard error is a problem that it names.
PROGRESS = re.compile(
    r"(run|data|device|scores|classifier): |generation \d+/\d+  |resumed at generation |stopping: ")

TOY = """\
[run]
name = "toy"
seed = 7
generations = 4
[grid]
rows = 2
columns = 2
[algorithm]
sync = true
batch_size = 10
batches_per_generation = 3
fitness_sample_size = 20
score = "none"
[model]
name = "toy"
latent_size = 3
[data]
name = "ring8"
count = 100
"""

# The same on small images: the data set is a directory beside it.
IMAGES = TOY.replace('name = "toy"\nlatent', 'name = "mlp"\nlatent').replace(
    'name = "ring8"\ncount = 100', 'name = "letters"\npath = "letters"')


@dataclasses.dataclass
class Ended:
    code: int
    out: str
    err: str

    @property
    def problems(self):
        return [line for line in self.err.splitlines() if not PROGRESS.match(line)]


def limit_files(bytes_max):
    """For preexec: no file of the process may grow past so many bytes."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_max, bytes_max))


def idx(magic, dimensions, values):
    return struct.pack(f">I{len(dimensions)}I", magic, *dimensions) + bytes(values)


def idx_images(count, side=8):
    values = bytes((i * 31 + p * 7) % 251 for i in range(count) for p in range(side * side))
    return idx(0x803, (count, side, side), values)


def idx_labels(count, classes=10):
    return idx(0x801, (count,), bytes(i % classes for i in range(count)))


class Sandbox(unittest.TestCase):
    """Each test runs in an empty directory, which is gone afterwards."""

    def setUp(self):
        parent = SHARED_MEMORY if os.access(SHARED_MEMORY, os.W_OK) else None
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="quadrille-e2e-", dir=parent))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.write("toy.toml", TOY)

    def path(self, name):
        return self.directory / name

    def write(self, name, content):
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def environment(self):
        kept = {key: value for key, value in os.environ.items()
                if not key.startswith("QUADRILLE_")}
        return kept | {"XDG_CACHE_HOME": str(self.path("cache"))}

    def start_command(self, *command, **options):
        """A process at work, its output in pipes."""
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen(list(map(str, command)), cwd=self.directory,
                                   env=self.environment(), text=True, **(pipes | options))
        self.addCleanup(lambda: end_of(process) if process.poll() is None else None)
        return process

    def command(self, *command, **options):
        process = self.start_command(*command, **options)
        out, err = process.communicate(timeout=120)
        return Ended(process.returncode, out, err)

    def start(self, *arguments, **options):
        return self.start_command(PEER, *arguments, **options)

    def peer(self, *arguments, **options):
        return self.command(PEER, *arguments, **options)

    def succeed(self, *arguments, **options):
        ended = self.peer(*arguments, **options)
        self.assertEqual((ended.code, ended.problems), (0, []), ended.err)
        return ended

    def refused(self, arguments, code, *parts, **options):
        """One line that names the problem, the exit code, and nothing on standard output."""
        ended = self.peer(*arguments, **options)
        self.assertEqual(len(ended.problems), 1, ended.err)
        line = ended.problems[0]
        self.assertTrue(line.startswith("peer: "), line)
        for part in parts:
            self.assertIn(part, line)
        self.assertEqual((ended.code, ended.out), (code, ""), line)
        return line

    def train(self, out, *more):
        return self.succeed("toy.toml", "--threads", 1, "--out", out, *more)

    def files_below(self, name):
        top = self.path(name)
        return {str(path.relative_to(top)): path.read_bytes()
                for path in sorted(top.rglob("*")) if path.is_file()}

    def assert_same_files(self, a, b):
        in_a, in_b = self.files_below(a), self.files_below(b)
        self.assertEqual(sorted(in_a), sorted(in_b))
        for name, content in in_a.items():
            self.assertTrue(content == in_b[name], f"{name} differs")

    def write_letters(self, count=100, side=8, compress=False):
        """A small set of images with labels, as IDX files."""
        for name, content in (("train-images-idx3-ubyte", idx_images(count, side)),
                              ("train-labels-idx1-ubyte", idx_labels(count))):
            if compress:
                self.write(f"letters/{name}.gz", gzip.compress(content))
            else:
                self.write(f"letters/{name}", content)
        self.write("images.toml", IMAGES)


def end_of(process, sent=signal.SIGKILL):
    process.send_signal(sent)
    out, err = process.communicate(timeout=120)
    return Ended(process.returncode, out, err)
