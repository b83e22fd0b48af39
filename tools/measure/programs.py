"""The built programs that are measured, how they are run, and on what they run.

Everything is taken from one build: the release, or the ci preset's (the same with warnings as
errors) where that is newer.
"""
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TORCH_STEP = ROOT / "tools/torch_gan_step.py"
# Debian's, which python3-torch belongs to; the caller's python3 may be another.
DEBIAN_PYTHON = "/usr/bin/python3"


class Failed(Exception):
    """What ended a measurement, in one line that says what to do."""


def find_build():
    """The build folder whose peer is the newest."""
    built = [f for f in (ROOT / "build/release", ROOT / "build/ci") if (f / "peer").exists()]
    if not built:
        raise Failed("no peer is built; build it with: cmake --preset release && "
                     "cmake --build --preset release")
    return max(built, key=lambda folder: (folder / "peer").stat().st_mtime)


def peer():
    return find_build() / "peer"


def bench_program(module):
    program = find_build() / f"tests/bench/{module}_bench"
    if not program.exists():
        raise Failed(f"{program.relative_to(ROOT)} is not built; build it with: cmake --build "
                     f"--preset {find_build().name} --target {module}_bench")
    return program


def words(command):
    return [str(word) for word in command]


def run(command, **environment):
    """Standard output of a command that must succeed."""
    done = subprocess.run(words(command), capture_output=True, text=True, cwd=ROOT, check=False,
                          env={**os.environ, **environment})
    if done.returncode != 0:
        last = (done.stderr.strip() or "it says nothing").splitlines()[-1]
        raise Failed(f"{' '.join(words(command))} ended with {done.returncode}: {last}")
    return done.stdout


def run_json(command, **environment):
    return json.loads(run(command, **environment))


def run_measured(command):
    """Wall and CPU seconds and peak memory (MB) of a command that must succeed."""
    start = time.perf_counter()
    with subprocess.Popen(words(command), cwd=ROOT, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True) as process:
        errors = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        last = (errors.strip() or "it says nothing").splitlines()[-1]
        raise Failed(f"{' '.join(words(command))} ended with {process.returncode}: {last}")
    return {"wall": time.perf_counter() - start, "cpu": usage.ru_utime + usage.ru_stime,
            "memory": usage.ru_maxrss / 1e3}


def measured_peak():
    return run_json([peer(), "bench", "peak", "--json"])["peak_gflops"]


def cached_variable(name):
    """A variable of the build's CMake cache, or nothing."""
    found = re.search(rf"^{name}:\w+=(.*)$", (find_build() / "CMakeCache.txt").read_text(), re.M)
    return found.group(1) if found else ""


def header_version(header, *macros):
    """A library's version as its header states it, or nothing."""
    compiler = cached_variable("CMAKE_CXX_COMPILER") or "c++"
    asked = subprocess.run([compiler, "-x", "c++", "-E", "-dM", "-include", header, os.devnull],
                           capture_output=True, text=True, check=False)
    defined = dict(re.findall(r"^#define (\w+) (\d+)$", asked.stdout, re.M))
    return ".".join(defined[macro] for macro in macros) if defined.keys() >= set(macros) else ""


def torch_version():
    asked = subprocess.run([DEBIAN_PYTHON, "-c", "import torch; print(torch.__version__)"],
                           capture_output=True, text=True, check=False)
    return asked.stdout.strip() if asked.returncode == 0 else ""


def compiler_text():
    compiler = cached_variable("CMAKE_CXX_COMPILER") or "c++"
    version = run([compiler, "-dumpfullversion", "-dumpversion"]).strip()
    return f"{pathlib.Path(compiler).name.replace('c++', 'g++')} {version}"


def libraries_text():
    dnnl = header_version("oneapi/dnnl/dnnl_version.h", "DNNL_VERSION_MAJOR",
                          "DNNL_VERSION_MINOR", "DNNL_VERSION_PATCH")
    if cached_variable("QUADRILLE_ONEDNN") == "OFF":
        dnnl = ""
    found = {"oneDNN": dnnl,
             "zstd": header_version("zstd.h", "ZSTD_VERSION_MAJOR", "ZSTD_VERSION_MINOR",
                                    "ZSTD_VERSION_RELEASE"),
             "PyTorch": torch_version()}
    return ", ".join(f"{name} {version or 'not there'}" for name, version in found.items())


def machine_text(peak):
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    name = model.group(1) if model else platform.processor() or platform.machine()
    return (f"{name}, {os.cpu_count()} cores, shared; FMA peak of one core {peak:.0f} GFLOP/s; "
            f"Linux {platform.release().split('-')[0]}; {compiler_text()}, preset "
            f"{find_build().name}; {libraries_text()}.")


def say(text):
    print(text, flush=True)


def complain(text):
    print(f"tools/bench: {text}", file=sys.stderr)
