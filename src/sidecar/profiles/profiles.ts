import { createSerial } from '../../platform/serial.ts';
import { compare, type DriftReport } from '../psi/drift-report.ts';
import type { Partition, SampleStore } from '../samples/sample.store.ts';
import type { Block } from '../samples/samples.types.ts';
import { emptyScope, keysOf, OVERALL, type Scope, scopeKey, type Tally } from './profile-scopes.ts';
import { findWindows, SamplesChanged } from './rebuild-windows.ts';
import type { SavedProfiles } from './saved-profiles.store.ts';
import { addBlock, adopt, edgesNow, emptyTally, keepWithin, total } from './tally.ts';

/** How often work that samples were taken from under is begun anew. */
const TRIES = 5;
/** Values that all windows together keep, at 12 bytes each; and what a feature gets at least. */
const MAX_KEPT = 2_000_000;
const MIN_ROOM = 36;
/** Of a feature's room what the reference's numbers on one side of an edge take when windows are made anew. */
const KEEP_SHARE = 1 / 72;

interface Deps {
  store: SampleStore;
  saved: SavedProfiles;
}

/**
 * Counts of every comparison, kept in memory: samples only add to them, and edges that move do so within windows in
 * which all values are kept, so that everything stays exact. Raw samples are read for what was counted elsewhere
 * or not at all, and for features whose edges have left their windows. What happens in other processes on the same
 * database is seen at the next look.
 */
