import { createKeyedSerial } from '../../platform/keyed-serial.ts';
import type { SetHistograms } from '../psi/psi.ts';
import { type Partition, type SampleStore, SamplesChangedError } from '../samples/sample.store.ts';
import type { SampleWindow } from '../samples/sample-window.ts';
import { type Block, RESIDUAL } from '../samples/samples.types.ts';
import type { ReadYoungRows, YoungRows } from '../samples/young-rows.ts';
import { MAX_KEPT_VALUES } from '../sidecar-limits.ts';
import { type BlockCounts, countBlock } from './block-counts.ts';
import {
  type Edges,
  emptyScope,
  keysOf,
  OVERALL,
  type Scope,
  scopeKey,
  type Tally,
} from './profile-scopes.ts';
import {
  addBlock,
  currentEdges,
  dropWindows,
  emptyTally,
  histogramsOf,
  limitKeptValues,
  removeRows,
  replaceFeatures,
  resetTally,
} from './profile-tally.ts';
import { findWindows } from './rebuild-windows.ts';
import type { SavedProfileStore } from './saved-profiles.store.ts';

/** Attempts at an update while samples are removed concurrently. */
const MAX_ATTEMPTS = 5;
/** Number of values that a feature may always keep. */
const MIN_VALUES_PER_FEATURE = 36;
/** Share of a feature's limit that rebuilt windows keep on either side of an edge, so that there is room to grow. */
const REBUILT_SHARE = 1 / 72;

interface Deps {
  store: SampleStore;
  saved: SavedProfileStore;
  window: SampleWindow;
  youngRows: ReadYoungRows;
}

/** The histograms of both sets, and the edges of their numeric bins. */
export interface ScopeHistograms {
  reference: SetHistograms;
  current: SetHistograms;
  edges: Edges;
}

/**
 * Creates the in-memory counts of every scope. New samples are added to them; bin edges move within windows in which
 * all values are kept, so the counts stay exact. Raw samples are read only if another process added them, if they
 * were never counted, or if the edges of a feature have left their windows. Changes by other processes on the same
 * database are noticed at the next update.
 */
