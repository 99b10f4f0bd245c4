"""Scores samples and completions of MNIST digits with a small classifier. Needs numpy and torch; not part of the tests.

    dbm sample   --model M --count 2000 --seed 5 --out samples.npy
    dbm complete --model M --data MNIST --count 10000 --mask lower-half --answers 4 --out completions.npy
    python scripts/score.py MNIST samples.npy completions.npy

Prints, for samples, how many are distinct, how the classifier sorts them, and the Frechet distance to training digits in its features
(a measure of our own, not FID); for completions of the lower half, how many of the bits are as in the truth, and how often
the classifier reads the true digit; the same for the nearest training digit, by the upper half.
"""

import gzip
import sys
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

UNKNOWN = slice(392, 784)  # the lower half


def idx(path, header):
    return np.frombuffer(gzip.open(path).read(), np.uint8)[header:]


def load(folder, prefix):
    images = idx(folder / f"{prefix}-images-idx3-ubyte.gz", 16).reshape(-1, 784) > 127
    return images.astype(np.float32), idx(folder / f"{prefix}-labels-idx1-ubyte.gz", 8).astype(np.int64)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 32, 3, padding=1), nn.Conv2d(32, 64, 3, padding=1)
        self.hidden, self.out = nn.Linear(64 * 49, 128), nn.Linear(128, 10)

    def features(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x.view(-1, 1, 28, 28))), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return F.relu(self.hidden(x.flatten(1)))

    def forward(self, x):
        return self.out(F.dropout(self.features(x), 0.3, self.training))


def train(images, labels, epochs=2):
    torch.manual_seed(0)
    net = Classifier()
    optimizer = torch.optim.Adam(net.parameters(), 1e-3)
    x, y = torch.tensor(images), torch.tensor(labels)
    for _ in range(epochs):
        for rows in torch.randperm(len(x)).split(200):
            optimizer.zero_grad()
            F.cross_entropy(net(x[rows]), y[rows]).backward()
            optimizer.step()
    return net.eval()


@torch.no_grad()
def batched(function, images):
    return torch.cat([function(part) for part in torch.tensor(images.astype(np.float32)).split(1000)]).numpy()


def frechet(a, b):
    (mean_a, cov_a), (mean_b, cov_b) = [(x.mean(0), np.cov(x.T)) for x in (a.astype(np.float64), b.astype(np.float64))]
    roots = np.sqrt(np.maximum(np.linalg.eigvals(cov_a @ cov_b).real, 0)).sum()
    return ((mean_a - mean_b) ** 2).sum() + np.trace(cov_a) + np.trace(cov_b) - 2 * roots


def main():
    folder, samples, answers = Path(sys.argv[1]), np.load(sys.argv[2]), np.load(sys.argv[3])
    (images, labels), (truth, digits) = load(folder, "train"), load(folder, "t10k")
    net = train(images, labels)

    def read(x):
        return batched(lambda part: net(part).argmax(1), x)

    def features(x):
        return batched(net.features, x)

    print(f"classifier: {(read(truth) == digits).mean():.3f} of whole test digits read right")
    reference = features(images[:20000])
    print(f"2000 test digits: Frechet distance {frechet(features(truth[:2000]), reference):.1f}")
    distinct = len(np.unique(samples, axis=0))
    counts = np.bincount(read(samples), minlength=10).tolist()
    print(f"{len(samples)} samples: {distinct} distinct, read as 0..9 {counts}, Frechet distance {frechet(features(samples), reference):.1f}")

    n, k, _ = answers.shape
    truth, digits = truth[:n], digits[:n]
    right = read(answers.reshape(n * k, 784)).reshape(n, k) == digits[:, None]
    agree = (answers[:, :, UNKNOWN] == truth[:, None, UNKNOWN]).mean()
    different = np.mean([len(np.unique(a, axis=0)) for a in answers])
    print(f"{n} x {k} completions: {agree:.3f} of the bits as in the truth, {right.mean():.3f} read right, "
          f"{right.any(1).mean():.3f} in at least one answer, {different:.1f} distinct of {k}")
    upper, mine = images[:, :392], truth[:, :392]
    nearest = truth.copy()
    for rows in np.array_split(np.arange(n), max(1, n // 500)):
        # Hamming distance, but for a part that is the same for all training digits
        distance = upper.sum(1)[None] - 2 * mine[rows] @ upper.T
        nearest[rows, UNKNOWN] = images[distance.argmin(1), UNKNOWN]
    print(f"nearest neighbour: {(nearest[:, UNKNOWN] == truth[:, UNKNOWN]).mean():.3f} of the bits, {(read(nearest) == digits).mean():.3f} read right")


if __name__ == "__main__":
    main()