export function createProfiles({ store, saved }: Deps) {
  let scopes = new Map<string, Scope>();
  let partitions: Partition[] = [];
  /** Partitions as this process has last left them, by id. */
  const latest = new Map<string, Partition>();
  // One look at a time: each works on what the last one left.
  const serial = createSerial();
  const inTurn = <T>(look: () => Promise<T>): Promise<T> => serial('look', look);

  /** Values that one feature of one comparison may keep. */
  function room(): number {
    let features = 1;
    for (const { windows } of scopes.values()) features += windows.size;
    return Math.max(MIN_ROOM, Math.floor(MAX_KEPT / features));
  }

  function scopeOf(key: string): Scope {
    const scope = scopes.get(key) ?? emptyScope();
    scopes.set(key, scope);
    return scope;
  }

  const scopesOf = (partition: Partition): Scope[] => keysOf(partition).map(scopeOf);

  function tallyOf(scope: Scope, { _id, set }: Partition): Tally {
    const id = _id.toHexString();
    const tally = scope.tallies.get(id) ?? emptyTally(set);
    scope.tallies.set(id, tally);
    return tally;
  }

  const newest = (partition: Partition): Partition => latest.get(partition._id.toHexString()) ?? partition;

  /**
   * Counts the blocks of a partition that comparisons have not counted yet.
   * @param names the columns that are wanted; all by default
   */
  async function countNew(partition: Partition, targets: readonly Scope[], names?: string[]): Promise<void> {
    const tallies = targets.map((scope) => ({ scope, tally: tallyOf(scope, partition) }));
    const counted = () => Math.min(...tallies.map(({ tally }) => tally.batches));
    // With those that came meanwhile, or `added` would never find the one before its own counted.
    for (let known = partition; counted() < known.batches; known = newest(partition)) {
      for await (const { n, block } of store.blocks(known, counted() + 1, names)) {
        for (const { scope, tally } of tallies) {
          if (tally.batches !== n - 1) continue;
          addBlock(scope, tally, block);
          keepWithin(scope, room());
        }
      }
      if (counted() < known.batches) throw new SamplesChanged();
    }
  }

  /** Counts all that is stored, and forgets what is not stored any more. */
  async function catchUp(): Promise<void> {
    const listed = await store.list();
    // The reference first: windows are about its edges.
    partitions = [...listed].sort((a, b) => Number(b.set === 'reference') - Number(a.set === 'reference'));
    const alive = new Set(partitions.map(({ _id }) => _id.toHexString()));
    const keys = new Set([OVERALL, ...partitions.flatMap(keysOf)]);
    for (const [key, { tallies }] of scopes) {
      for (const id of tallies.keys()) if (!alive.has(id)) tallies.delete(id);
      if (!keys.has(key)) scopes.delete(key);
    }
    for (const id of latest.keys()) if (!alive.has(id)) latest.delete(id);
    for (const partition of partitions) await countNew(partition, scopesOf(partition));
  }

  /** The comparisons in which edges have left their windows, and those features. */
  const lostNow = (): { key: string; scope: Scope; lost: string[] }[] =>
    [...scopes].flatMap(([key, scope]) => {
      const { lost } = edgesNow(scope);
      return lost.length > 0 ? [{ key, scope, lost }] : [];
    });

  /** Makes windows of lost features anew, counts those features again from the raw samples, and puts them in place. */
  async function rebuild(losses: ReturnType<typeof lostNow>): Promise<void> {
    const names = [...new Set(losses.flatMap(({ lost }) => lost))].sort();
    const keep = Math.floor(room() * KEEP_SHARE);
    const found = new Map<string, Awaited<ReturnType<typeof findWindows>>>();
    const drafts: { key: string; scope: Scope; draft: Scope }[] = [];
    for (const { key, scope } of losses) {
      const reference = partitions.filter(
        (partition) => partition.set === 'reference' && keysOf(partition).includes(key),
      );
      // Of a single stage they are those of the whole too.
      const basis = reference.map(({ _id }) => _id.toHexString()).join();
      const windows = found.get(basis) ?? (await findWindows(store, reference, names, keep));
      found.set(basis, windows);
      drafts.push({ key, scope, draft: { ...emptyScope(), windows: new Map(windows) } });
    }
    const inStep = ({ scope, draft }: { scope: Scope; draft: Scope }): boolean =>
      [...scope.tallies].every(([id, { batches }]) => draft.tallies.get(id)?.batches === batches);
    do {
      await catchUp();
      for (const partition of partitions) {
        const keys = keysOf(partition);
        const targets = drafts.flatMap(({ key, draft }) => (keys.includes(key) ? [draft] : []));
        if (targets.length > 0) await countNew(partition, targets, names);
      }
    } while (!drafts.every(inStep));
    for (const { scope, draft } of drafts) {
      adopt(scope, draft, names);
      keepWithin(scope, room());
    }
  }

  /** Brings everything up to date, and works with it before anything else can change it. */
  async function upToDate<T>(use: () => T): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await catchUp();
        const losses = lostNow();
        if (losses.length > 0) await rebuild(losses);
        if (lostNow().length > 0) throw new SamplesChanged();
        return use();
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
        await upToDate(() => {});
        await saved.save(scopes);
      }),

    /** Keeps what has been counted for the next start. */
    save: (): Promise<void> =>
      inTurn(() => {
        lostNow(); // edges that have moved since the last look are kept where they are now
        return saved.save(scopes);
      }),

    /**
     * Compares all samples that were stored before the call.
     * @param stage undefined: of all stages
     */
    report: (stage: string | undefined, threshold: number): Promise<DriftReport> =>
      inTurn(() =>
        upToDate(() => {
          const scope = scopes.get(scopeKey(stage)) ?? emptyScope();
          const { edges } = edgesNow(scope);
          return compare(total(scope, edges, 'reference'), total(scope, edges, 'current'), threshold);
        }),
      ),

    /** Counts a block that was just added, without reading it again, where nothing is between. */
    added(partition: Partition, block: Block): void {
      latest.set(partition._id.toHexString(), partition);
      for (const scope of scopesOf(partition)) {
        const tally = tallyOf(scope, partition);
        if (tally.batches !== partition.batches - 1) continue;
        addBlock(scope, tally, block);
        keepWithin(scope, room());
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