export function createProfiles({ store, saved, window, youngRows }: Deps) {
  let scopes = new Map<string, Scope>();
  let partitions: Partition[] = [];
  /** Partitions as this process last changed them, by id. */
  const latest = new Map<string, Partition>();
  const serial = createKeyedSerial();
  /** True while an update is in progress, which has read the positions of all partitions. */
  let updating = false;
  /** True if counts were subtracted or dropped since the last warm-up. */
  let shrunk = false;

  const exclusively = <T>(update: () => Promise<T>): Promise<T> =>
    serial('update', async () => {
      updating = true;
      try {
        return await update();
      } finally {
        updating = false;
      }
    });

  /** Returns the number of values that one feature of one scope may keep. */
  function maxValuesPerFeature(): number {
    let features = 1;
    for (const { windows } of scopes.values()) features += windows.size;
    return Math.max(MIN_VALUES_PER_FEATURE, Math.floor(MAX_KEPT_VALUES / features));
  }

  function scopeOf(key: string): Scope {
    const scope = scopes.get(key) ?? emptyScope();
    scopes.set(key, scope);
    return scope;
  }

  const scopesOf = (partition: Partition): Scope[] => keysOf(partition).map(scopeOf);

  function tallyOf(scope: Scope, partition: Partition): Tally {
    const id = partition._id.toHexString();
    const tally = scope.tallies.get(id) ?? emptyTally(partition.set, partition);
    scope.tallies.set(id, tally);
    return tally;
  }

  const latestOf = (partition: Partition): Partition => latest.get(partition._id.toHexString()) ?? partition;

  /**
   * Subtracts the expired rows of a partition. Counts it again from its first row if another process has deleted these
   * rows already, or if none of the counted rows is left.
   */
  async function subtractExpired(
    partition: Partition,
    tallies: readonly { scope: Scope; tally: Tally }[],
    names?: string[],
  ): Promise<void> {
    const { firstBatch, skippedRows } = partition;
    const isBehind = ({ tally }: { tally: Tally }): boolean =>
      tally.firstBatch !== firstBatch || tally.skippedRows !== skippedRows;
    const behind = tallies.filter(isBehind);
    if (behind.length === 0) return;
    shrunk = true;
    for (const { tally } of behind) if (tally.batches < firstBatch) resetTally(tally, partition);
    const from = Math.min(...behind.map(({ tally }) => tally.firstBatch));
    const to = skippedRows > 0 ? firstBatch : firstBatch - 1;
    for await (const { n, block } of store.blocks(partition, { from, to, features: names })) {
      const end = n < firstBatch ? block.rows : skippedRows;
      for (const { scope, tally } of behind.filter(isBehind)) {
        if (tally.firstBatch === n) removeRows(scope, tally, { block, to: end });
      }
    }
    for (const { tally } of behind.filter(isBehind)) resetTally(tally, partition);
  }

  /**
   * Counts the blocks of a partition that are new to the given scopes, and subtracts the expired rows.
   * @param names features to count; all by default
   */
  async function countNew(partition: Partition, targets: readonly Scope[], names?: string[]): Promise<void> {
    const tallies = targets.map((scope) => ({ scope, tally: tallyOf(scope, partition) }));
    await subtractExpired(partition, tallies, names);
    const counted = () => Math.min(...tallies.map(({ tally }) => tally.batches));
    // Includes the blocks added in between: `onAdded` counts a block only if all earlier blocks are counted.
    for (let state = partition; counted() < state.batches; state = latestOf(partition)) {
      for await (const { n, block } of store.blocks(state, { from: counted() + 1, features: names })) {
        for (const { scope, tally } of tallies) {
          if (tally.batches !== n - 1) continue;
          addBlock(scope, tally, block);
          limitKeptValues(scope, maxValuesPerFeature());
        }
      }
      if (counted() < state.batches) throw new SamplesChangedError();
    }
  }

  /** Counts all new samples, and drops the counts of removed samples. */
  async function catchUp(): Promise<void> {
    const listed = await window.partitions();
    // The reference first, because the windows surround its edges.
    partitions = [...listed].sort((a, b) => Number(b.set === 'reference') - Number(a.set === 'reference'));
    const alive = new Set(partitions.map(({ _id }) => _id.toHexString()));
    const keys = new Set([OVERALL, ...partitions.flatMap(keysOf)]);
    for (const [key, { tallies }] of scopes) {
      for (const id of tallies.keys()) if (!alive.has(id)) shrunk = tallies.delete(id);
      if (!keys.has(key)) scopes.delete(key);
    }
    for (const id of latest.keys()) if (!alive.has(id)) latest.delete(id);
    for (const partition of partitions) await countNew(partition, scopesOf(partition));
  }

  /** Returns the features whose edges have left their windows, by scope. */
  const findLostFeatures = (): { key: string; scope: Scope; lost: string[] }[] =>
    [...scopes].flatMap(([key, scope]) => {
      const { lost } = currentEdges(scope);
      return lost.length > 0 ? [{ key, scope, lost }] : [];
    });

  /** Rebuilds the windows of lost features and counts these features again from the raw samples. */
  async function rebuild(losses: ReturnType<typeof findLostFeatures>): Promise<void> {
    const names = [...new Set(losses.flatMap(({ lost }) => lost))].sort();
    const keep = Math.floor(maxValuesPerFeature() * REBUILT_SHARE);
    const windowsByReference = new Map<string, Awaited<ReturnType<typeof findWindows>>>();
    const drafts: { key: string; scope: Scope; draft: Scope }[] = [];
    for (const { key, scope } of losses) {
      const reference = partitions.filter(
        (partition) => partition.set === 'reference' && keysOf(partition).includes(key),
      );
      // With a single stage, that stage and the overall scope have the same reference.
      const referenceId = reference.map(({ _id }) => _id.toHexString()).join();
      const windows =
        windowsByReference.get(referenceId) ?? (await findWindows({ store, reference, names, keep }));
      windowsByReference.set(referenceId, windows);
      drafts.push({ key, scope, draft: { ...emptyScope(), windows: new Map(windows) } });
    }
    const isInSync = ({ scope, draft }: { scope: Scope; draft: Scope }): boolean =>
      [...scope.tallies].every(([id, { batches, firstBatch, skippedRows }]) => {
        const copy = draft.tallies.get(id);
        return (
          copy?.batches === batches && copy.firstBatch === firstBatch && copy.skippedRows === skippedRows
        );
      });
    do {
      await catchUp();
      for (const partition of partitions) {
        const keys = keysOf(partition);
        const targets = drafts.flatMap(({ key, draft }) => (keys.includes(key) ? [draft] : []));
        if (targets.length > 0) await countNew(partition, targets, names);
      }
    } while (!drafts.every(isInSync));
    for (const { scope, draft } of drafts) {
      replaceFeatures(scope, draft, names);
      limitKeptValues(scope, maxValuesPerFeature());
    }
  }

  /** Updates all counts, then calls `use` before they can change again. @param prepare reads what `use` needs besides them */
  async function withCurrentCounts<T>(use: () => T, prepare = async (): Promise<void> => {}): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await catchUp();
        await prepare();
        const losses = findLostFeatures();
        if (losses.length > 0) await rebuild(losses);
        if (findLostFeatures().length > 0) throw new SamplesChangedError();
        return use();
      } catch (error) {
        if (!(error instanceof SamplesChangedError) || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /** Reads the young rows of each current partition of a scope. */
  async function readYoungRows(key: string): Promise<Map<string, YoungRows>> {
    const young = new Map<string, YoungRows>();
    for (const partition of partitions) {
      const id = partition._id.toHexString();
      const tally = scopes.get(key)?.tallies.get(id);
      if (!tally || partition.set === 'reference') continue;
      const { batches, firstBatch, skippedRows } = tally;
      young.set(id, await youngRows({ ...partition, batches, firstBatch, skippedRows }));
    }
    return young;
  }

  return {
    /** Loads the counts that an earlier process saved. */
    async load(): Promise<void> {
      scopes = await saved.load();
    },

    /**
     * Updates all counts, saves them for the next start, and deletes expired rows, which are no longer needed then.
     * @returns true if counts were subtracted or dropped since the last call
     */
    warm: (): Promise<boolean> =>
      exclusively(async () => {
        await withCurrentCounts(() => scopes.forEach(dropWindows));
        await saved.save(scopes);
        await window.deleteExpired();
        const hasShrunk = shrunk;
        shrunk = false;
        return hasShrunk;
      }),

    /** Saves the counts for the next start. */
    save: (): Promise<void> =>
      exclusively(() => {
        findLostFeatures(); // refreshes the cached edges, which are saved with the counts
        return saved.save(scopes);
      }),

    /**
     * Returns the result of `use` for the histograms of all samples stored before the call. They are only valid
     * during the call of `use`.
     * @param stage undefined for all samples
     */
    withHistograms: <T>(stage: string | undefined, use: (histograms: ScopeHistograms) => T): Promise<T> =>
      exclusively(() => {
        let young = new Map<string, YoungRows>();
        return withCurrentCounts(
          () => {
            const scope = scopes.get(scopeKey(stage)) ?? emptyScope();
            for (const [id, { batches }] of young) {
              if ((scope.tallies.get(id)?.batches ?? batches) !== batches) throw new SamplesChangedError();
            }
            const { edges } = currentEdges(scope);
            const current = histogramsOf(scope, edges, 'current');
            return use({
              reference: histogramsOf(scope, edges, 'reference'),
              current: withoutOutcomesOf(young.values(), current, edges.get(RESIDUAL) ?? []),
              edges,
            });
          },
          async () => {
            young = await readYoungRows(scopeKey(stage));
          },
        );
      }),

    /** Counts the numbers of a block that is being stored, for `onAdded`. */
    countAhead: (place: Pick<Partition, 'stage'>, block: Block): Promise<BlockCounts> =>
      countBlock(block, keysOf(place).map(scopeOf)),

    /** Counts a block that was just stored, without reading it back, if all earlier blocks are counted. */
    onAdded(partition: Partition, block: Block, counts: BlockCounts): void {
      // The next update counts it: the one in progress has determined which rows the window includes.
      if (updating && window.slides && partition.set === 'current') return;
      latest.set(partition._id.toHexString(), partition);
      for (const scope of scopesOf(partition)) {
        const tally = tallyOf(scope, partition);
        if (tally.batches !== partition.batches - 1) continue;
        addBlock(scope, tally, block, counts);
        limitKeptValues(scope, maxValuesPerFeature());
      }
    },

    /** Returns the overall counts of each partition. */
    partitionTallies: (): { partition: Partition; tally: Tally }[] =>
      partitions.flatMap((partition) => {
        const tally = scopes.get(OVERALL)?.tallies.get(partition._id.toHexString());
        return tally ? [{ partition, tally }] : [];
      }),
  };
}

/** Subtracts young rows from the histogram of the residual. */
function withoutOutcomesOf(
  young: Iterable<YoungRows>,
  current: SetHistograms,
  edges: readonly number[],
): SetHistograms {
  const residual = current.features.get(RESIDUAL);
  if (!residual) return current;
  const bins = Float64Array.from(residual.bins);
  let { rows } = residual;
  for (const part of young) {
    rows -= part.rows;
    for (const value of part.residuals) {
      let bin = 0;
      while (bin < edges.length && value > (edges[bin] as number)) bin += 1;
      bins[bin] = (bins[bin] as number) - 1;
    }
  }
  return { ...current, features: new Map([...current.features, [RESIDUAL, { ...residual, rows, bins }]]) };
}

export type Profiles = ReturnType<typeof createProfiles>;
