#!/usr/bin/python3
"""Write tests/golden/nn/torch_gan_steps.json: complete GAN training steps as PyTorch takes them.

tests/nn/torch_golden_test.cpp takes the same steps and compares every loss and every weight. The
file is committed; run this again only to pin something new, and read the difference. Needs Debian's
python3-torch:

    tools/setup --bench
    /usr/bin/python3 tools/write_torch_golden.py

What is pinned: a small pair of networks from one start, for each loss and each optimizer, two
steps; a step is the discriminator on real and generated rows, then the generator against the new
discriminator, each with fresh latent vectors. PyTorch computes in float64 from values that float32
holds exactly, so that the file has no rounding of its own. The latent vectors are made here from
the same Philox blocks by a second implementation, which pins those too.

A network is one flat list, layer after layer: W as (inputs, outputs), row by row, then b. (PyTorch
keeps the transpose, (outputs, inputs).)
"""
import json
import math
import os
import struct
import sys

try:
    import torch
    from torch import nn
    from torch.nn.functional import softplus
except ImportError:
    sys.exit("tools/write_torch_golden.py: PyTorch is not installed; install it with: "
             "tools/setup --bench")

LATENT, HIDDEN, SAMPLE, BATCH, STEPS = 4, 8, 6, 5, 2
LATENT_KEY = 0x5EED0FA11E57F00D
BLOCKS_PER_DRAW = -(-BATCH * LATENT // 4)
GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      "../tests/golden/nn/torch_gan_steps.json")

# loss: (discriminator on real, discriminator on fake, generator), of the logits
LOSSES = {
    "bce": (lambda y: softplus(-y), lambda y: softplus(y), lambda y: softplus(-y)),
    "least_squares": (lambda y: (y - 1) ** 2 / 2, lambda y: y ** 2 / 2,
                      lambda y: (y - 1) ** 2 / 2),
    "heuristic": (lambda y: softplus(-y), lambda y: softplus(y), lambda y: softplus(-y) / 2),
    "wasserstein": (lambda y: -y, lambda y: y, lambda y: -y),
    "hinge": (lambda y: torch.relu(1 - y), lambda y: torch.relu(1 + y), lambda y: -y),
}


def float32(value):
    """The nearest float32, as a float."""
    return struct.unpack("f", struct.pack("f", value))[0]


# The large epsilon tells where it stands in the formula, and keeps gradients that cancel to nothing
# from becoming steps of full size in a direction that only the rounding chose.
OPTIONS = {
    "sgd": {"learning_rate": float32(0.1)},
    "rmsprop": {"learning_rate": float32(0.01), "beta2": float32(0.9), "epsilon": float32(1e-3)},
    "adam": {"learning_rate": float32(0.01), "beta1": float32(0.5), "beta2": float32(0.999),
             "epsilon": float32(1e-3)},
}


def make_optimizer(kind, parameters):
    o = OPTIONS[kind]
    if kind == "sgd":
        return torch.optim.SGD(parameters, lr=o["learning_rate"])
    if kind == "rmsprop":
        return torch.optim.RMSprop(parameters, lr=o["learning_rate"], alpha=o["beta2"],
                                   eps=o["epsilon"])
    return torch.optim.Adam(parameters, lr=o["learning_rate"], betas=(o["beta1"], o["beta2"]),
                            eps=o["epsilon"])


def philox(key, index):
    """Philox4x32-10 (Salmon et al. 2011): four 32-bit words of block `index`."""
    c = [index & 0xFFFFFFFF, index >> 32, 0, 0]
    k0, k1 = key & 0xFFFFFFFF, key >> 32
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(p1 >> 32) ^ c[1] ^ k0, p1 & 0xFFFFFFFF, (p0 >> 32) ^ c[3] ^ k1, p0 & 0xFFFFFFFF]
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return c


