"""
Computes PSI and drift scores by the definition of contract 9, independently of the service, and writes psi-cases.json
(one feature, with its bins) and report-cases.json (whole sets, with components) beside this file.
Needs numpy and scipy; run by hand after a change:

  python3 test/unit/sidecar/psi_cases.py && npx biome format --write test/unit/sidecar/*.json

  edges   numpy.unique(numpy.quantile(reference, [0.1, ..., 0.9]))    linear interpolation, equal edges merged
  bin     (a, b], outer bins open:  numpy.searchsorted(edges, value, side="left")
  bins    the numeric ones, each distinct string, and "missing" when either set misses a value
  share   count / rows, and 1e-4 where that is exactly 0; nothing is renormalised
  PSI     sum over bins of (p - q) * ln(p / q)
  noise   99.9 % quantile of PSI without drift, Bonferroni-corrected: scipy's chi-square quantile times (1/N + 1/M)
          where each bin has an expected count of 20 in both sets, else the quantile over 200,000 random splits
  jensenShannon  scipy.spatial.distance.jensenshannon(p, q, base=2) over the shares of the bins
  wasserstein    scipy.stats.wasserstein_distance of the numbers, divided by numpy.std of the reference
  outOfRange     share of the current numbers outside [min, max] of the reference
  score   the largest of: weighted mean of min(1, PSI) over the features, min(1, PSI) of the prediction, and of the
          residual; a PSI not above its noise counts 0; a component is left out where its noise is above the threshold
          and its PSI not above the noise, and with fewer than 30 rows in a set; so are the features where that is true
          of more than half of the weight and the mean is not above the threshold
"""
import json
import pathlib

import numpy as np
from scipy import stats
from scipy.spatial.distance import jensenshannon

THRESHOLD = 0.2
rng = np.random.default_rng(20261121)


def is_number(v):
    return isinstance(v, (int, float))


def counts(values, edges, categories):
    numbers = np.array([v for v in values if is_number(v)], dtype=float)
    numeric = np.bincount(np.searchsorted(edges, numbers, side="left"), minlength=len(edges) + 1)
    strings = [sum(1 for v in values if v == category) for category in categories]
    return np.concatenate([numeric, strings, [sum(1 for v in values if v is None)]]).astype(float)


def compare(reference, current):
    """Returns the edges and, for each bin, its name, its counts and its contribution."""
    numbers = [v for v in reference if is_number(v)]
    edges = np.unique(np.quantile(numbers, np.arange(1, 10) / 10)) if numbers else np.array([])
    categories = sorted({v for v in reference + current if isinstance(v, str)})
    before, now = counts(reference, edges, categories), counts(current, edges, categories)
    p, q = before / len(reference), now / len(current)
    p, q = np.where(p == 0, 1e-4, p), np.where(q == 0, 1e-4, q)
    parts = np.where((before > 0) | (now > 0), (p - q) * np.log(p / q), 0)
    numeric = any(is_number(v) for v in reference + current)
    names = [f"bin {n}" for n in range(len(edges) + 1)] + [f"category {c}" for c in categories] + ["missing"]
    bins = [
        [name, int(b), int(n), float(part)]
        for name, b, n, part in zip(names, before, now, parts)
        if (numeric if name.startswith("bin") else b + n > 0)
    ]
    return [float(edge) for edge in edges], bins


def psi(reference, current):
    return float(np.sum([part for *_, part in compare(reference, current)[1]]))


def values(reference, current):
    a, b = (np.array([v for v in sample if is_number(v)], dtype=float) for sample in (reference, current))
    if len(a) == 0 or len(b) == 0:
        return {"wasserstein": None, "outOfRange": None}
    deviation = float(np.std(a))
    return {
        "wasserstein": float(stats.wasserstein_distance(a, b)) / deviation if deviation > 0 else None,
        "outOfRange": float(np.mean((b < a.min()) | (b > a.max()))),
    }


def noise(bins, comparisons):
    before, now = (np.array([bin[i] for bin in bins]) for i in (1, 2))
    before, now = before[before + now > 0], now[before + now > 0]
    pooled, sizes = before + now, np.array([before.sum(), now.sum()])
    alpha = 0.001 / comparisons
    if len(pooled) < 2:
        return 0.0
    if (np.outer(pooled, sizes / sizes.sum()) >= 20).all():
        return float(stats.chi2.isf(alpha, len(pooled) - 1) * (1 / sizes).sum())
    split = np.random.default_rng(1).multivariate_hypergeometric(pooled, sizes[1], 200_000)
    p, q = (pooled - split) / sizes[0], split / sizes[1]
    p, q = np.where(p == 0, 1e-4, p), np.where(q == 0, 1e-4, q)
    return float(np.quantile(((p - q) * np.log(p / q)).sum(axis=1), 1 - alpha))


