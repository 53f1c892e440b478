import type { Partition } from './sample.store.ts';
import type { Edges, Tally } from './tally.ts';

/** One comparison that is kept ready: of everything, or of one stage. */
export interface Scope {
  /** The very reference samples that the edges come from; with others they do not hold. */
  basis: string;
  edges: Edges;
  /** Counts under these edges, by the partition's id. */
  tallies: Map<string, Tally>;
}

export const OVERALL = 'overall';
export const stageKey = (stage: string): string => `stage ${stage}`;
export const scopeKey = (stage: string | undefined): string =>
  stage === undefined ? OVERALL : stageKey(stage);

/** The comparisons that a partition takes part in. */
export const keysOf = ({ stage }: Pick<Partition, 'stage'>): string[] =>
  stage === null ? [OVERALL] : [OVERALL, stageKey(stage)];

/** Names the reference samples among these partitions, blocks included. */
export const basisOf = (partitions: readonly Partition[]): string =>
  partitions
    .filter(({ set }) => set === 'reference')
    .map(({ _id, batches }) => `${_id.toHexString()}:${batches}`)
    .join(' ');
