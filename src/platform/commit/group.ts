import type { WriteOutage } from '../mongo/outages.ts';
import { DatabaseUnavailable } from '../mongo/unavailable.ts';
import type { SpanReference, Tracing } from '../tracing/tracing.ts';
import type { Insertion, UnitOfWork } from './unit-of-work.ts';

/** Documents to insert for the events of a group. */
export interface Expansion<F> {
  /** One document per event. Its insertion commits an event that is published without further writes. */
  events: Insertion[];
  /** Documents derived from the events; after a crash, the repair inserts the missing ones. */
  derived: Insertion[];
  /** Effect of each event, in the order of the events. */
  effects: F[];
  /** Throws `DatabaseUnavailable` once it is too late to commit the events. */
  requireInTime?(): void;
  /** Called once the group is durable. */
  committed(): void;
  /** Called when the group failed. */
  aborted(): void;
}

/** A unit of a group, and its caller. */
export interface QueuedUnit<E, F> {
  unit: UnitOfWork<E, unknown>;
  /** The caller's span. */
  origin: SpanReference | undefined;
  resolve: (effects: F[]) => void;
  reject: (error: unknown) => void;
}

interface GroupDeps {
  tracing: Tracing | null;
  outages: WriteOutage | undefined;
}

/** Wraps every write of a group in a span, and rejects it when an outage begins. */
export function createGroupWrites({ tracing, outages }: GroupDeps) {
  /** Returns a function that throws if an outage is in progress or has begun since. */
  function outageCheck(): () => void {
    const before = outages?.count();
    return () => {
      if (outages && outages.count() !== before) throw outages.refusal() ?? new DatabaseUnavailable();
      const refusal = outages?.refusal();
      if (refusal) throw refusal;
    };
  }

  /** Executes the write of a group in a span that links to the span of each unit. */
  function write(
    group: readonly { origin: SpanReference | undefined }[],
    name: string,
    execute: () => Promise<void>,
  ): Promise<void> {
    const guarded = () => (outages ? outages.guard(execute) : execute());
    if (!tracing) return guarded();
    const links = group.flatMap(({ origin }) => origin ?? []);
    const attributes = { 'engagement.units': group.length };
    return tracing.withSpan({ name, parent: null, links, attributes }, guarded);
  }

  return { outageCheck, write };
}

export type GroupWrites = ReturnType<typeof createGroupWrites>;

/** Resolves the units of a durable group. */
export function succeed<E, F>(group: readonly QueuedUnit<E, F>[], expansion: Expansion<F>): void {
  expansion.committed();
  let first = 0;
  for (const { unit, resolve } of group) {
    resolve(expansion.effects.slice(first, first + unit.events.length));
    first += unit.events.length;
  }
}

/** Rejects the units of a failed group. */
export function fail<E, F>(
  group: readonly QueuedUnit<E, F>[],
  expansion: Expansion<F> | null,
  error: unknown,
): void {
  expansion?.aborted();
  for (const { reject } of group) reject(error);
}

export const documentsOf = ({ events, derived }: Expansion<unknown>): Insertion[] => [...events, ...derived];

export function halvesOf<T>(group: readonly T[]): [T[], T[]] {
  const middle = Math.ceil(group.length / 2);
  return [group.slice(0, middle), group.slice(middle)];
}
