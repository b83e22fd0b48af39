#!/usr/bin/python3
"""Times one GAN training step in PyTorch: what tools/bench holds `peer bench step` against.

The same networks (64-256-256-784 tanh and 784-256-256-1, LeakyReLU 0.2), batch, losses (BCE on
logits) and optimizer (Adam 2e-4, betas 0.5 and 0.999): a discriminator step on real and generated
rows, then a generator step with fresh latent vectors and the discriminator frozen. Needs Debian's
python3-torch.

Debian's OpenBLAS (libopenblas0-pthread; without it PyTorch runs on the reference BLAS, thirty times
slower) may take a new CPU for a very old one and then runs six times too slow; tools/bench names
good kernels in OPENBLAS_CORETYPE. Prints one JSON line with wall and CPU milliseconds a step.
"""
import argparse
import json
import statistics
import sys
import time

try:
    import torch
    from torch import nn
    from torch.nn.functional import binary_cross_entropy_with_logits as bce
except ImportError:
    sys.exit("tools/torch_gan_step.py: PyTorch is not installed; install it with: "
             "tools/setup --bench")


def networks():
    generator = nn.Sequential(nn.Linear(64, 256), nn.LeakyReLU(0.2), nn.Linear(256, 256),
                              nn.LeakyReLU(0.2), nn.Linear(256, 784), nn.Tanh())
    discriminator = nn.Sequential(nn.Linear(784, 256), nn.LeakyReLU(0.2), nn.Linear(256, 256),
                                  nn.LeakyReLU(0.2), nn.Linear(256, 1))
    return generator, discriminator


class Step:
    def __init__(self, batch):
        torch.manual_seed(0)
        self.batch = batch
        self.g, self.d = networks()
        adam = {"lr": 2e-4, "betas": (0.5, 0.999)}
        self.opt_g = torch.optim.Adam(self.g.parameters(), **adam)
        self.opt_d = torch.optim.Adam(self.d.parameters(), **adam)
        self.real = torch.rand(batch, 784) * 2 - 1
        self.one, self.zero = torch.ones(batch, 1), torch.zeros(batch, 1)

    def __call__(self):
        with torch.no_grad():
            fake = self.g(torch.randn(self.batch, 64))
        self.opt_d.zero_grad(set_to_none=True)
        (bce(self.d(self.real), self.one) + bce(self.d(fake), self.zero)).backward()
        self.opt_d.step()
        for p in self.d.parameters():
            p.requires_grad_(False)
        self.opt_g.zero_grad(set_to_none=True)
        bce(self.d(self.g(torch.randn(self.batch, 64))), self.one).backward()
        self.opt_g.step()
        for p in self.d.parameters():
            p.requires_grad_(True)


def main():
    ask = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ask.add_argument("--batch", type=int, default=100)
    ask.add_argument("--threads", type=int, default=1)
    ask.add_argument("--seconds", type=float, default=2.0)
    a = ask.parse_args()
    torch.set_num_threads(a.threads)
    step = Step(a.batch)
    for _ in range(5):
        step()
    wall, cpu, end = [], [], time.perf_counter() + a.seconds
    while time.perf_counter() < end or len(wall) < 5:
        w, c = time.perf_counter(), time.process_time()
        step()
        cpu.append((time.process_time() - c) * 1e3)
        wall.append((time.perf_counter() - w) * 1e3)
    spread = {"min": min(wall), "median": statistics.median(wall), "max": max(wall)}
    print(json.dumps({"step_ms": spread, "cpu_ms": statistics.median(cpu),
                      "torch": torch.__version__}))


if __name__ == "__main__":
    main()
