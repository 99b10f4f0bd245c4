#!/usr/bin/env python3
"""Fills emptied cells of a table by scikit-learn and by `dbm impute`, and compares both with the truth.

Needs scikit-learn and pandas. A tenth of the known cells is emptied by a seed; all methods see the same table:

    scripts/impute_rivals.py --original T.csv --seed 1 --dbm target/release/dbm
    scripts/impute_rivals.py --original T.csv --emptied E.csv --methods logistic
    scripts/impute_rivals.py --summary docs/gaps.csv

- logistic: IterativeImputer, its default 10 rounds, with a LogisticRegression for each column
- forest: IterativeImputer with a random forest for each column
- dbm: `dbm impute` at its defaults, its own check (a second hidden tenth) included in the time

Columns are values to be guessed, so that numbers of many values (more than --levels) are cut at their median first; --levels 10 leaves those that
the command reads as levels.
Columns of names, numbers of the rows and single values are set aside. Prints one JSON object for each method: share right, log loss in nats per
cell (probabilities of at least 1e-6), how far probabilities are off (the mean over bins of confidence), how far exact ones would be off in as many
cells by chance, seconds.
"""

import argparse
import csv
import json
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer
from sklearn.linear_model import LogisticRegression

GAPS = ["", "?", "NA", "NaN", "null", "None", "-"]
LEAST = 1e-6
BINS = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99]


def read(path):
    header = None if ".data" in Path(path).name or path.endswith(".gz") else 0
    return pd.read_csv(path, dtype=str, keep_default_na=False, na_values=GAPS, header=header, skipinitialspace=True)


def prepared(table, levels):
    """Columns with values to guess, numbers of many values cut at their median."""
    kept = {}
    for name in table.columns:
        column, known = table[name], table[name].dropna()
        numbers = pd.to_numeric(known, errors="coerce")
        if known.nunique() < 2:
            continue
        if numbers.notna().all():
            if known.nunique() > 2 and known.nunique() == len(known):
                continue  # numbers of the rows
            if known.nunique() > levels:
                cut = (pd.to_numeric(column) > numbers.median()).map({True: "1", False: "0"})
                column = cut.where(column.notna())
        elif known.nunique() > 32:
            continue  # names
        kept[f"c{name}" if isinstance(name, int) else name] = column
    return pd.DataFrame(kept)


def emptied(table, seed, share):
    """The table with this share of its known cells missing; a column keeps every value it has."""
    random = np.random.default_rng(seed)
    hide = (random.random(table.shape) < share) & table.notna().to_numpy()
    for at, name in enumerate(table.columns):
        for value in table[name].dropna().unique():
            rows = np.flatnonzero((table[name] == value).to_numpy())
            if hide[rows, at].all():
                hide[rows[0], at] = False
    return table.mask(hide)


class Classifier:
    """A classifier of codes with the interface that IterativeImputer expects of an estimator; inputs of several values become one-hot."""

    def __init__(self, make):
        self.make = make

    def get_params(self, deep=True):
        return {"make": self.make}

    def set_params(self, **_):
        return self

    def encoded(self, x):
        x = x.round()
        hot = [x[:, [column]] == np.arange(levels) for column, levels in self.several]
        return np.hstack([x[:, self.two], *hot])

    def fit(self, x, y):
        most = x.round().max(axis=0).astype(int)
        self.two, self.several = most < 2, [(column, most[column] + 1) for column in np.flatnonzero(most >= 2)]
        self.only = y[0] if len(np.unique(y)) < 2 else None
        if self.only is None:
            self.model = self.make().fit(self.encoded(x), y.astype(int))
        return self

    def predict(self, x):
        return np.full(len(x), self.only) if self.only is not None else self.model.predict(self.encoded(x))

    def probabilities(self, x, levels):
        result = np.zeros((len(x), levels))
        if self.only is not None:
            result[:, int(self.only)] = 1.0
        else:
            result[:, self.model.classes_] = self.model.predict_proba(self.encoded(x))
        return result


