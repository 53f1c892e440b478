import type { TenantRef } from '../../platform/tenant-ref.ts';

/** What a tenant can have a retention time for. */
export const RETENTION_KINDS = [
  'conversations',
  'transcripts',
  'meetings',
  'previewEvents',
  'eventsAndDeliveries',
  'auditLog',
] as const;
export type RetentionKind = (typeof RETENTION_KINDS)[number];

/** Name of the job that runs the steps. */
export const RETENTION_JOB = 'privacy.retain';

/** Expired objects in one window of a collection. */
export interface ExpiredWindow {
  ids: string[];
  /** Position of the next window; null after the last one. */
  next: unknown;
}

/** What a feature does for the retention of one kind. */
export interface RetentionStep {
  kind: RetentionKind;
  /**
   * True if the objects whose data is removed are kept, and a run would read them again: it then continues after the last
   * one, and starts over once a day.
   */
  keepsObjects?: true;
  /**
   * Searches the next window of what has expired.
   *
   * @param before objects whose latest activity is older have expired
   * @param after position of the window; null for the first one
   */
  find(tenant: TenantRef, before: Date, after: unknown): Promise<ExpiredWindow>;
  /** Removes what `find` has found and what is still expired. Idempotent. Returns the number of removed objects. */
  remove(tenant: TenantRef, ids: readonly string[], before: Date): Promise<number>;
  /**
   * Removes what an interrupted `remove` has left of objects that are gone; absent if `find` finds all of it again.
   * Idempotent.
   */
  removeRest?(tenant: TenantRef, ids: readonly string[]): Promise<void>;
}
