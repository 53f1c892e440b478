import { type Model, Types } from 'mongoose';
import { objectIdsOf } from '../../platform/mongo/object-id.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import { mapInSlices } from '../../platform/time-slice.ts';
import { valueAt } from '../../platform/value-at.ts';
import { MAX_TEXT } from '../../shared/text-limits.ts';
import {
  addCounts,
  type ConversationData,
  type ErasureContext,
  type ErasureCounts,
  type ErasureStep,
  NOTHING_FOUND,
  type PersonalData,
} from '../privacy/erasure-step.ts';
import type { FieldEncryption } from '../privacy/field-encryption.ts';
import { mentionStep } from '../privacy/mention-step.ts';
import { anyOf, filtersByEmail, mentionsOf } from '../privacy/mentions.ts';
import { hasEmail, SUPPRESSED } from '../privacy/person.ts';
import {
  decryptedRows,
  linksIn,
  personalCollection,
  rewritePersonal,
  scanPersonalDocuments,
} from '../privacy/personal-scan.ts';
import { phonesIn } from '../privacy/phone-numbers.ts';
import { cutTo } from '../privacy/replacements.ts';
import { identifiersOf, isOwnedBy, ownedBy } from './conversation-people.ts';
import {
  CONVERSATION_FIELDS,
  type ConversationDoc,
  MESSAGE_FIELDS,
  type MessageDoc,
  MILESTONE_FIELDS,
  type MilestoneDoc,
} from './conversations.model.ts';
import { MAX_MESSAGE_TEXT } from './conversations.types.ts';
import { STAGED_FIELDS, type StagedConversationDoc } from './import/import.model.ts';
import type { ImportStore } from './import/import.store.ts';

interface Models {
  Conversation: Model<ConversationDoc>;
  Message: Model<MessageDoc>;
  ConversationMilestone: Model<MilestoneDoc>;
  StagedConversation: Model<StagedConversationDoc>;
}

interface Deps {
  dependants: readonly ConversationData[];
  encryption: FieldEncryption;
  imports: Pick<ImportStore, 'discardUnpublished'> & {
    /** Returns true if an import of the tenant is in progress. */
    isRunning(tenant: TenantRef): Promise<boolean>;
  };
}

/** Conversations per window, and per batch that is erased with its messages. */
const WINDOW = { conversations: 500, messages: 2_000, milestones: 2_000, staged: 200 };
/** Messages that are searched for phone numbers. */
const MAX_SEARCHED_MESSAGES = 2_000;

const MILESTONE_KINDS = {
  conversion: 'conversions',
  resolution: 'resolutions',
  handoff: 'handoffs',
} as const;

/** Fields of a milestone's data with text that can mention people. */
const MILESTONE_TEXTS = ['reason', 'schemaName', 'goal', 'type', 'resolvedCompany'] as const;

/** Fields of a conversation with text that can mention other people. */
const LABELS = [
  'goal',
  'conversion.goal',
  'conversion.type',
  'outcome.category',
  'identity.company',
  'identity.jobTitle',
  'resolution.resolvedCompany',
] as const;

/** Replaces mentions in the labels of a field of a conversation. */
function redactLabels(field: string, value: unknown, redact: (text: string) => string): unknown {
  const isLabel = (path: string) => LABELS.some((label) => label === path);
  if (typeof value === 'string') return isLabel(field) ? redact(value) : value;
  const members = Object.entries(value as object);
  const redacted = members.map(([name, member]) =>
    typeof member === 'string' && isLabel(`${field}.${name}`) ? redact(member) : member,
  );
  return redacted.some((member, index) => member !== members[index]?.[1])
    ? Object.fromEntries(members.map(([name], index) => [name, redacted[index]]))
    : value;
}

/**
 * What conversations store about people. A conversation of an erased person is removed with its messages and milestones,
 * and with what other features store about it; mentions in other conversations are replaced.
 */
