import { Types } from 'mongoose';
import { z } from 'zod';
import { isObject } from '../../platform/is-object.ts';
import { UNREADABLE } from '../privacy/personal-fields.ts';
import { withKeyNames } from '../tenants/stored-actor.ts';
import { type AuditEntryDoc, type AuditHeadDoc, SERVICE_LOG } from './audit.model.ts';
import { ACTOR_TYPES, AUDIT_OUTCOMES, type AuditEntry, type AuditState } from './audit.types.ts';
import { ANONYMOUS_ACTOR } from './audit-actor.ts';

/**
 * Documents of the audit log as they are read: a person with write access to the database can have given them any
 * content, and none may make a verification or a list fail.
 */

const orAbsent = () => z.string().nullish();

const entryMembers = {
  _id: z.instanceof(Types.ObjectId),
  log: z.int().min(SERVICE_LOG),
  sequence: z.int().min(1),
  at: z.date(),
  action: z.string(),
  actor: z.strictObject({ type: z.string(), id: orAbsent(), name: orAbsent(), prefix: orAbsent() }),
  clientAddress: orAbsent(),
  requestId: orAbsent(),
  target: z.strictObject({ type: z.string(), id: orAbsent() }),
  outcome: z.string(),
  count: z.int(),
  before: orAbsent(),
  after: orAbsent(),
  previousHash: z.string(),
  hash: z.string(),
};
const storedEntry = z.strictObject(entryMembers);

/** Returns true if an entry has the members that the service writes, all of which its hash covers, and no others. */
export const isWellFormed = (entry: AuditEntryDoc): boolean => storedEntry.safeParse(entry).success;

const readableEntry = z.object({
  sequence: entryMembers.sequence.catch(0),
  at: entryMembers.at.catch(new Date(0)),
  action: z.string().catch(UNREADABLE),
  actor: z
    .object({
      type: z.enum(ACTOR_TYPES),
      ...{ id: z.string().nullish(), name: z.string().nullish(), prefix: z.string().nullish() },
    })
    .catch({ ...ANONYMOUS_ACTOR, id: UNREADABLE }),
  clientAddress: z.string().nullish().catch(null),
  requestId: z.string().nullish().catch(null),
  target: z.object({ type: z.string(), id: z.string().nullish() }).catch({ type: UNREADABLE, id: null }),
  outcome: z.enum(AUDIT_OUTCOMES).catch('unknown'),
  count: entryMembers.count.catch(1),
  hash: z.string().catch(UNREADABLE),
});

/** Returns a state of an entry; one that is not the JSON of an object reads as `{"unreadable":true}`. */
export function parseState(text: unknown): AuditState | null {
  if (text === null || text === undefined) return null;
  try {
    const state: unknown = JSON.parse(String(text));
    if (isObject(state)) return state;
  } catch {
    // Not JSON.
  }
  return { unreadable: true };
}

/** Returns the id of a document as text, whatever its type. */
export const idText = (id: unknown): string =>
  id instanceof Types.ObjectId ? id.toHexString() : typeof id === 'string' ? id : JSON.stringify(id);

/** Returns an entry as lists show it. Members that the service cannot have written read as `[unreadable]`. */
export function toEntry(stored: AuditEntryDoc): AuditEntry {
  const { actor, target, clientAddress, requestId, ...entry } = readableEntry.parse(stored);
  return {
    ...entry,
    id: idText(stored._id),
    customerId: stored.log === SERVICE_LOG ? null : stored.log,
    actor: { ...withKeyNames(actor), id: actor.id ?? null },
    clientAddress: clientAddress ?? null,
    requestId: requestId ?? null,
    target: { type: target.type, id: target.id ?? null },
    before: parseState(stored.before),
    after: parseState(stored.after),
  };
}

const position = { sequence: z.int().min(0), hash: z.string(), signature: z.string() };

const readableHead = z.object({
  sequence: position.sequence.catch(0),
  hash: position.hash.catch(''),
  signature: position.signature.catch(''),
  checkpoint: z.object(position).optional().catch(undefined),
});

/** Returns a head for a verification. Members that the service cannot have written are not those that it has signed. */
export const readableHeadOf = ({ _id, key, ...head }: AuditHeadDoc): AuditHeadDoc => {
  const { checkpoint, ...rest } = readableHead.parse(head);
  return { _id, key, ...rest, ...(checkpoint && { checkpoint }) };
};

const verification = z.object({ at: z.date(), findings: z.int(), signature: z.string() });

/** Returns the last verification that the head of the service's log records; null if there is none. */
export const verificationOf = (head: AuditHeadDoc | null) =>
  verification.safeParse(head?.verification).data ?? null;
