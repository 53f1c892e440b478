import { createSerial } from '../platform/serial.ts';
import { buildEdges, SamplesChanged } from './edges.ts';
import { compare, type DriftReport } from './report.ts';
import type { Partition, SampleStore } from './sample.store.ts';
import type { Block } from './samples.types.ts';
import type { SavedProfiles } from './saved-profiles.store.ts';
import { basisOf, keysOf, OVERALL, type Scope, scopeKey } from './scopes.ts';
import { addBlock, type Edges, emptyTally, type Tally } from './tally.ts';

/** How often work that samples were taken from under is begun anew. */
const TRIES = 5;

interface Deps {
  store: SampleStore;
  saved: SavedProfiles;
}

/**
 * Edges and counts of every comparison, kept in memory and brought up to date from the raw samples: a reference that
 * changed has its edges worked out anew and everything counted again, other samples only add to counts. What happens
 * in other processes on the same database is seen at the next look.
 */
export function createProfiles({ store, saved }: Deps) {
  let scopes = new Map<string, Scope>();
  let partitions: Partition[] = [];
  /** Partitions of current samples as this process has last left them, by id. */
  const latest = new Map<string, Partition>();
  // One look at a time: each works on what the last one left.
  const serial = createSerial();
  const inTurn = <T>(look: () => Promise<T>): Promise<T> => serial('look', look);

  function tallyOf(scope: Scope, partition: Partition): Tally {
    const id = partition._id.toHexString();
    const tally = scope.tallies.get(id) ?? emptyTally();
    scope.tallies.set(id, tally);
    return tally;
  }

  const scopesOf = (partition: Partition): Scope[] =>
    keysOf(partition).flatMap((key) => scopes.get(key) ?? []);

  /** Every comparison with the edges that its reference has now. */
  async function withCurrentEdges(): Promise<Map<string, Scope>> {
    const built = new Map<string, Edges>();
    const next = new Map<string, Scope>();
    for (const key of new Set([OVERALL, ...partitions.flatMap(keysOf)])) {
      const members = partitions.filter((partition) => keysOf(partition).includes(key));
      const basis = basisOf(members);
      const known = scopes.get(key);
      if (known?.basis === basis) {
        next.set(key, known);
        continue;
      }
      const reference = members.filter(({ set }) => set === 'reference');
      const edges = built.get(basis) ?? (await buildEdges(store, reference));
      built.set(basis, edges); // of a single stage: those of the whole too
      next.set(key, { basis, edges, tallies: new Map() });
    }
    return next;
  }

  /** Counts the blocks of a partition that its comparisons have not counted yet. */
  async function countNew(partition: Partition): Promise<void> {
    const targets = scopesOf(partition).map((scope) => ({ scope, tally: tallyOf(scope, partition) }));
    const counted = () => Math.min(...targets.map(({ tally }) => tally.batches));
    // With those that came meanwhile, or `added` would never find the one before its own counted.
    for (let known = partition; counted() < known.batches; known = newest(partition)) {
      for await (const { n, block } of store.blocks(known, counted() + 1)) {
        for (const { scope, tally } of targets) {
          if (tally.batches === n - 1) addBlock(tally, scope.edges, block);
        }
      }
      if (counted() < known.batches) throw new SamplesChanged();
    }
  }

  const newest = (partition: Partition): Partition => latest.get(partition._id.toHexString()) ?? partition;

  async function refreshOnce(): Promise<void> {
    partitions = await store.list();
    scopes = await withCurrentEdges();
    const alive = new Set(partitions.map(({ _id }) => _id.toHexString()));
    for (const { tallies } of scopes.values()) {
      for (const id of tallies.keys()) if (!alive.has(id)) tallies.delete(id);
    }
    for (const id of latest.keys()) if (!alive.has(id)) latest.delete(id);
    for (const partition of partitions) await countNew(partition);
  }

  async function refresh(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await refreshOnce();
      } catch (error) {
        if (!(error instanceof SamplesChanged) || attempt === TRIES) throw error;
      }
    }
  }

  return {
    /** Takes up what an earlier process has counted. */
    async load(): Promise<void> {
      scopes = await saved.load();
    },

    /** Brings everything up to date, and keeps it for the next start. */
    warm: (): Promise<void> =>
      inTurn(async () => {
        await refresh();
        await saved.save(scopes);
      }),

    /** Keeps what has been counted for the next start. */
    save: (): Promise<void> => inTurn(() => saved.save(scopes)),

    /**
     * Compares all samples that were stored before the call.
     * @param stage undefined: of all stages
     */
    report: (stage: string | undefined, threshold: number): Promise<DriftReport> =>
      inTurn(async () => {
        await refresh();
        const tallies = scopes.get(scopeKey(stage))?.tallies;
        const of = (set: Partition['set']) =>
          partitions.flatMap((partition) =>
            partition.set === set ? (tallies?.get(partition._id.toHexString()) ?? []) : [],
          );
        return compare(of('reference'), of('current'), threshold);
      }),

    /** Counts a block of current samples that was just added, without reading it again, where nothing is between. */
    added(partition: Partition, block: Block): void {
      // Reference samples are counted once their edges are known.
      if (partition.set === 'reference') return;
      latest.set(partition._id.toHexString(), partition);
      for (const scope of scopesOf(partition)) {
        const tally = tallyOf(scope, partition);
        if (tally.batches === partition.batches - 1) addBlock(tally, scope.edges, block);
      }
    },

    /** The categories of each partition, as they have been counted. */
    categories: (): { partition: Partition; tally: Tally }[] =>
      partitions.flatMap((partition) => {
        const tally = scopes.get(OVERALL)?.tallies.get(partition._id.toHexString());
        return tally ? [{ partition, tally }] : [];
      }),
  };
}
