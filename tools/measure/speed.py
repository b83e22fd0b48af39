"""The tables of seconds and rates, each beside what it is held against."""
import pathlib
import statistics
import tempfile

from measure.page import table
from measure.programs import (DEBIAN_PYTHON, TORCH_STEP, Failed, bench_program, peer, run,
                              run_json, run_measured, say, torch_version)

PUBLISHED_PEAK = 226.0  # GFLOP/s of the core on which the original's figures were measured
ROUNDS = 5
BENCH_FLAGS = ["--benchmark_format=json", "--benchmark_min_time=0.2"]


def span(values, digits=2):
    middle = statistics.median(values)
    return f"{min(values):.{digits}f} / {middle:.{digits}f} / {max(values):.{digits}f}"


def torch_kernels():
    """OpenBLAS's name for this processor's instructions: it may not know the processor."""
    flags = pathlib.Path("/proc/cpuinfo").read_text()
    return "SKYLAKEX" if "avx512f" in flags else "HASWELL"


def step_table():
    if not torch_version():
        raise Failed("PyTorch, which the step is compared with, is not installed; install it with: "
                     "tools/setup --bench")
    ours, torch = [], []
    for turn in range(1, ROUNDS + 1):
        ours.append(run_json([peer(), "bench", "step", "--model", "mlp", "--batch", 100,
                              "--threads", 1, "--seconds", 2, "--json"]))
        torch.append(run_json([DEBIAN_PYTHON, TORCH_STEP], OPENBLAS_CORETYPE=torch_kernels(),
                              OPENBLAS_NUM_THREADS="1"))
        say(f"  round {turn} of {ROUNDS}: {ours[-1]['cpu_ms']:.2f} ms, PyTorch "
            f"{torch[-1]['cpu_ms']:.2f} ms")
    mine, theirs = [o["cpu_ms"] for o in ours], [t["cpu_ms"] for t in torch]
    ratio = [a / b for a, b in zip(mine, theirs)]
    share = [100 * o["share_of_peak"] for o in ours]
    gflops = statistics.median(o["gflops"] for o in ours)
    rows = [[f"Quadrille ({ours[0]['device']})", span(mine), f"{gflops:.0f}",
             f"{span(share, 0)} %"],
            [f"PyTorch {torch[0]['torch']}, OpenBLAS {torch_kernels()}", span(theirs), "", ""],
            ["ratio, pair by pair", span(ratio), "", ""]]
    return (f"MLP pair, batch 100, one thread; {ROUNDS} alternating rounds; CPU milliseconds a "
            "step, min / median / max of the rounds' medians.\n\n"
            + table(["", "CPU ms", "GFLOP/s", "share of the FMA peak"], rows)
            + "\n\nWanted: a ratio of at most 0.5 and 70 % of the peak. Reached: "
            f"{statistics.median(ratio):.2f} and {statistics.median(share):.0f} %.")


def gemm_table():
    shapes = run_json([peer(), "bench", "gemm", "--seconds", 1, "--json"])["shapes"]
    kernels = list(dict.fromkeys(s["kernel"] for s in shapes))
    shares = {(s["shape"], s["kernel"]): s["share_of_peak"] for s in shapes}
    rows = [[name] + [f"{100 * shares[name, kernel]:.0f} %" for kernel in kernels]
            for name in dict.fromkeys(s["shape"] for s in shapes)]
    return "Share of the FMA peak of one core.\n\n" + table(["product", *kernels], rows)


def generation(rows, columns, threads):
    """Wall and CPU seconds of a generation of the grid: a run of three less a run of one."""
    figures = []
    for count in (1, 3):
        with tempfile.TemporaryDirectory() as out:
            figures.append(run_measured([
                peer(), "examples/mnist-3x3-neurips2018.toml", "--out", out + "/run",
                "--threads", threads,
                "--set", f"grid.rows={rows}", "--set", f"grid.columns={columns}",
                "--set", f"run.generations={count}", "--set", "output.sheet_every=0"]))
    each = {key: (figures[1][key] - figures[0][key]) / 2 for key in ("wall", "cpu")}
    say(f"  {rows}x{columns}: {each['wall']:.2f} s wall, {each['cpu']:.2f} s of CPU")
    return each | {"memory": figures[1]["memory"]}


def train_the_classifier():
    """Once, into its cache: the first run to want it would else be the slower by its training."""
    with tempfile.TemporaryDirectory() as out:
        run([peer(), "examples/mnist-3x3-neurips2018.toml", "--out", out + "/run",
             "--set", "grid.rows=1", "--set", "grid.columns=1", "--set", "run.generations=1"])


