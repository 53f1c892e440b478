import type { Model } from 'mongoose';
import { objectIdsOf } from '../../platform/mongo/object-id.ts';
import { type ScannedWindow, scanWindow } from '../../platform/mongo/scan-window.ts';
import type { ErasureContext } from '../privacy/erasure-step.ts';
import type { ExportScope, ExportSource } from '../privacy/export-source.ts';
import type { FieldEncryption } from '../privacy/field-encryption.ts';
import { encryptedFilters } from '../privacy/personal-fields.ts';
import { decryptedRows, personalCollection, scanPersonalDocuments } from '../privacy/personal-scan.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import { isOwnedBy, ownedBy } from './conversation-people.ts';
import {
  CONVERSATION_FIELDS,
  type ConversationDoc,
  MESSAGE_FIELDS,
  type MessageDoc,
  MILESTONE_FIELDS,
  type MilestoneDoc,
  toMilestone,
} from './conversations.model.ts';
import { readGroups } from './read-groups.ts';

interface Models {
  Conversation: Model<ConversationDoc>;
  Message: Model<MessageDoc>;
  ConversationMilestone: Model<MilestoneDoc>;
}

interface ScanOptions {
  /** The only field that is needed: conversations without it may be left out. Absent for all fields. */
  field?: '_id' | 'importId' | 'outcome';
}

const WINDOW = 500;
/** Records that are in memory together. */
const BATCH_SIZE = 100;

/** Converts a conversation; without the ids of its messages, because an import into the same database needs others. */
const toLine = (
  {
    _id,
    importId,
    visitorId,
    status,
    converted,
    goal,
    startedAt,
    endedAt,
    identity,
    conversion,
  }: ConversationDoc,
  messages: readonly MessageDoc[],
) => ({
  id: importId ?? _id.toHexString(),
  visitor_id: visitorId,
  status,
  converted,
  goal,
  started_at: startedAt,
  ended_at: endedAt,
  transcript: messages.map(({ role, text, sentAt }) => ({ role, text, sent_at: sentAt })),
  identity: identity && {
    person_id: identity.resolvedPersonId,
    email: identity.email,
    first_name: identity.firstName,
    last_name: identity.lastName,
    company: identity.company,
    job_title: identity.jobTitle,
  },
  conversion: conversion && {
    type: conversion.type,
    goal: conversion.goal,
    value: conversion.value,
    recorded_at: conversion.recordedAt,
  },
});

type Line = ReturnType<typeof toLine>;

