import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { compareSets } from '../../src/sidecar/psi/compare-sets.ts';
import { applySettings, type DriftReport } from '../../src/sidecar/psi/drift-report.ts';
import { type Histogram, quantileEdges, type SetHistograms } from '../../src/sidecar/psi/psi.ts';
import { type Aim, type Figure, single } from './support/report.ts';

const run = promisify(execFile);

const FEATURES = 8;
const NAMES = [...Array.from({ length: FEATURES }, (_, index) => `f${index}`), 'prediction', 'residual'];
const REFERENCE_ROWS = 10_000;
const THRESHOLD = 0.2;
/** Checks per cell without drift, and with drift. */
const CHECKS = { calm: 1_000, drifted: 300 };
/** Checks per cell that Evidently repeats on the same data; a report takes up to a second. */
const EVIDENTLY_CHECKS = 5;
const EVIDENTLY = ['evidently==0.7.23', 'pandas<3'];
const SCRIPT = fileURLToPath(new URL('./support/evidently_drift.py', import.meta.url));

/** Shares of checks in percent: of the whole data set, of any column, of the first column. */
interface EvidentlyRates {
  alarm: number;
  any: number;
  first: number;
}

interface Scenario {
  name: string;
  rows: readonly number[];
  checks: number;
  /** Shift of a column in standard deviations. */
  shift(column: number): number;
  rates: { name: string; counts(report: DriftReport): boolean; evidently: keyof EvidentlyRates; aim?: Aim }[];
}

/** Returns standard normal numbers (Box-Muller), the same at every run. */
function normals(seed: number): (count: number, shift: number) => Float64Array {
  const state = new Uint32Array([seed]);
  const uniform = (): number => {
    let x = state[0] as number;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    state[0] = x;
    return ((x >>> 0) + 0.5) / 4_294_967_296;
  };
  return (count, shift) => {
    const values = new Float64Array(count);
    for (let index = 0; index < count; index += 2) {
      const radius = Math.sqrt(-2 * Math.log(uniform()));
      const angle = 2 * Math.PI * uniform();
      values[index] = shift + radius * Math.cos(angle);
      if (index + 1 < count) values[index + 1] = shift + radius * Math.sin(angle);
    }
    return values;
  };
}

function histogramOf(values: Float64Array, edges: readonly number[]): Histogram {
  const bins = new Float64Array(edges.length + 1);
  for (const value of values) {
    let bin = 0;
    while (bin < edges.length && value > (edges[bin] as number)) bin += 1;
    bins[bin] = (bins[bin] as number) + 1;
  }
  return { rows: values.length, bins, categories: new Map() };
}

function edgesOf(values: Float64Array): number[] {
  const sorted = values.slice().sort();
  return quantileEdges(sorted.length, (ranks) => new Map(ranks.map((rank) => [rank, sorted[rank] ?? 0])));
}

const setOf = (columns: readonly Float64Array[], edges: readonly (readonly number[])[]): SetHistograms => ({
  rows: columns[0]?.length ?? 0,
  features: new Map(
    NAMES.map((name, column) => [
      name,
      histogramOf(columns[column] ?? new Float64Array(), edges[column] ?? []),
    ]),
  ),
});

/** Returns the shift of a normal distribution whose PSI in deciles is `target`. @param edges deciles, in deviations */
function shiftOfScore(target: number, edges: readonly number[], reference: Float64Array): number {
  const scoreOf = (shift: number): number => {
    const sets = [0, shift].map((by): SetHistograms => {
      const histogram = histogramOf(
        reference.map((value) => value + by),
        edges,
      );
      return { rows: histogram.rows, features: new Map([['x', histogram]]) };
    });
    return compareSets(sets[0] as SetHistograms, sets[1] as SetHistograms)[0]?.score ?? 0;
  };
  let [low, high] = [0, 2];
  while (high - low > 1e-4) {
    const middle = (low + high) / 2;
    if (scoreOf(middle) < target) low = middle;
    else high = middle;
  }
  return high;
}