def generation_table(peak):
    train_the_classifier()
    scale = PUBLISHED_PEAK / peak
    one = [generation(1, 1, 1) for _ in range(3)]
    four = [generation(2, 2, 2) for _ in range(3)]

    def row(name, runs, cells, wanted, original):
        cpu = span([r["cpu"] / cells for r in runs]) + (" per cell" if cells > 1 else "")
        memory = max(r["memory"] for r in runs)
        return [name, span([r["wall"] for r in runs]), cpu, f"{memory:.0f}", wanted, original]

    rows = [row("1x1, one thread, a generation", one, 1, f"{2 * scale:.1f} s of one core",
                "8.46 s"),
            row("2x2, two threads, a generation of all four cells", four, 4,
                f"{5 * scale:.1f} s wall, {2.3 * scale:.1f} CPU s per cell, 200 MB",
                "24.2 s wall, 12.2 CPU s per cell, 4 x 650 MB")]
    head = ["", "wall s", "CPU s", "peak memory MB", "wanted, scaled to this peak", "the original"]
    return ("Published MNIST settings (600 generator and 300 discriminator updates of batch 100), "
            "everything included: fitness, mixture with its score, exchange, a checkpoint every "
            "generation. min / median / max of 3 runs.\n\n" + table(head, rows)
            + "\n\nThe original's figures and the wanted ones were stated for a core with a peak "
            f"of {PUBLISHED_PEAK:.0f} GFLOP/s; this one has {peak:.0f}: the wanted ones are "
            f"multiplied by {scale:.2f}.")


def benchmarks(module, *flags):
    """What a Google Benchmark executable measured, by name."""
    report = run_json([bench_program(module), *BENCH_FLAGS, *flags])
    return {b["name"]: b for b in report["benchmarks"]}


def gigabytes(bench):
    return bench["bytes_per_second"] / 1e9


def codec_table():
    found = benchmarks("codec")
    copy = gigabytes(found["memcpy"])
    rows = [[name, f"{gigabytes(b):.1f}", f"{gigabytes(b) / copy:.2f}"]
            for name, b in found.items() if "bytes_per_second" in b]
    return ("GB/s of fp32 in or out, one core, 2.2 MB; memcpy of the same buffer in the same run."
            "\n\n" + table(["", "GB/s", "of memcpy"], rows))


def time_text(bench):
    """CPU time, or wall time where that is what is measured, in the unit that it reads best in."""
    time = bench["real_time" if bench["name"].endswith("/real_time") else "cpu_time"]
    seconds = time * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}[bench["time_unit"]]
    for unit, size in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def data_table():
    found = benchmarks("data")
    held_against = {"gather_batch/100x784": "memcpy/196kB", "read_idx/plain": "memcpy/7.8MB",
                    "read_idx/gz": "memcpy/7.8MB", "fingerprint": "memcpy/7.8MB"}
    rows = []
    for name, bench in found.items():
        rate = f"{gigabytes(bench):.1f}" if "bytes_per_second" in bench else ""
        copy = held_against.get(name)
        share = f"{gigabytes(bench) / gigabytes(found[copy]):.2f} of {copy}" if copy else ""
        rows.append([name, time_text(bench), rate, share])
    return ("One thread; GB/s of bytes moved, read and written: memcpy of n bytes moves 2 n. Files "
            "come from the page cache and hold 10,000 images of 28x28 that gzip halves.\n\n"
            + table(["", "CPU time", "GB/s", "beside memcpy"], rows))


def base_table():
    found = benchmarks("base")
    device = benchmarks("compute", "--benchmark_filter=^(memcpy|normals|uniforms)/")
    copy = found["memcpy/256kB"]
    rows = []
    for name, bench in {**found, **{f"backend, {n}": b for n, b in device.items()}}.items():
        rate = f"{gigabytes(bench):.2f}" if "bytes_per_second" in bench else ""
        share = f"{gigabytes(bench) / gigabytes(copy):.3f}" if rate else ""
        numbers = f"{bench['items_per_second'] / 1e6:.0f}" if "items_per_second" in bench else ""
        rows.append([name.replace("/real_time", ""), time_text(bench), numbers, rate, share])
    return ("Random numbers on one thread, in CPU time, and the pool of threads, in wall time: the "
            "number behind its names is its threads, and what it counts are tasks. Streams are "
            "read by the host, one number after the other; the backend fills arrays.\n\n"
            + table(["", "time", "millions/s", "GB/s written", "of memcpy"], rows))
