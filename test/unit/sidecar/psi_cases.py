"""
Works out PSI by contract 9's definition, independently of the service, and writes psi-cases.json beside this file.
Needs numpy; run by hand after a change:

  python3 test/unit/sidecar/psi_cases.py && npx biome format --write test/unit/sidecar/psi-cases.json

  edges   numpy.unique(numpy.quantile(reference, [0.1, ..., 0.9]))    linear interpolation, equal edges merged
  bin     (a, b], outer bins open:  numpy.searchsorted(edges, value, side="left")
  bins    the numeric ones, each distinct string, and "missing" when either set misses a value
  share   count / rows, and 1e-4 where that is exactly 0; nothing is renormalised
  PSI     sum over bins of (p - q) * ln(p / q)
"""
import json
import pathlib

import numpy as np

rng = np.random.default_rng(20261121)


def counts(values, edges, categories):
    numbers = np.array([v for v in values if isinstance(v, (int, float))], dtype=float)
    numeric = np.bincount(np.searchsorted(edges, numbers, side="left"), minlength=len(edges) + 1)
    strings = [sum(1 for v in values if v == category) for category in categories]
    return np.concatenate([numeric, strings, [sum(1 for v in values if v is None)]]).astype(float)


def psi(reference, current):
    numbers = [v for v in reference if isinstance(v, (int, float))]
    edges = np.unique(np.quantile(numbers, np.arange(1, 10) / 10)) if numbers else np.array([])
    categories = sorted({v for v in reference + current if isinstance(v, str)})
    p = counts(reference, edges, categories) / len(reference)
    q = counts(current, edges, categories) / len(current)
    used = (p > 0) | (q > 0)
    p, q = np.where(p == 0, 1e-4, p)[used], np.where(q == 0, 1e-4, q)[used]
    return float(np.sum((p - q) * np.log(p / q)))


def normal(size, mean=0.0, deviation=1.0):
    return [round(float(v), 4) for v in rng.normal(mean, deviation, size)]


def whole(values):
    return [int(v) for v in values]


def with_missing(values, share):
    return [None if rng.random() < share else v for v in values]


def pick(names, weights, size):
    return [str(v) for v in rng.choice(names, size, p=weights)]


base = normal(200)
cases = {
    "equal samples": (base, list(reversed(base))),
    "two samples of one distribution": (base, normal(150)),
    "the mean has shifted": (base, normal(200, mean=1.0)),
    "the variance has shifted": (base, normal(200, deviation=2.5)),
    "all current values above the reference": (base, normal(100, mean=50.0)),
    "a constant that stays": ([3] * 60, [3] * 40),
    "a constant that goes up": ([3] * 60, [4] * 40),
    "a constant that goes down": ([3] * 60, [2] * 40),
    "values on the edges themselves": (whole(range(11)) * 5, whole(range(0, 11, 2)) * 8),
    "missing values in both": (with_missing(base, 0.1), with_missing(normal(180), 0.3)),
    "missing values in the current set alone": (base, with_missing(normal(200), 0.25)),
    "missing values in the reference alone": (with_missing(base, 0.25), normal(200)),
    "a reference without any value": ([None] * 50, normal(50)),
    "a current set without any value": (base, [None] * 50),
    "categories with other shares": (
        pick(["ads", "mail", "web"], [0.5, 0.3, 0.2], 200),
        pick(["ads", "mail", "web"], [0.3, 0.3, 0.4], 150),
    ),
    "a new category": (
        pick(["ads", "mail"], [0.6, 0.4], 120),
        pick(["ads", "mail", "chat"], [0.4, 0.4, 0.2], 120),
    ),
    "a vanished category": (
        pick(["ads", "mail", "fax"], [0.5, 0.4, 0.1], 120),
        pick(["ads", "mail"], [0.5, 0.5], 120),
    ),
    "categories and missing values": (
        with_missing(pick(["a", "b"], [0.5, 0.5], 100), 0.2),
        with_missing(pick(["a", "c"], [0.5, 0.5], 100), 0.05),
    ),
    "tiny samples": ([1.5, 2.5, 4], [2, 3, 5, 7, None]),
    "one row each": ([1], [2]),
    "counts in whole numbers": (whole(rng.poisson(2.0, 300)), whole(rng.poisson(2.6, 250))),
    "mostly zeros": (
        whole(rng.poisson(5.0, 200) * (rng.random(200) < 0.2)),
        whole(rng.poisson(5.0, 200) * (rng.random(200) < 0.35)),
    ),
    "heavy tails": (
        [round(float(v), 4) for v in rng.standard_t(1.2, 250)],
        [round(float(v) * 1.5, 4) for v in rng.standard_t(1.2, 250)],
    ),
    "very large and very small numbers": (
        [float(f"{v:.6g}") for v in 10 ** rng.uniform(-300, 299, 150)],
        [-float(f"{v:.6g}") for v in 10 ** rng.uniform(-300, 299, 150)],
    ),
    "numbers and strings in one feature": (
        [*normal(100), *pick(["n/a", "unknown"], [0.7, 0.3], 30)],
        [*normal(100, mean=0.5), *pick(["n/a", "other"], [0.5, 0.5], 40), None],
    ),
}

lines = [
    json.dumps({"name": name, "psi": psi(reference, current), "reference": reference, "current": current})
    for name, (reference, current) in cases.items()
]
target = pathlib.Path(__file__).with_name("psi-cases.json")
target.write_text("[\n" + ",\n".join(lines) + "\n]\n")
