import { type Counts, ERASURE_KINDS, type ErasureKind } from '../privacy/erasure-step.ts';

export const ERASURE_STATUSES = ['running', 'completed', 'aborted'] as const;
export type ErasureStatus = (typeof ERASURE_STATUSES)[number];

/** What happens to deliveries of the person's events that are on their way. */
export const DELIVERY_POLICIES = ['cancel', 'finish'] as const;
export type DeliveryPolicy = (typeof DELIVERY_POLICIES)[number];

/** People that one call erases. */
export const MAX_ERASED_PEOPLE = 1_000;

/** Erasures of a tenant that run, or wait for others, at a time. */
export const MAX_RUNNING_ERASURES = 10_000;

export interface ErasureCount {
  kind: ErasureKind;
  count: number;
}

/** Returns the counts of a receipt. @returns every kind, 0 included */
export const toCounts = (counts: Counts): ErasureCount[] =>
  ERASURE_KINDS.map((kind) => ({ kind, count: counts[kind] ?? 0 }));
