import type { Tenant } from '../tenants/tenants.types.ts';
import type { Person } from './person.ts';

/** Kinds of rows in an export, in its order. */
export const EXPORT_KINDS = [
  'settings',
  'apiKeys',
  'webhookEndpoints',
  'eventFeeds',
  'conversations',
  'conversationIds',
  'conversationRecords',
  'outcomes',
  'previewEvents',
  'events',
  'archivedEvents',
  'deliveries',
  'webhookStatistics',
  'meetings',
  'transcripts',
  'activities',
  'providerRecords',
  'meetingSyncs',
  'meetingSyncLog',
  'erasures',
  'suppressions',
  'auditLog',
  'mentions',
] as const;
export type ExportKind = (typeof EXPORT_KINDS)[number];

/** Scope of an export: everything of a tenant, or what it stores about a person. */
export interface ExportScope {
  tenant: Tenant;
  person: Person | null;
}

/** Scope of the export of a person. */
export type PersonScope = ExportScope & { person: Person };

/** The rows of one window of a collection. */
export interface ExportWindow {
  /** Read one after the other, so that large rows are not in memory together. */
  rows: Iterable<object> | AsyncIterable<object>;
  /** Position of the next window: text, numbers and ids; null after the last one. */
  next: unknown;
}

/** Nothing, and no further window. */
export const NO_ROWS: ExportWindow = { rows: [], next: null };

/** Rows of one kind that a feature adds to an export. */
export interface ExportSource {
  kind: ExportKind;
  /** Names of the collections that the rows come from. */
  collections: readonly string[];
  /** Exports that have the rows. */
  subject: 'tenants' | 'people' | 'both';
  /** Paths of the members that are the columns of a table; absent for rows that are no table. */
  columns?: readonly string[];
  /** Reads a window. @param after position of the window; null for the first one */
  read(scope: ExportScope, after: unknown): Promise<ExportWindow>;
}
