import type { Partition } from '../samples/sample.store.ts';
import type { Spread } from './spread.ts';
import type { Windows } from './windows.ts';

/** One comparison that is kept ready: of everything, or of one stage. */
export interface Scope {
  /** Where the numbers of each feature are kept one by one. */
  windows: Map<string, Windows>;
  /** Counts, by the partition's id. */
  tallies: Map<string, Tally>;
  /** The edges as they were last worked out, and the very reference samples that they come from. */
  known: { basis: string; edges: Edges };
}

/** The inner edges of each feature's bins. A feature without numbers in the reference has none. */
export type Edges = ReadonlyMap<string, readonly number[]>;

/** Counts of one partition, under the windows of one comparison. */
export interface Tally {
  set: Partition['set'];
  /** How many blocks have been counted, in their order. */
  batches: number;
  rows: number;
  features: Map<string, FeatureTally>;
}

export interface FeatureTally {
  spread: Spread;
  categories: Map<string, number>;
}

export const emptyScope = (): Scope => ({
  windows: new Map(),
  tallies: new Map(),
  known: { basis: '', edges: new Map() },
});

export const OVERALL = 'overall';
export const stageKey = (stage: string): string => `stage ${stage}`;
export const scopeKey = (stage: string | undefined): string =>
  stage === undefined ? OVERALL : stageKey(stage);

/** The comparisons that a partition takes part in. */
export const keysOf = ({ stage }: Pick<Partition, 'stage'>): string[] =>
  stage === null ? [OVERALL] : [OVERALL, stageKey(stage)];

/** Names the reference samples that a comparison has counted, blocks included. */
export const basisOf = ({ tallies }: Scope): string =>
  [...tallies]
    .filter(([, { set, batches }]) => set === 'reference' && batches > 0)
    .map(([partition, { batches }]) => `${partition}:${batches}`)
    .sort()
    .join(' ');
