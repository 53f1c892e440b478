import type { Row } from './support.ts';

type Value = number | string | null;

/** Inner edges by the definition of contract 9: quantiles by linear interpolation over the sorted values. */
function edgesOf(values: readonly Value[]): number[] {
  const sorted = values.filter((value) => typeof value === 'number').sort((a, b) => a - b);
  if (sorted.length === 0) return [];
  const last = sorted.length - 1;
  const edges = Array.from({ length: 9 }, (_, index) => {
    const tenths = last * (index + 1);
    const below = sorted[Math.floor(tenths / 10)] as number;
    const above = sorted[Math.min(last, Math.floor(tenths / 10) + 1)] as number;
    const fraction = (tenths % 10) / 10;
    return fraction < 0.5 ? below + (above - below) * fraction : above - (above - below) * (1 - fraction);
  });
  return [...new Set(edges)];
}

/** Computes the PSI of one feature from all values at once. */
export function batchPsi(reference: readonly Value[], current: readonly Value[]): number {
  const edges = edgesOf(reference);
  const binOf = (value: Value): string => {
    if (value === null) return 'missing';
    if (typeof value === 'string') return `category ${value}`;
    return `bin ${edges.filter((edge) => value > edge).length}`;
  };
  const sharesOf = (values: readonly Value[]): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const value of values) counts.set(binOf(value), (counts.get(binOf(value)) ?? 0) + 1);
    return new Map([...counts].map(([bin, count]) => [bin, count / values.length]));
  };
  const [p, q] = [sharesOf(reference), sharesOf(current)];
  let sum = 0;
  for (const bin of new Set([...p.keys(), ...q.keys()])) {
    const [before, now] = [p.get(bin) ?? 1e-4, q.get(bin) ?? 1e-4];
    sum += (before - now) * Math.log(before / now);
  }
  return sum;
}

/** Computes the scores of all features, of the prediction and of the residual from all rows at once. */
export function batchScores(reference: readonly Row[], current: readonly Row[]): Map<string, number> {
  const names = new Set([...reference, ...current].flatMap(({ features }) => Object.keys(features)));
  const score = (pick: (row: Row) => Value): number => batchPsi(reference.map(pick), current.map(pick));
  return new Map([
    ...[...names].sort().map((name): [string, number] => [name, score((row) => row.features[name] ?? null)]),
    ['prediction', score(({ prediction }) => prediction)],
    ['residual', score(({ prediction, outcome }) => (outcome == null ? null : prediction - outcome))],
  ]);
}