def lacks_rows(rows, value, floor, threshold):
    return min(rows) < 30 or (floor > threshold and value <= floor)


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



def case(name, reference, current):
    edges, bins = compare(reference, current)
    floor = noise(bins, 3)  # with the prediction and the residual
    lacks = lacks_rows((len(reference), len(current)), psi(reference, current), floor, THRESHOLD)
    return {
        "name": name,
        "psi": psi(reference, current),
        "noise": floor,
        "insufficientData": lacks,
        "jensenShannon": float(jensenshannon(*(np.array([bin[i] for bin in bins], dtype=float) for i in (1, 2)), base=2)),
        **values(reference, current),
        "edges": edges,
        "bins": bins,
        "reference": reference,
        "current": current,
    }


def residuals(sample):
    return [None if y is None else x - y for x, y in zip(sample["prediction"], sample["outcome"])]


def report(name, reference, current, settings):
    """`settings` maps a feature to its weight and threshold, None for the defaults."""
    rows = {"reference": len(reference["prediction"]), "current": len(current["prediction"])}
    pairs = {feature: (reference["features"][feature], current["features"][feature]) for feature in reference["features"]}
    pairs["prediction"] = reference["prediction"], current["prediction"]
    pairs["residual"] = residuals(reference), residuals(current)
    scores = {feature: psi(*pair) for feature, pair in pairs.items()}
    floors = {feature: noise(compare(*pair)[1], len(pairs)) for feature, pair in pairs.items()}
    weight = lambda feature: settings.get(feature, [1, None])[0]
    threshold = lambda feature: settings.get(feature, [1, None])[1] or THRESHOLD
    lacking = {f for f in pairs if lacks_rows(rows.values(), scores[f], floors[f], threshold(f))}
    counted = {f: min(1, scores[f]) if scores[f] > floors[f] and f not in lacking else 0 for f in pairs}

    def component(features):
        features = [f for f in features if weight(f) > 0]
        if not features:
            return None
        mean = float(np.average([counted[f] for f in features], weights=[weight(f) for f in features]))
        lost = sum(weight(f) for f in features if f in lacking) / sum(weight(f) for f in features)
        return None if lost > 0.5 and mean <= THRESHOLD else mean

    components = {
        "features": component(reference["features"]),
        "prediction": component(["prediction"]),
        "outcome": component(["residual"]),
    }
    drifted = [f for f in pairs if f not in lacking and scores[f] > max(floors[f], threshold(f))]
    score = max([0, *(c for c in components.values() if c is not None)])
    parts = [[f for f in reference["features"] if weight(f) > 0], ["prediction"], ["residual"]]
    lacks = any(sum(weight(f) for f in part if f in lacking) > sum(map(weight, part)) / 2 for part in parts)
    return {
        "name": name,
        "settings": [{"feature": f, "weight": w, "threshold": t} for f, (w, t) in settings.items()],
        "rows": rows,
        "scores": scores,
        "noise": floors,
        "insufficientData": lacks and score <= THRESHOLD,
        "components": components,
        "driftScore": score,
        "drifted": drifted,
        "reference": reference,
        "current": current,
    }


def sample(size, shift=0.0, outcome_shift=0.0):
    """Rows as columns: a numeric, a categorical and a constant feature, one with missing values, and one that shifts."""
    prediction = normal(size)
    return {
        "features": {
            "calm": normal(size),
            "constant": [3] * size,
            "gaps": with_missing(normal(size), 0.2 + shift / 4),
            "shifted": normal(size, mean=shift),
            "source": pick(["ads", "mail", "web"], [0.5, 0.3, 0.2], size),
        },
        "prediction": prediction,
        "outcome": with_missing([round(p + outcome_shift + e, 4) for p, e in zip(prediction, normal(size))], 0.1),
    }


reports = [
    report("no settings", sample(400), sample(300, shift=1.0), {}),
    report(
        "weights and thresholds",
        sample(400),
        sample(300, shift=1.0),
        {"shifted": [12, 40.0], "calm": [0, None], "source": [0.25, 0.001], "residual": [1, 3.0]},
    ),
    report("an outcome that diverges", sample(120), sample(120, outcome_shift=4.0), {"calm": [2, None]}),
    report("too few rows for most features", sample(100), sample(90, shift=3.0), {"calm": [2, None]}),
    report("no feature with a weight", sample(40), sample(40, shift=2.0), {f: [0, None] for f in sample(1)["features"]}),
    report("fewer than 30 rows", sample(29), sample(60, shift=3.0), {"shifted": [5, 0.1]}),
]


def write(name, items):
    lines = ",\n".join(json.dumps(item) for item in items)
    pathlib.Path(__file__).with_name(name).write_text(f"[\n{lines}\n]\n")


write("psi-cases.json", [case(name, reference, current) for name, (reference, current) in cases.items()])
write("report-cases.json", reports)