/** Reads conversations by their start, for the exports of a tenant and of a person. */
export function conversationExport(
  { Conversation, Message, ConversationMilestone }: Models,
  encryption: FieldEncryption,
) {
  const conversations = personalCollection(Conversation, CONVERSATION_FIELDS, encryption);

  /** Reads the next window of the conversations that the scope contains. */
  async function scan(
    { tenant, person }: ExportScope,
    after: unknown,
    { field }: ScanOptions = {},
  ): Promise<ScannedWindow<ConversationDoc>> {
    if (person) {
      const match = ownedBy(person);
      if (!match) return { found: [], next: null };
      return scanPersonalDocuments<ConversationDoc>(conversations, {
        ...{ tenant, after, size: WINDOW, match, matches: isOwnedBy(person) },
        projection: field === undefined ? null : { visitorId: 1, [field]: 1 },
      });
    }
    const { by, hint } = CONVERSATION_FIELDS.scan;
    const { found, next } = await scanWindow<ConversationDoc>(conversations.collection, {
      ...{ of: { customerId: tenant.customerId }, by, hint, after, size: WINDOW },
      match: field === undefined ? {} : { [field]: { $ne: null } },
      projection: field === undefined ? {} : { customerId: 1, [field]: 1 },
    });
    return { found: await encryption.decryptReadable(CONVERSATION_FIELDS, found), next };
  }

  /** Returns the ids of a window's conversations. */
  async function ids(scope: ExportScope, after: unknown): Promise<{ ids: string[]; next: unknown }> {
    const { found, next } = await scan(scope, after, { field: '_id' });
    return { ids: found.map(({ _id }) => _id.toHexString()), next };
  }

  async function* recordsOf(
    { tenant: { customerId } }: ExportScope,
    conversationIds: readonly string[],
  ): AsyncGenerator<object> {
    const stored = ConversationMilestone.find({
      customerId,
      conversationId: { $in: objectIdsOf(conversationIds) },
    })
      .sort({ conversationId: 1, kind: 1, _id: 1 })
      .lean<MilestoneDoc>()
      .cursor({ batchSize: BATCH_SIZE });
    for await (const record of decryptedRows(encryption, MILESTONE_FIELDS, stored))
      yield {
        conversationId: record.conversationId.toHexString(),
        kind: record.kind,
        ...toMilestone(record),
      };
  }

  async function* linesOf(
    { tenant: { customerId } }: ExportScope,
    found: readonly ConversationDoc[],
  ): AsyncGenerator<Line> {
    for (const group of readGroups(found.toSorted((a, b) => (a.order < b.order ? -1 : 1)))) {
      const stored = await Message.find({
        customerId,
        conversationId: { $in: group.map(({ _id }) => _id) },
      })
        .sort({ conversationId: 1, seq: 1 })
        .lean<MessageDoc[]>();
      const messages = await encryption.decryptReadable(MESSAGE_FIELDS, stored);
      const of = Map.groupBy(messages, ({ conversationId }) => conversationId.toHexString());
      for (const conversation of group)
        yield toLine(conversation, of.get(conversation._id.toHexString()) ?? []);
    }
  }

  async function readLines(scope: ExportScope, after: unknown) {
    const { found, next } = await scan(scope, after);
    return { rows: linesOf(scope, found), next };
  }

  const sources: ExportSource[] = [
    {
      kind: 'conversations',
      collections: ['conversations', 'conversationMessages'],
      subject: 'both',
      columns: [
        ...['id', 'visitor_id', 'status', 'converted', 'goal', 'started_at', 'ended_at'],
        ...['identity.person_id', 'identity.email', 'identity.first_name', 'identity.last_name'],
        ...['identity.company', 'identity.job_title', 'conversion.type', 'conversion.goal'],
        ...['conversion.value', 'conversion.recorded_at'],
      ],
      read: readLines,
    },
    {
      kind: 'conversationRecords',
      collections: ['conversationRecords'],
      subject: 'both',
      async read(scope, after) {
        const { ids: of, next } = await ids(scope, after);
        return { rows: recordsOf(scope, of), next };
      },
    },
    {
      kind: 'conversationIds',
      collections: ['conversations'],
      subject: 'both',
      columns: ['conversationId', 'importId'],
      async read(scope, after) {
        const { found, next } = await scan(scope, after, { field: 'importId' });
        return {
          rows: found.flatMap(({ _id, importId }) =>
            importId === undefined ? [] : [{ conversationId: _id.toHexString(), importId }],
          ),
          next,
        };
      },
    },
    {
      kind: 'outcomes',
      collections: ['conversations'],
      subject: 'both',
      async read(scope, after) {
        const { found, next } = await scan(scope, after, { field: 'outcome' });
        return {
          rows: found.flatMap(({ _id, outcome }) =>
            outcome ? [{ conversationId: _id.toHexString(), ...outcome }] : [],
          ),
          next,
        };
      },
    },
  ];

  return {
    sources,
    ids,

    /** Returns which of the conversations belong to the person. */
    async ownAmong(
      { tenant: { customerId }, person }: Pick<ErasureContext, 'tenant' | 'person'>,
      conversationIds: readonly string[],
    ): Promise<Set<string>> {
      const owned = ownedBy(person);
      if (!owned || conversationIds.length === 0) return new Set();
      const found = await conversations.collection
        .find({
          $and: [
            { customerId, _id: { $in: objectIdsOf(conversationIds) } },
            { $or: [owned, ...encryptedFilters(CONVERSATION_FIELDS)] },
          ],
        })
        .toArray();
      const readable = await encryption.decryptReadable(
        CONVERSATION_FIELDS,
        found as unknown as ConversationDoc[],
      );
      return new Set(readable.filter(isOwnedBy(person)).map(({ _id }) => _id.toHexString()));
    },

    /** Reads all conversations of a tenant in the format of an import, without holding many in memory. */
    async *lines(tenant: Tenant): AsyncGenerator<Line> {
      const scope = { tenant, person: null };
      let after: unknown = null;
      do {
        const { rows, next } = await readLines(scope, after);
        yield* rows;
        after = next;
      } while (after !== null);
    },
  };
}

export type ConversationExport = ReturnType<typeof conversationExport>;