export function conversationErasure(models: Models, { dependants, encryption, imports }: Deps) {
  const { Conversation, Message, ConversationMilestone, StagedConversation } = models;
  const conversations = personalCollection(Conversation, CONVERSATION_FIELDS, encryption);
  const messages = personalCollection(Message, MESSAGE_FIELDS, encryption);
  const milestones = personalCollection(ConversationMilestone, MILESTONE_FIELDS, encryption);

  /** Collections that a removal of conversations reaches. */
  const collections = [
    ...['conversations', 'conversationMessages', 'conversationRecords', 'stagedConversations'],
    ...dependants.flatMap((data) => data.collections),
  ];

  const ofConversations = ({ customerId }: TenantRef, ids: readonly string[]) => ({
    customerId,
    conversationId: { $in: objectIdsOf(ids) },
  });

  async function contents(
    tenant: TenantRef,
    found: Pick<ConversationDoc, '_id' | 'identity' | 'outcome'>[],
  ): Promise<ErasureCounts> {
    const ids = found.map(({ _id }) => _id.toHexString());
    const of = ofConversations(tenant, ids);
    const kinds = Object.entries(MILESTONE_KINDS) as [keyof typeof MILESTONE_KINDS, string][];
    const [texts, ...records] = await Promise.all([
      Message.countDocuments(of),
      ...kinds.map(([kind]) => ConversationMilestone.countDocuments({ ...of, kind })),
    ]);
    return addCounts(
      {
        conversations: found.length,
        messages: texts,
        identities: found.filter(({ identity }) => identity !== null).length,
        outcomes: found.filter(({ outcome }) => outcome !== null).length,
        ...Object.fromEntries(kinds.map(([, kind], index) => [kind, records[index] ?? 0])),
      },
      ...(await Promise.all(dependants.map((data) => data.count(tenant, ids)))),
    );
  }

  /** Removes conversations first: a change that is being committed then fails instead of adding to them. */
  async function remove(tenant: TenantRef, ids: readonly string[]): Promise<void> {
    const { customerId } = tenant;
    await Conversation.deleteMany({ customerId, _id: { $in: objectIdsOf(ids) } });
    await removeContents(tenant, ids);
  }

  /**
   * Removes everything that belongs to conversations, and what an import keeps of those it publishes or discards. What is
   * only staged belongs to a running import.
   */
  async function removeContents(tenant: TenantRef, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await Promise.all([
      Message.deleteMany(ofConversations(tenant, ids)),
      ConversationMilestone.deleteMany(ofConversations(tenant, ids)),
    ]);
    for (const { erase } of dependants) await erase(tenant, ids);
    // Last: after a crash in between, a repetition still finds it.
    await StagedConversation.deleteMany({
      customerId: tenant.customerId,
      _id: { $in: objectIdsOf(ids) },
      state: { $in: ['publishing', 'discarding'] },
    });
  }

  const own: ErasureStep = {
    name: 'conversations',
    collections,
    idsOf: 'conversations',
    async find({ tenant, person, awaitsDeliveries }, after) {
      const owned = ownedBy(person);
      if (!owned) return NOTHING_FOUND;
      const { found, next } = await scanPersonalDocuments<ConversationDoc>(conversations, {
        ...{ tenant, after, size: WINDOW.conversations, match: owned, matches: isOwnedBy(person) },
        projection: { visitorId: 1 },
      });
      const all = found.map(({ _id }) => _id.toHexString());
      const busy = awaitsDeliveries ? await busyAmong(tenant, all) : new Set<string>();
      const free = found.filter(({ _id }) => !busy.has(_id.toHexString()));
      return {
        ids: free.map(({ _id }) => _id.toHexString()),
        counts: await contents(tenant, free),
        next,
        isWaiting: busy.size > 0,
      };
    },
    erase: ({ tenant }, ids) => remove(tenant, ids),
  };

  /** Returns which of the conversations have a delivery on its way. */
  async function busyAmong(tenant: TenantRef, ids: string[]): Promise<Set<string>> {
    const sets = await Promise.all(dependants.map(async ({ busy }) => busy?.(tenant, ids) ?? new Set()));
    return new Set(sets.flatMap((set) => [...set] as string[]));
  }

  const labels = mentionStep<ConversationDoc>({
    name: 'conversationLabels',
    of: conversations,
    size: WINDOW.conversations,
    searchFor(person) {
      const { filter, isIn, redact } = mentionsOf(person);
      return {
        match: anyOf(LABELS.map(filter)),
        matches: (conversation) => LABELS.some((path) => isIn(String(valueAt(conversation, path) ?? ''))),
        redacted: ({ field, value }) => redactLabels(field, value, (text) => cutTo(MAX_TEXT, redact(text))),
      };
    },
  });

  const texts = mentionStep<MessageDoc>({
    name: 'conversationTexts',
    of: messages,
    size: WINDOW.messages,
    searchFor(person) {
      const { filter, isIn, redact } = mentionsOf(person);
      return {
        match: filter('text'),
        matches: ({ text }) => isIn(text),
        redacted: ({ value }) => cutTo(MAX_MESSAGE_TEXT, redact(String(value))),
      };
    },
  });

  const records = mentionStep<MilestoneDoc>({
    name: 'conversationRecords',
    of: milestones,
    size: WINDOW.milestones,
    searchFor(person) {
      const { filter, isIn, redact } = mentionsOf(person);
      const isPersonId = (id: unknown) =>
        typeof id === 'string' && (person.personIds.includes(id) || hasEmail(person, id));
      return {
        match: anyOf([
          person.personIds.length > 0 ? { 'data.resolvedPersonId': { $in: person.personIds } } : null,
          ...filtersByEmail('data.resolvedPersonId', person.emails),
          ...MILESTONE_TEXTS.map((name) => filter(`data.${name}`)),
        ]),
        matches({ data }) {
          const values: Record<string, unknown> = { ...data };
          return (
            isPersonId(values.resolvedPersonId) ||
            MILESTONE_TEXTS.some((name) => isIn(String(values[name] ?? '')))
          );
        },
        redacted({ value }) {
          const values = Object.entries(value as object);
          const redacted = values.map(([name, text]) => [
            name,
            typeof text === 'string' ? redact(text) : text,
          ]);
          const { resolvedPersonId } = value as { resolvedPersonId?: unknown };
          return {
            ...Object.fromEntries(redacted),
            ...(isPersonId(resolvedPersonId) && { resolvedPersonId: null }),
          };
        },
      };
    },
  });

  /** Returns which staged conversations are the person's, or mention them, apart from their messages. */
  async function stagedOf({ person }: ErasureContext, rows: StagedConversationDoc[]): Promise<string[]> {
    const owned = isOwnedBy(person);
    const mentions = mentionsOf(person, { isJson: true });
    const readable = await encryption.decryptReadable(STAGED_FIELDS, rows);
    return readable.flatMap(({ _id, publication }) =>
      publication && (owned(publication.conversation) || mentions.isIn(JSON.stringify(publication)))
        ? [_id.toHexString()]
        : [],
    );
  }

  /** Returns which conversations have a message or a conversion that mentions the person. */
  async function mentioning(
    { tenant, person }: ErasureContext,
    ids: readonly string[],
  ): Promise<Set<string>> {
    const { isIn } = mentionsOf(person);
    const found = new Set<string>();
    const of = ofConversations(tenant, ids);
    const texts = Message.find(of, { customerId: 1, conversationId: 1, text: 1 }).lean().cursor();
    for await (const { conversationId, text } of decryptedRows(encryption, MESSAGE_FIELDS, texts))
      if (isIn(text)) found.add(conversationId.toHexString());
    const records = ConversationMilestone.find(of).lean().cursor();
    for await (const { conversationId, data } of decryptedRows(encryption, MILESTONE_FIELDS, records))
      if (isIn(JSON.stringify(data))) found.add(conversationId.toHexString());
    return found;
  }

  /**
   * Conversations that a killed import left behind. What it had not begun to publish is stored by no later import: all of
   * it is removed, once no import runs.
   */
  const staged: ErasureStep = {
    name: 'importRecords',
    collections,
    idsOf: 'stagedConversations',
    async find(context, after) {
      const { tenant } = context;
      const rows = await StagedConversation.find({
        customerId: tenant.customerId,
        ...(after !== null && { _id: { $gt: new Types.ObjectId(String(after)) } }),
      })
        .sort({ _id: 1 })
        .limit(WINDOW.staged)
        .lean();
      const { publishing = [], unpublished = [] } = Object.groupBy(rows, ({ state }) =>
        state === 'publishing' ? state : 'unpublished',
      );
      const published = await stagedOf(context, publishing);
      // After the rows were read: an import that begins later has staged none of them.
      const left = unpublished.length > 0 && (await imports.isRunning(tenant)) ? [] : unpublished;
      const leftIds = left.map(({ _id }) => _id.toHexString());
      const found =
        left.length > 0 ? [...(await stagedOf(context, left)), ...(await mentioning(context, leftIds))] : [];
      return {
        ids: [...published, ...leftIds],
        counts: { import_records: published.length + new Set(found).size },
        next: rows.length < WINDOW.staged ? null : (rows.at(-1)?._id.toHexString() ?? null),
      };
    },
    async erase(context, ids) {
      const { tenant } = context;
      const { customerId } = tenant;
      await imports.discardUnpublished(tenant, objectIdsOf(ids));
      const rows = await StagedConversation.find({ customerId, _id: { $in: objectIdsOf(ids) } }).lean();
      const published = await stagedOf(context, rows);
      const stored = await Conversation.find(
        { customerId, _id: { $in: objectIdsOf(published) } },
        { _id: 1 },
      ).lean<Pick<ConversationDoc, '_id'>[]>();
      const isStored = new Set(stored.map(({ _id }) => _id.toHexString()));
      // A stored conversation is complete, and can be another person's: the next steps search it. The reservation last: after
      // a crash in between, a repetition still finds it.
      await remove(
        tenant,
        published.filter((id) => !isStored.has(id)),
      );
      await StagedConversation.deleteMany({ customerId, _id: { $in: objectIdsOf(published) } });
    },
  };

  /** Returns what the visitors of conversations have written. */
  async function visitorTexts(
    tenant: TenantRef,
    found: Pick<ConversationDoc, '_id'>[],
    limit: number,
  ): Promise<string[]> {
    const ids = found.map(({ _id }) => _id.toHexString());
    const written = await Message.find(
      { ...ofConversations(tenant, ids), role: 'visitor' },
      { customerId: 1, text: 1 },
    )
      .limit(limit)
      .lean<Pick<MessageDoc, '_id' | 'customerId' | 'text'>[]>();
    const readable = await encryption.decryptReadable(MESSAGE_FIELDS, written);
    return readable.map(({ text }) => text);
  }

  const personalData: PersonalData = {
    async links(tenant, person, signal) {
      const owned = ownedBy(person);
      if (!owned) return {};
      const size = WINDOW.conversations * 10;
      const matches = isOwnedBy(person);
      let unsearched = MAX_SEARCHED_MESSAGES;
      return linksIn<ConversationDoc>(
        conversations,
        { tenant, size, match: owned, matches, projection: { visitorId: 1 }, signal },
        async (found) => {
          const texts =
            found.length > 0 && unsearched > 0 ? await visitorTexts(tenant, found, unsearched) : [];
          unsearched -= texts.length;
          const phones = (await mapInSlices(texts, phonesIn)).flat();
          return { ...identifiersOf(found), phones };
        },
      );
    },
    steps: [staged, own, labels, texts, records],
  };

  /** What the reason of a handoff and the person of a resolution become in the conversation of a suppressed person. */
  const suppressedRecord = (data: object) => ({
    ...data,
    ...('reason' in data && data.reason !== null && { reason: SUPPRESSED }),
    ...('resolvedPersonId' in data && { resolvedPersonId: null }),
  });

  return {
    personalData,
    busyAmong,
    removeContents,

    /** Replaces the texts of a conversation whose visitor turned out to be a suppressed person, and who it was resolved to. */
    async suppressContents(tenant: TenantRef, id: Types.ObjectId): Promise<void> {
      const ids = [id.toHexString()];
      await Message.updateMany(ofConversations(tenant, ids), { $set: { text: SUPPRESSED } });
      const found = await ConversationMilestone.find(ofConversations(tenant, ids)).lean<MilestoneDoc[]>();
      await rewritePersonal(milestones, found, ({ value }) => suppressedRecord(value as object));
      for (const { suppress } of dependants) await suppress(tenant, ids);
    },

    /**
     * Removes one conversation; returns what it consisted of, or null if the tenant does not have it. In both cases, nothing
     * that belongs to it is left.
     */
    async removeOne(tenant: TenantRef, id: string): Promise<ErasureCounts | null> {
      const found = await Conversation.findOne({
        customerId: tenant.customerId,
        _id: new Types.ObjectId(id),
      }).lean<ConversationDoc>();
      const counts = found && (await contents(tenant, [found]));
      // Also without a conversation: a crash can have left the rest of it.
      await remove(tenant, [id]);
      return counts;
    },
  };
}