/** Rates of alarms without drift, and of detection with drift, beside Evidently on the same data. */
export async function drift(): Promise<Figure[]> {
  const next = normals(20_261_123);
  const reference = NAMES.map(() => next(REFERENCE_ROWS, 0));
  const edges = reference.map(edgesOf);
  const referenceSet = setOf(reference, edges);
  const shifted = shiftOfScore(0.3, edges[0] ?? [], reference[0] ?? new Float64Array());
  const rest = [300, 1_000, 10_000];
  const scenarios: Scenario[] = [
    {
      name: 'no drift',
      rows: [30, 50, 100, 300, 1_000, 10_000],
      checks: CHECKS.calm,
      shift: () => 0,
      rates: [
        { name: 'alarm', counts: ({ isDrifted }) => isDrifted, evidently: 'alarm', aim: { atMost: 1 } },
        {
          name: 'any feature drifted',
          counts: ({ featureDrifts }) => featureDrifts.some(({ drifted }) => drifted),
          evidently: 'any',
          aim: { atMost: 1 },
        },
      ],
    },
    {
      name: 'prediction at a score of 0.3',
      rows: rest,
      checks: CHECKS.drifted,
      shift: (column) => (NAMES[column] === 'prediction' ? shifted : 0),
      rates: [
        { name: 'alarm', counts: ({ isDrifted }) => isDrifted, evidently: 'alarm', aim: { atLeast: 95 } },
      ],
    },
    {
      name: 'one feature shifted by 0.5 deviations',
      rows: rest,
      checks: CHECKS.drifted,
      shift: (column) => (column === 0 ? 0.5 : 0),
      rates: [
        {
          name: 'the feature significant',
          counts: ({ featureDrifts }) => featureDrifts[0]?.significant === true,
          evidently: 'first',
          aim: { atLeast: 95 },
        },
        {
          name: 'the feature drifted',
          counts: ({ featureDrifts }) => featureDrifts[0]?.drifted === true,
          evidently: 'first',
        },
      ],
    },
  ];

  const dir = await mkdtemp(join(tmpdir(), 'bench-drift-'));
  try {
    await writeFile(join(dir, 'reference.bin'), Buffer.concat(reference.map(bytesOf)));
    const figures: (Figure & { cell: number; evidently: keyof EvidentlyRates })[] = [];
    let cells = 0;
    for (const { name, rows: sizes, checks, shift, rates } of scenarios) {
      for (const rows of sizes) {
        const hits = rates.map(() => 0);
        const kept: Buffer[] = [];
        for (let check = 0; check < checks; check += 1) {
          const current = NAMES.map((_, column) => next(rows, shift(column)));
          if (check < EVIDENTLY_CHECKS) kept.push(...current.map(bytesOf));
          const report = applySettings(
            { featureDrifts: compareSets(referenceSet, setOf(current, edges)) },
            { threshold: THRESHOLD, features: [] },
          );
          for (const [index, { counts }] of rates.entries()) {
            if (counts(report)) hits[index] = (hits[index] ?? 0) + 1;
          }
        }
        await writeFile(join(dir, `${cells}-${rows}.bin`), Buffer.concat(kept));
        for (const [index, { name: rate, evidently, aim }] of rates.entries()) {
          const label = `${name}, ${rows} rows: ${rate}, % of ${checks} checks`;
          const value = (100 * (hits[index] ?? 0)) / checks;
          figures.push({ ...single(label, value, aim ?? null), cell: cells, evidently });
        }
        cells += 1;
      }
    }
    const rates = await evidentlyRates(dir);
    return figures.map(({ cell, evidently, ...figure }) => ({
      ...figure,
      baseline: rates?.[cell]?.[evidently] ?? null,
    }));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Float64Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);

/** Runs Evidently with its default methods and thresholds on the files of each cell; null if it cannot be installed. */
async function evidentlyRates(dir: string): Promise<EvidentlyRates[] | null> {
  const venv = join(dir, 'venv');
  try {
    await run('python3', ['-m', 'venv', venv], { timeout: 60_000 });
    await run(join(venv, 'bin', 'pip'), ['install', '--quiet', ...EVIDENTLY], { timeout: 240_000 });
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    process.stderr.write(`Evidently could not be installed, so it is left out: ${reason}\n`);
    return null;
  }
  const { stdout } = await run(join(venv, 'bin', 'python'), [SCRIPT, dir], { timeout: 600_000 });
  return JSON.parse(stdout) as EvidentlyRates[];
}
