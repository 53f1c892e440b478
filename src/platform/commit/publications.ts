import { DatabaseUnavailable, isUnavailable, WriteUnconfirmed } from '../mongo/unavailable.ts';
import type { Runtime } from '../runtime.ts';
import { insertDurably, removeInserted } from './durable-inserts.ts';
import {
  documentsOf,
  type Expansion,
  fail,
  type GroupWrites,
  halvesOf,
  type QueuedUnit,
  succeed,
} from './group.ts';

/**
 * Time limit of a group. After it, each tenant's publications continue separately: an unresponsive shard delays the
 * others by no more than this. Milliseconds.
 */
const GROUP_LIMIT_MS = 1_000;

/** Publications of one tenant: they are on one shard. */
interface TenantPart<E, F> {
  units: QueuedUnit<E, F>[];
  expansion: Promise<Expansion<F>>;
  /** Null until the expansion has succeeded. */
  expanded: Expansion<F> | null;
}

interface Deps<E, F> {
  expand: (events: E[]) => Promise<Expansion<F>>;
  tenantOf: (event: E) => number;
  writes: GroupWrites;
  /** Receives work that continues after the time limit of its group. */
  onContinued: (work: Promise<void>) => void;
  runtime: Runtime;
}

/**
 * Creates the function that commits a group of units that only publish events: by insertions, without a transaction. It
 * resolves once the group has ended or reached its time limit.
 */
export function createPublisher<E, F>({ expand, tenantOf, writes, onContinued, runtime }: Deps<E, F>) {
  /**
   * Publishes all tenants of a group together, or each separately once the group has failed or reached its time limit. The
   * documents keep their ids, so the later inserts recognize documents that the first insert has written.
   */
  async function publish(group: QueuedUnit<E, F>[]): Promise<void> {
    using limit = createLimit(runtime);
    const parts = [...Map.groupBy(group, ({ unit: { events } }) => tenantOf(events[0] as E)).values()].map(
      newPart,
    );
    if (parts.length > 1)
      await Promise.race([Promise.allSettled(parts.map(({ expansion }) => expansion)), limit.reached]);
    const together = parts.length > 1 ? parts.filter(({ expanded }) => expanded !== null) : [];
    const inserted = publishTogether(together, limit);
    const isPublished = await Promise.race([inserted, limit.reached.then(() => false)]);
    const rest = isPublished ? parts.filter((part) => !together.includes(part)) : parts;
    const alone = rest.map((part) => publishAlone(part, together.includes(part) ? inserted : null));
    for (const work of alone) onContinued(work);
    await Promise.race([Promise.all(alone), limit.reached]);
  }

  function newPart(units: QueuedUnit<E, F>[]): TenantPart<E, F> {
    const expansion = expand(units.flatMap(({ unit }) => unit.events));
    const part: TenantPart<E, F> = { units, expansion, expanded: null };
    expansion.then(
      (expanded) => {
        part.expanded = expanded;
      },
      () => {},
    );
    return part;
  }

  /** Publishes several tenants by one insert per collection. Returns false if each must be published separately. */
  async function publishTogether(parts: TenantPart<E, F>[], limit: Limit): Promise<boolean> {
    if (parts.length === 0) return true;
    const requireNoOutage = writes.outageCheck();
    const expansions = parts.flatMap(({ expanded }) => expanded ?? []);
    const requireRepeatable = () => {
      requireNoOutage();
      if (limit.isReached()) throw new DatabaseUnavailable();
    };
    try {
      await writes.write(
        parts.flatMap(({ units }) => units),
        'publication',
        () => insertDurably(expansions.flatMap(documentsOf), requireRepeatable, runtime),
      );
    } catch (error) {
      if (!limit.isReached() && error instanceof DatabaseUnavailable) {
        for (const { units, expanded } of parts) fail(units, expanded, error);
        return true;
      }
      return false;
    }
    if (limit.isReached()) return false;
    for (const { units, expanded } of parts) {
      try {
        expanded?.requireInTime?.();
      } catch (error) {
        fail(units, expanded, error);
        continue;
      }
      if (expanded) succeed(units, expanded);
    }
    return true;
  }

  /**
   * Publishes one tenant.
   *
   * @param earlier the joint insert that has tried these documents, and may still be in progress; null for none
   */
  async function publishAlone(
    { units, expansion: expanding }: TenantPart<E, F>,
    earlier: Promise<unknown> | null,
  ): Promise<void> {
    let expansion: Expansion<F> | null = null;
    try {
      const requireNoOutage = writes.outageCheck();
      const expanded = await expanding;
      expansion = expanded;
      const requireRepeatable = () => {
        requireNoOutage();
        expanded.requireInTime?.();
      };
      await writes.write(units, 'publication', () =>
        insertDurably(documentsOf(expanded), requireRepeatable, runtime),
      );
      expanded.requireInTime?.();
      succeed(units, expanded);
    } catch (error) {
      if (isUnavailable(error)) return fail(units, expansion, earlier ? new WriteUnconfirmed() : error);
      await earlier;
      const isRemoved = expansion === null || (await removeInserted(documentsOf(expansion)));
      if (units.length === 1 || !isRemoved)
        return fail(units, expansion, isRemoved ? error : new WriteUnconfirmed());
      expansion?.aborted();
      await Promise.all(halvesOf(units).map((half) => publishAlone(newPart(half), null)));
    }
  }

  return publish;
}

interface Limit extends Disposable {
  reached: Promise<void>;
  isReached(): boolean;
}

function createLimit(runtime: Runtime): Limit {
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  let isReached = false;
  const cancel = runtime.after(GROUP_LIMIT_MS, () => {
    isReached = true;
    resolve();
  });
  return { reached, isReached: () => isReached, [Symbol.dispose]: cancel };
}
