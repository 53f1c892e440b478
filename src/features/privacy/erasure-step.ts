import type { TenantRef } from '../../platform/tenant-ref.ts';
import type { Person } from './person.ts';
import type { Replaced } from './personal-scan.ts';

/** What the receipt of an erasure counts. */
export const ERASURE_KINDS = [
  'conversations',
  'messages',
  'identities',
  'conversions',
  'resolutions',
  'handoffs',
  'outcomes',
  'preview_events',
  'events',
  'deliveries',
  'attempts',
  'meetings',
  'meeting_participations',
  'transcripts',
  'activities',
  'provider_records',
  'search_postings',
  'idempotency_answers',
  'import_records',
  'redacted_texts',
] as const;
export type ErasureKind = (typeof ERASURE_KINDS)[number];

/** Numbers of objects by kind; of the deletion of a tenant, by collection. */
export type Counts = Partial<Record<string, number>>;
export type ErasureCounts = Partial<Record<ErasureKind, number>>;

export interface ErasureContext {
  tenant: TenantRef;
  person: Person;
  /** True if nothing is erased: a step then still finds what an earlier one would have removed. */
  isDryRun: boolean;
  /** True once the erasure has found something of the person among the tenant's data. */
  isKnown: boolean;
  /** True to leave out what has a delivery on its way. */
  awaitsDeliveries: boolean;
}

/** What a step has found in one window of its collection. */
export interface FoundData {
  /** Documents to erase. The job stores them before it erases them, so that a repetition after a crash counts none twice. */
  ids: string[];
  counts: Counts;
  /** Position of the next window; null after the last one. */
  next: unknown;
  /** True if something was left out because of a delivery on its way. */
  isWaiting?: boolean;
  /** True if nothing of the person was found: erasing the documents needs no further pass. */
  isRepair?: boolean;
}

/** Nothing, and no further window. */
export const NOTHING_FOUND: FoundData = { ids: [], counts: {}, next: null };

/** Counts each document that a window has as one of a kind. */
export const countedAs = (kind: ErasureKind, found: Pick<FoundData, 'ids' | 'next'>): FoundData => ({
  ...found,
  counts: { [kind]: found.ids.length },
});

/** What a feature does for an erasure, in one of its collections and in what belongs to its documents. */
export interface ErasureStep {
  /** Unique and stable: a job that continues after a restart finds its step by this name. */
  name: string;
  /** Names of all collections that the step erases from. */
  collections: readonly string[];
  /** Collection whose ids `find` returns. */
  idsOf: string;
  /** True if it finds objects of others that mention the person; an export of the person lists them. */
  findsMentions?: true;
  /** Searches the next window of the collection. @param after position of the window; null for the first one */
  find(context: ErasureContext, after: unknown): Promise<FoundData>;
  /**
   * Erases what `find` has found. Idempotent. A text that has changed since it was read, by the erasure of another person,
   * stays for the next pass. A step that only replaces texts can return the number of replaced ones: the receipt then leaves
   * out those in which another erasure has replaced the same mentions.
   */
  erase(context: ErasureContext, ids: readonly string[]): Promise<void> | Promise<Replaced>;
}

/** Everything that a feature stores about a person. */
export interface PersonalData {
  /** Returns identifiers that are stored beside those of the person. @throws the reason of the signal once it is aborted */
  links?(tenant: TenantRef, person: Person, signal?: AbortSignal): Promise<Partial<Person>>;
  /** In the order in which they run. */
  steps: ErasureStep[];
}

/** What other features store about conversations; it is erased with them. */
export interface ConversationData {
  /** Names of the collections that have it. */
  collections: readonly string[];
  count(tenant: TenantRef, conversationIds: readonly string[]): Promise<ErasureCounts>;
  /** Returns the conversations with a delivery on its way. */
  busy?(tenant: TenantRef, conversationIds: readonly string[]): Promise<Set<string>>;
  erase(tenant: TenantRef, conversationIds: readonly string[]): Promise<void>;
  /** Removes what names or quotes the visitor of conversations, which turned out to be a suppressed person. */
  suppress(tenant: TenantRef, conversationIds: readonly string[]): Promise<void>;
}

/**
 * Removes what one conversation has left in collections that an erasure of its person searches on its own, and returns
 * what it was. Idempotent.
 */
export type RemoveTraces = (tenant: TenantRef, conversationId: string) => Promise<ErasureCounts>;

/** Adds counts. */
export function addCounts<K extends string>(
  ...all: Partial<Record<K, number>>[]
): Partial<Record<K, number>> {
  const sum: Partial<Record<K, number>> = {};
  for (const counts of all)
    for (const [kind, count] of Object.entries<number | undefined>(counts))
      if (count) sum[kind as K] = (sum[kind as K] ?? 0) + count;
  return sum;
}
