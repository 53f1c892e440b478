/** Samples for the sidecar that are the same in every process: each row is worked out from its number alone. */
export const FEATURES = 20;
export const NAMES = Array.from({ length: FEATURES }, (_, feature) => `feature_${feature}`);

export type SampleSet = 'reference' | 'current';

/** Uniform numbers from a seed (mulberry32). */
function uniform(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * Fills `values` with a row: uniform, bell-shaped, counted, heavy-tailed features and some with missing values (`NaN`),
 * the current ones a little higher; then prediction and outcome.
 */
export function fillRow(values: Float64Array, set: SampleSet, row: number): void {
  const next = uniform(row * 2 + (set === 'current' ? 1 : 0));
  const shift = set === 'current' ? 0.1 : 0;
  for (let feature = 0; feature < FEATURES; feature += 1) {
    const u = next();
    const kind = feature % 5;
    let value = u + shift;
    if (kind === 1) value += next() + next() + next() - 2;
    else if (kind === 2) value = Math.floor(-4 * Math.log(1 - u) + shift);
    else if (kind === 3) value = Math.tan(Math.PI * (u - 0.5)) + shift;
    else if (kind === 4 && u < 0.05 + shift) value = Number.NaN;
    values[feature] = Math.round(value * 1e9) / 1e9;
  }
  values[FEATURES] = Math.round(next() * 1e6) / 1e6;
  values[FEATURES + 1] = next() < 0.3 ? 1 : 0;
}