def latents(first_block):
    """(BATCH, LATENT) normals by Box-Muller, two from each pair of words."""
    normals = []
    for block in range(first_block, first_block + BLOCKS_PER_DRAW):
        words = philox(LATENT_KEY, block)
        for u, angle in (words[0:2], words[2:4]):
            radius = math.sqrt(-2 * math.log((u + 1) * 2.0 ** -32))
            turn = 2 * math.pi * angle * 2.0 ** -32
            normals += [float32(radius * math.cos(turn)), float32(radius * math.sin(turn))]
    return torch.tensor(normals[:BATCH * LATENT], dtype=torch.float64).reshape(BATCH, LATENT)


def three_layers(inputs, outputs):
    return [nn.Linear(inputs, HIDDEN), nn.LeakyReLU(0.2), nn.Linear(HIDDEN, HIDDEN),
            nn.LeakyReLU(0.2), nn.Linear(HIDDEN, outputs)]


def make_networks():
    """The pair at its start, enlarged so that activations bend and hinges close."""
    torch.manual_seed(7)  # logits on both sides of the hinges
    g = nn.Sequential(*three_layers(LATENT, SAMPLE), nn.Tanh())
    d = nn.Sequential(*three_layers(SAMPLE, 1))
    for network, scale in ((g, 2), (d, 4)):
        for p in network.parameters():
            p.data *= scale
    return g.double(), d.double()


def flat(network):
    values = []
    for layer in network:
        if isinstance(layer, nn.Linear):
            values += layer.weight.detach().T.flatten().tolist()
            values += layer.bias.detach().tolist()
    return values


def train(loss, optimizer, real):
    """The steps of one case: losses and weights after each."""
    on_real, on_fake, on_generated = LOSSES[loss]
    g, d = make_networks()
    opt_g = make_optimizer(optimizer, g.parameters())
    opt_d = make_optimizer(optimizer, d.parameters())
    steps = []
    for step in range(STEPS):
        with torch.no_grad():
            fake = g(latents(2 * step * BLOCKS_PER_DRAW))
        opt_d.zero_grad()
        real_loss, fake_loss = on_real(d(real[step])).mean(), on_fake(d(fake)).mean()
        (real_loss + fake_loss).backward()
        opt_d.step()
        opt_g.zero_grad()
        generated = g(latents((2 * step + 1) * BLOCKS_PER_DRAW))
        generator_loss = on_generated(d(generated)).mean()
        generator_loss.backward()
        opt_g.step()
        steps.append({"discriminator_loss": [real_loss.item(), fake_loss.item()],
                      "generator_loss": generator_loss.item(),
                      "discriminator": flat(d), "generator": flat(g)})
    return steps


def rounded(value):
    """Nine significant digits: more than float32 tells apart."""
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, list):
        return [rounded(v) for v in value]
    if isinstance(value, dict):
        return {k: rounded(v) for k, v in value.items()}
    return value


def main():
    torch.manual_seed(2)
    real = (torch.rand(STEPS, BATCH, SAMPLE) * 2 - 1).double()
    g, d = make_networks()
    golden = {
        "written_by": "tools/write_torch_golden.py", "torch": torch.__version__,
        "latent_size": LATENT, "hidden": HIDDEN, "sample_size": SAMPLE, "batch": BATCH,
        "latent_key": LATENT_KEY, "blocks_per_draw": BLOCKS_PER_DRAW,
        "first_latents": latents(0).flatten().tolist(),
        "real": [rows.flatten().tolist() for rows in real],
        "generator": flat(g), "discriminator": flat(d), "optimizers": OPTIONS,
        "cases": [{"loss": loss, "optimizer": optimizer, "steps": train(loss, optimizer, real)}
                  for loss in LOSSES for optimizer in OPTIONS],
    }
    with open(GOLDEN, "w", encoding="ascii") as out:
        head = {k: v for k, v in golden.items() if k != "cases"}
        lines = [json.dumps(rounded(head))[:-1] + ', "cases": [']
        lines += [",\n".join(json.dumps(rounded(case)) for case in golden["cases"]), "]}"]
        out.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
