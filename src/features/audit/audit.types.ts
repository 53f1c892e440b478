/** Who acts: an API key, a console session of one, an operator at the command line, a job, or a caller without a valid key. */
export const ACTOR_TYPES = ['key', 'session', 'cli', 'job', 'anonymous'] as const;

export interface AuditActor {
  type: (typeof ACTOR_TYPES)[number];
  /** Id of the API key, name of the operator's account or name of the job; null for an anonymous caller. */
  id: string | null;
  /** Name of the API key at the time of the act; null if it has none, and without a key. */
  name: string | null;
  /** First characters of the API key, as lists of keys show them; null without a key. */
  prefix: string | null;
}

/** What an act changes, such as the webhook endpoint `7`. */
export interface AuditTarget {
  type: string;
  /** Null if the act concerns all of its type, or was not completed. */
  id: string | null;
}

/** State of a target as answers show it, without secrets. */
export type AuditState = Readonly<Record<string, unknown>>;

/**
 * How an act ended: `done`; `unknown` if its process ended, or the database failed, before the outcome was recorded, or if
 * it failed after a part of it was done;
 * `refused` for requests without a valid key or the required scope.
 */
export const AUDIT_OUTCOMES = ['done', 'unknown', 'refused'] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/** An act as it is known before it begins. */
export interface AuditAct {
  /** Customer whose log records the act; null for the log of the service, which only admin keys read. */
  customerId: number | null;
  /** Name of the operation, such as `updateWebhookEndpoint`. */
  action: string;
  actor: AuditActor;
  /** Null for acts without a request. */
  clientAddress: string | null;
  requestId: string | null;
  target: AuditTarget;
}

/** What an act has changed. */
export interface AuditChange {
  /** Members that the act changed, before and after it; null if the target has no state that answers show. */
  before: AuditState | null;
  after: AuditState | null;
}

/** What an act has done, once it is done. */
export interface AuditResult extends AuditChange {
  target: AuditTarget;
}

/** An entry of the audit log. Entries are only appended, each chained to the one before by its hash. */
export interface AuditEntry extends AuditAct, AuditChange {
  id: string;
  /** Position in its log, from 1 without gaps. */
  sequence: number;
  at: Date;
  outcome: AuditOutcome;
  /** Number of acts that the entry stands for: refusals of one caller are counted per minute. */
  count: number;
  /** HMAC-SHA256 over the entry and the hash of the one before, in hexadecimal. */
  hash: string;
}

/** A deviation of a log from what was written. */
export interface AuditFinding {
  customerId: number | null;
  /**
   * Problem of an entry, or of the log as a whole: `head_removed`: it has entries and no head; `head_behind`: its head is
   * from a backup, and later entries are chained to it; `key_unreadable`: the key of its hashes cannot be decrypted;
   * `not_verified`: its verification failed. `anchor_differs`: the entry has another hash than an anchor kept outside of
   * the database, or is missing.
   */
  problem:
    | 'removed'
    | 'altered'
    | 'inserted'
    | 'reordered'
    | 'head_removed'
    | 'head_behind'
    | 'key_unreadable'
    | 'not_verified'
    | 'anchor_differs';
  /** Position of the entry, or of a head that is behind; null for an entry without one, and for a log as a whole. */
  sequence: number | null;
  /** Null for a removed entry, and for a log as a whole. */
  entryId: string | null;
}

/** The head of a log at an earlier time, as a worker has logged it. */
export interface AuditAnchor {
  customerId: number | null;
  sequence: number;
  hash: string;
  /** A time before the entry was written, which an earlier anchor proves; null if none does. */
  writtenAfter: Date | null;
}

/** The comparison of logs with anchors. */
export interface AnchorComparison {
  /** At most 100. */
  findings: AuditFinding[];
  /** Number of anchors that cannot be compared, because retention has removed their entries. */
  removed: number;
}

export interface AuditVerification {
  /** Number of entries read. */
  entries: number;
  /** At most 100 per log. */
  findings: AuditFinding[];
}
