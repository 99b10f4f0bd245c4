"""UCD-LMI's step in PyTorch, written as one would: the rival that `./run bench compare` measures against.

The same work as `dbm bench`: 784-500-500 (or 784-1000-500) sign units, MNIST-sized binary data, batch 100, local search to a mode and one Gibbs sweep in both phases,
the first Metropolis proposal of the coupling (every proposal is rejected in a model of this size; one that is not is counted and its correction left out), marginalized
gradient, Adam at 1e-3, orthogonal start. Batched over the chains; chains that have converged stay in the batch, as is usual.

    python3 benches/pytorch_baseline.py --preset mnist-500 --threads 4 --steps 50 --json
"""

import argparse
import json
import statistics
import time

import torch

PRESETS = {"mnist-500": [784, 500, 500], "mnist-1000": [784, 1000, 500]}
SWEEPS = {"sweeps-500": [784, 500]}
SWEEP_CHAINS = 500
BATCH = 100
MAX_SWEEPS = 100  # units whose field is a rounding error from zero could flip for ever


class Dbm:
    def __init__(self, sizes):
        self.weights = [torch.nn.init.orthogonal_(torch.empty(a, b)) for a, b in zip(sizes, sizes[1:])]
        uniform = [torch.rand(n).clamp(1e-6, 1 - 1e-6) for n in sizes]
        self.biases = [0.5 * torch.log(u / (1 - u)) for u in uniform]
        self.sizes = sizes

    def field(self, l, state):
        a = self.biases[l].expand(state[0].shape[0], -1)
        if l > 0:
            a = torch.addmm(a, state[l - 1], self.weights[l - 1])
        if l + 1 < len(self.sizes):
            a = a + state[l + 1] @ self.weights[l].T
        return a

    def energy(self, state):
        e = -sum(s @ b for s, b in zip(state, self.biases))
        return e - sum(((state[l] @ w) * state[l + 1]).sum(1) for l, w in enumerate(self.weights))


def signs(field):
    return torch.where(field >= 0, 1.0, -1.0)


def draw(field):
    return torch.where(torch.rand_like(field) < torch.sigmoid(2 * field), 1.0, -1.0)


def sweep(model, state, even_first, clamped, rule):
    """Both parities, one after the other. One coin for the whole batch: a coin a chain, as dbm tosses, would cost PyTorch twice the products."""
    state = list(state)
    for parity in (0, 1) if even_first else (1, 0):
        for l in range(parity, len(model.sizes), 2):
            if not (clamped and l == 0):
                state[l] = rule(model.field(l, state))
    return state


def coin():
    return torch.rand(()).item() < 0.5


def uniform_state(model, n, visible):
    state = [torch.where(torch.rand(n, size) < 0.5, 1.0, -1.0) for size in model.sizes]
    if visible is not None:
        state[0] = visible
    return state


def phase(model, visible, sweeps):
    """Moments of -dE/dtheta: sums over the batch."""
    clamped = visible is not None
    state = uniform_state(model, BATCH, visible)
    even_first = coin()
    for t in range(1, MAX_SWEEPS + 1):
        new = sweep(model, state, even_first, clamped, signs)
        changed = any(not torch.equal(a, b) for a, b in zip(new, state))
        state = new
        if not changed:
            break
    sweeps.append(t)
    state = sweep(model, state, coin(), clamped, draw)
    proposal = uniform_state(model, BATCH, visible)
    accepted = torch.log(torch.rand(BATCH)) < model.energy(state) - model.energy(proposal)
    means = [torch.tanh(model.field(l, state)) for l in range(len(model.sizes))]
    if clamped:
        means[0] = visible
    weights = [
        0.5 * (state[l].T @ means[l + 1] + means[l].T @ state[l + 1]) for l in range(len(model.weights))
    ]
    biases = [0.5 * (s + m).sum(0) for s, m in zip(state, means)]
    return weights, biases, int(accepted.sum())


def time_sweeps(args):
    """Gibbs sweeps of 500 free chains of 784-500, hidden layer first, as `dbm bench --preset sweeps-500` makes them."""
    model = Dbm(SWEEPS[args.preset])
    state = uniform_state(model, SWEEP_CHAINS, None)
    times = []
    for run in range(args.runs + 1):  # the first is to warm up
        count = args.steps if run else args.warm_up
        started = time.perf_counter()
        for _ in range(count):
            state = sweep(model, state, False, False, draw)
        if run:
            times.append((time.perf_counter() - started) / count)
    tell(args, "sweep", statistics.median(times))


def tell(args, unit, seconds, **more):
    """Prints how long a step or a sweep takes."""
    result = {
        "name": "pytorch",
        "preset": args.preset,
        "threads": args.threads,
        "torch": torch.__version__,
        f"milliseconds_per_{unit}": 1e3 * seconds,
        f"{unit}s_per_second": 1 / seconds,
        **more,
    }
    words = f"{1e3 * seconds:.2f} ms a {unit} on {args.threads} threads, PyTorch {torch.__version__}"
    print(json.dumps(result) if args.json else words)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--preset", choices=[*PRESETS, *SWEEPS], default="mnist-500")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--warm-up", type=int, default=20)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--data", help="uint8 .npy of [n, 784] zeros and ones; random strokes without it")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(1)
    torch.set_grad_enabled(False)

    if args.preset in SWEEPS:
        time_sweeps(args)
        return
    model = Dbm(PRESETS[args.preset])
    if args.data:
        import numpy

        data = torch.from_numpy(numpy.load(args.data)).float() * 2 - 1
    else:
        # Blobs about as white as digits: what matters to the time is that searches are as long.
        base = torch.rand(50, 784) < 0.13
        data = torch.where(base[torch.randint(50, (5000,))] ^ (torch.rand(5000, 784) < 0.05), 1.0, -1.0)
    parameters = [torch.nn.Parameter(p) for p in model.weights + model.biases]
    model.weights, model.biases = parameters[: len(model.weights)], parameters[len(model.weights) :]
    optimizer = torch.optim.Adam(parameters, lr=1e-3)
    sweeps, accepted = [], 0

    def step():
        nonlocal accepted
        visible = data[torch.randint(len(data), (BATCH,))]
        positive, negative = phase(model, visible, sweeps), phase(model, None, sweeps)
        accepted += positive[2] + negative[2]
        for l, w in enumerate(model.weights):
            w.grad = (negative[0][l] - positive[0][l]) / BATCH
        for l, b in enumerate(model.biases):
            b.grad = (negative[1][l] - positive[1][l]) / BATCH
        optimizer.step()

    for _ in range(args.warm_up):
        step()
    times = []
    for _ in range(args.runs):
        started = time.perf_counter()
        for _ in range(args.steps):
            step()
        times.append((time.perf_counter() - started) / args.steps)
    longest = statistics.mean(sweeps)
    tell(args, "step", statistics.median(times), mean_longest_search=longest, proposals_accepted=accepted)


if __name__ == "__main__":
    main()
