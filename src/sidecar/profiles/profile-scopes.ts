import type { Partition } from '../samples/sample.store.ts';
import type { Distribution } from './value-distribution.ts';
import type { Windows } from './value-windows.ts';

/** The counts for one comparison: of all samples, or of one stage. */
export interface Scope {
  /** Windows of each feature. */
  windows: Map<string, Windows>;
  /** Counts by partition id. */
  tallies: Map<string, Tally>;
  /** The edges last computed, and the reference samples they were computed from (`basisOf`). */
  edgeCache: { basis: string; edges: Edges };
}

/** Inner bin edges of each feature; none for a feature without numbers in the reference. */
export type Edges = ReadonlyMap<string, readonly number[]>;

/** Counts of one partition in one scope. */
export interface Tally {
  set: Partition['set'];
  /** Number of the last block counted; blocks are counted in order. */
  batches: number;
  /** Oldest counted row, as in `Partition`: older rows were subtracted or never counted. */
  firstBatch: number;
  skippedRows: number;
  rows: number;
  features: Map<string, FeatureTally>;
}

export interface FeatureTally {
  /** Number of the last block that has the feature. */
  lastBatch: number;
  distribution: Distribution;
  categories: Map<string, number>;
}

export const emptyScope = (): Scope => ({
  windows: new Map(),
  tallies: new Map(),
  edgeCache: { basis: '', edges: new Map() },
});

export const OVERALL = 'overall';
const stageKey = (stage: string): string => `stage ${stage}`;
export const scopeKey = (stage: string | undefined): string =>
  stage === undefined ? OVERALL : stageKey(stage);

/** Returns the keys of the scopes that include a partition. */
export const keysOf = ({ stage }: Pick<Partition, 'stage'>): string[] =>
  stage === null ? [OVERALL] : [OVERALL, stageKey(stage)];

/** Identifies the reference samples that a scope has counted, by partition and number of blocks. */
export const basisOf = ({ tallies }: Scope): string =>
  [...tallies]
    .filter(([, { set, batches }]) => set === 'reference' && batches > 0)
    .map(([partition, { batches }]) => `${partition}:${batches}`)
    .sort()
    .join(' ');
