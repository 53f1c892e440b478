"""
Computes the scores of the samples with which `sidecar check` verifies a sidecar (known-samples.ts), by the definition of
contract 9 and independently of the service. Needs numpy; run by hand after a change of the samples:

  python3 test/unit/sidecar/known_scores.py
"""
import numpy as np

ROWS = 400


def shares(values, edges, words):
    numbers = [v for v in values if isinstance(v, (int, float))]
    counts = list(np.bincount(np.searchsorted(edges, numbers, side="left"), minlength=len(edges) + 1))
    counts += [values.count(word) for word in words] + [values.count(None)]
    return np.array(counts) / len(values)


def psi(reference, current):
    numbers = [v for v in reference if isinstance(v, (int, float))]
    edges = np.unique(np.quantile(numbers, np.arange(1, 10) / 10)) if numbers else np.array([])
    words = sorted({v for v in reference + current if isinstance(v, str)})
    p, q = shares(reference, edges, words), shares(current, edges, words)
    p, q = p[(p > 0) | (q > 0)], q[(p > 0) | (q > 0)]
    p, q = np.where(p == 0, 1e-4, p), np.where(q == 0, 1e-4, q)
    return float(np.sum((p - q) * np.log(p / q)))


rows = range(ROWS)
outcomes = [i % 2 for i in rows], [None if i % 8 == 7 else 1 if i % 3 == 0 else i % 2 for i in rows]
predictions = [i / ROWS for i in rows], [(i * i) / (ROWS * ROWS) for i in rows]
residuals = [[None if y is None else x - y for x, y in zip(p, o)] for p, o in zip(predictions, outcomes)]
print("visits", psi([None if i % 20 == 19 else i for i in rows], [None if i % 5 == 4 else i + 32.5 for i in rows]))
print("source", psi(["mail" if i % 2 else "ads" for i in rows], ["ads" if i % 4 else "mail" for i in rows]))
print("prediction", psi(*predictions))
print("residual", psi(*residuals))