def rival(make, original, gaps, rounds):
    """Probabilities of the truth and of the guess, and whether it is right, for every emptied cell; and the seconds."""
    levels = [sorted(original[name].dropna().unique()) for name in original.columns]
    codes = [{value: code for code, value in enumerate(values)} for values in levels]
    coded = lambda table: np.column_stack([table[name].map(codes[at]).to_numpy(float) for at, name in enumerate(table.columns)])
    truth, seen = coded(original), coded(gaps)
    started = time.monotonic()
    imputer = IterativeImputer(
        Classifier(make), initial_strategy="most_frequent", max_iter=rounds, random_state=0, skip_complete=True
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        filled = imputer.fit_transform(seen)
    last = imputer.imputation_sequence_[-seen.shape[1]:]
    steps = {step.feat_idx: step for step in last}
    found = {}
    for at, step in steps.items():
        rows = np.flatnonzero(np.isnan(seen[:, at]))
        if len(rows):
            found[at] = rows, step.estimator.probabilities(filled[rows][:, step.neighbor_feat_idx], len(levels[at]))
    seconds = time.monotonic() - started
    cells = []
    for at, (rows, probabilities) in found.items():
        asked = ~np.isnan(truth[rows, at])
        true, p = truth[rows, at][asked].astype(int), probabilities[asked]
        cells += zip(p[np.arange(len(p)), true], p.max(axis=1), p.argmax(axis=1) == true)
    return cells, seconds


def scores(cells):
    of_truth, of_guess, right = (np.array(values, float) for values in zip(*cells))
    bins = np.digitize(of_guess, BINS)
    off = sum(abs((of_guess - right)[bins == b].sum()) for b in range(len(BINS) + 1)) / len(right)
    # The mean of |X| for a normal X of this variance.
    chance = sum((2 / np.pi * (of_guess * (1 - of_guess))[bins == b].sum()) ** 0.5 for b in range(len(BINS) + 1)) / len(right)
    loss = -np.log(np.maximum(of_truth, LEAST))
    return {
        "cells": len(right), "right": right.mean(), "log_loss": loss.mean(), "error": loss.std() / len(loss) ** 0.5, "off": off,
        "chance": chance,
    }


def ours(command, original, gaps, options):
    with tempfile.TemporaryDirectory() as folder:
        files = {name: f"{folder}/{name}.csv" for name in ["gaps", "truth", "filled"]}
        gaps.to_csv(files["gaps"], index=False)
        original.to_csv(files["truth"], index=False)
        line = [command, "--json", "impute", "--data", files["gaps"], "--out", files["filled"], "--truth", files["truth"], *options]
        started = time.monotonic()
        output = subprocess.run(line, check=True, capture_output=True, text=True).stdout
        wall = time.monotonic() - started
        events = {event["event"]: event for event in map(json.loads, output.splitlines())}
        truth = events["truth"]
        chosen = events.get("fit", {}).get("chosen")
        return {
            "cells": truth["cells"], "right": truth["accuracy"], "log_loss": truth["log_loss"], "error": truth["log_loss_error"],
            "off": truth["calibration"]["error"], "chance": truth["calibration"]["error_by_chance"], "seconds": events["done"]["seconds"], "wall": wall,
            "recipe": chosen and f'{chosen["tried"][0]["options"]}, {chosen["steps"]} steps',
        }


def summary(path):
    """What a table of results says, as Markdown: means over the seeds, the best in bold, and on how many tables ours is at least level."""
    lines = pd.read_csv(path)
    methods = [method for method in ["dbm", "logistic", "forest"] if (lines["method"] == method).any()]
    means = lines.groupby(["table", "method"], sort=False)[["right", "log_loss", "off", "chance"]].mean()
    print("| Table | Rows | Columns | Seeds | " + " | ".join(f"{method}: right %, log loss, off % (by chance)" for method in methods) + " |")
    print("| --- " * (4 + len(methods)) + "|")
    level = {method: [] for method in methods if method != "dbm"}
    bold = lambda text, best: f"**{text}**" if best else text
    for table, of_table in lines.groupby("table", sort=False):
        here = means.loc[table].round(4)
        cells = []
        for method in methods:
            right, loss, off, chance = here.loc[method] if method in here.index else (0, 0, 0, 0)
            words = [bold(f"{100 * right:.1f}", right == here["right"].max()), bold(f"{loss:.3f}", loss == here["log_loss"].min())]
            cells.append(", ".join([*words, f"{100 * off:.1f} ({100 * chance:.1f})"]) if method in here.index else "")
            if method in level and method in here.index:
                seeds = of_table[of_table["method"] == method]["seed"]
                same = of_table[of_table["seed"].isin(seeds)].groupby("method")[["right", "log_loss"]].mean().round(4)
                level[method].append((same["right"]["dbm"] >= same["right"][method], same["log_loss"]["dbm"] <= same["log_loss"][method]))
        rows, columns = of_table.iloc[0][["rows", "columns"]]
        print(f"| {table} | {rows} | {columns} | {of_table['seed'].nunique()} | " + " | ".join(cells) + " |")
    for method, pairs in level.items():
        counts = [sum(right for right, _ in pairs), sum(loss for _, loss in pairs), sum(right and loss for right, loss in pairs)]
        print(f"\nAt least level with {method}, of {len(pairs)} tables: share right on {counts[0]}, log loss on {counts[1]}, both on {counts[2]}.")


MAKERS = {
    "logistic": lambda: LogisticRegression(max_iter=1000),
    "forest": lambda: RandomForestClassifier(n_estimators=100, min_samples_leaf=3, random_state=0),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--original")
    parser.add_argument("--summary", metavar="CSV", help="only print what a table of results says")
    parser.add_argument("--emptied", help="the same table with cells emptied, otherwise made by --seed and --share")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=float, default=0.1)
    parser.add_argument("--levels", type=int, default=2, help="numbers of more values are cut at their median")
    parser.add_argument("--rounds", type=int, default=10, help="of the chained methods")
    parser.add_argument("--methods", default="dbm,logistic,forest")
    parser.add_argument("--dbm", default="target/release/dbm")
    parser.add_argument("--csv", help="a table to which a line for each method is added")
    parser.add_argument("--options", default="", help="more options of `dbm impute`")
    asked = parser.parse_args()
    if asked.summary:
        return summary(asked.summary)
    if not asked.original:
        parser.error("--original: a table to fill is missing")
    original = prepared(read(asked.original), asked.levels)
    gaps = read(asked.emptied)[original.columns] if asked.emptied else emptied(original, asked.seed, asked.share)
    for method in asked.methods.split(","):
        if method == "dbm":
            result = ours(asked.dbm, original, gaps, asked.options.split())
        else:
            cells, seconds = rival(MAKERS[method], original, gaps, asked.rounds)
            result = {**scores(cells), "seconds": seconds}
        if asked.csv:
            new = not Path(asked.csv).exists()
            with open(asked.csv, "a", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                if new:
                    writer.writerow(["table", "rows", "columns", "seed", "method", "cells", "right", "log_loss", "log_loss_error", "off", "chance", "seconds"])
                numbers = [f"{result[name]:.4f}" for name in ["right", "log_loss", "error", "off", "chance"]] + [f"{result['seconds']:.1f}"]
                size = [len(original), len(original.columns)]
                writer.writerow([Path(asked.original).stem, *size, asked.seed, method, result["cells"], *numbers])
        print(json.dumps({"table": Path(asked.original).name, "method": method, **result}), flush=True)


if __name__ == "__main__":
    main()
