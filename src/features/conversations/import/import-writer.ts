import { randomUUID } from 'node:crypto';
import { Types } from 'mongoose';
import { AppError } from '../../../errors/app-error.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Write } from '../../../platform/commit/unit-of-work.ts';
import { duplicateKeyOf } from '../../../platform/mongo/duplicate-key.ts';
import { isObjectIdText, newObjectId } from '../../../platform/mongo/object-id.ts';
import { orderOf } from '../../../platform/mongo/time-order.ts';
import { mapInSlices } from '../../../platform/time-slice.ts';
import type { Outbox } from '../../outbox/outbox.ts';
import type { OutboxEvent } from '../../outbox/outbox-event.ts';
import { SUPPRESSED } from '../../privacy/person.ts';
import type { Suppressions } from '../../privacy/suppression.service.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import { isTerminal } from '../allowed-moves.ts';
import { endedEvent, identityEvent, startedEvent } from '../conversation-events.ts';
import type { ConversationDoc, MessageDoc } from '../conversations.model.ts';
import type { ConversationStore } from '../conversations.store.ts';
import { textBytesOf } from '../conversations.types.ts';
import type { Conversions } from '../conversions.ts';
import { withoutSuppressed } from '../without-suppressed.ts';
import type { Publication } from './import.model.ts';
import type { ImportStore } from './import.store.ts';
import type { ImportedConversation } from './import-line.ts';

interface Deps {
  conversations: ConversationStore;
  conversions: Conversions;
  imports: ImportStore;
  outbox: Outbox;
  suppressions: Suppressions;
  clock: Clock;
}

interface WriteOptions {
  /** True to emit the events of the conversations. */
  emit: boolean;
  /** Throws if the import has lost its lease. */
  requireLease: () => void;
  /** Import ids returned by `discardLeftovers`, which count once as stored by this import. */
  completed?: Set<string>;
}

/** What is stored for one imported conversation. */
interface ImportUnit {
  conversation: ConversationDoc;
  messages: MessageDoc[];
  milestones: Write[];
  events: OutboxEvent[];
  /** True if the ids come from the imported line and may already be in use. */
  keepsIds: boolean;
}

const lostToAnother = () =>
  new AppError(
    'CONFLICT',
    'Another import for this customer is storing the same conversations. Run this import again after it has ended.',
  );

const idOf = ({ conversation }: ImportUnit) => conversation._id;

/** Stores imported conversations, each completely or not at all. */
export function createImportWriter(deps: Deps) {
  const { conversations, conversions, imports, outbox, suppressions, clock } = deps;

  /** Inserts documents of several units; returns the units that were inserted completely. */
  async function insert(
    units: ImportUnit[],
    insertionsOf: (unit: ImportUnit) => Promise<Write[]> | Write[],
  ): Promise<ImportUnit[]> {
    const writes = await Promise.all(units.map(insertionsOf));
    const insertions = units.flatMap((unit, index) =>
      (writes[index] ?? []).map((write) => ({ unit, write })),
    );
    const refused = await imports.insertEach(insertions.map(({ write }) => write));
    const incomplete = new Set(refused.map((index) => insertions[index]?.unit));
    return units.filter((unit) => !incomplete.has(unit));
  }

  /**
   * Reserves the units' ids and returns the units whose ids are free. Existing conversations are looked up after the
   * reservation, when no other import can store one with these ids.
   */
  async function stage(tenant: Tenant, token: string, units: ImportUnit[]): Promise<ImportUnit[]> {
    const staged = await insert(units, (unit) => imports.staging(token, unit));
    const [taken, known] = await Promise.all([
      imports.taken(staged.filter(({ keepsIds }) => keepsIds).map(idOf)),
      imports.known(
        tenant,
        staged.map(({ conversation }) => conversation.importId ?? ''),
      ),
    ]);
    const isTaken = ({ conversation: { _id, importId } }: ImportUnit) =>
      taken.has(_id.toHexString()) || known.has(importId ?? '');
    await imports.unstage(token, staged.filter(isTaken).map(idOf));
    return staged.filter((unit) => !isTaken(unit));
  }

  /** Inserts messages and milestones; returns the units that are stored completely. */
  async function insertContents(units: ImportUnit[]): Promise<ImportUnit[]> {
    const [withMessages, withMilestones] = await Promise.all([
      insert(units, ({ messages }) => conversations.messageInsertions(messages)),
      insert(units, ({ milestones }) => milestones),
    ]);
    const complete = new Set(withMilestones);
    return withMessages.filter((unit) => complete.has(unit));
  }

  /** Commits a conversation with its events; returns false if its id is in use. */
  async function commit({ conversation, events }: Publication): Promise<boolean> {
    try {
      const writes = await conversations.insertions([conversation]);
      await outbox.commit(() => ({ writes, events, result: null }), { tenant: conversation });
      return true;
    } catch (error) {
      if (duplicateKeyOf(error) === null) throw error;
      return false;
    }
  }

  /** Inserts conversations with their events; returns the stored ones. */
  async function publish<P extends Publication>(publications: P[]): Promise<P[]> {
    const silent = publications.filter(({ events }) => events.length === 0);
    const refused = await imports.insertEach(
      await conversations.insertions(silent.map(({ conversation }) => conversation)),
    );
    const failed = new Set(refused.map((index) => silent[index]));
    // Concurrently, so that the committer combines them.
    const committed = await Promise.all(
      publications.map((publication) => publication.events.length === 0 || commit(publication)),
    );
    return publications.filter((publication, index) => committed[index] && !failed.has(publication));
  }

  /** Stores the units whose ids are free, and returns them. */
  async function storeUnits(
    tenant: Tenant,
    units: ImportUnit[],
    requireLease: () => void,
  ): Promise<Set<ImportUnit>> {
    const token = randomUUID();
    const staged = await stage(tenant, token, units);
    const complete = await insertContents(staged);
    requireLease();
    if (!(await imports.beginPublishing(token, complete.map(idOf)))) throw lostToAnother();
    const stored = new Set(await publish(complete));
    // Without the lease, another import may already store conversations with the same ids.
    requireLease();
    await imports.discard(tenant, token, staged.filter((unit) => !stored.has(unit)).map(idOf));
    await imports.unstage(token, [...stored].map(idOf));
    return stored;
  }

  /**
   * Completes the publications of crashed imports, as of now: events with earlier ids are refused. An erasure that removes
   * one while it is published finds the conversation. Returns the import ids of the stored conversations.
   */
  async function completePublications(tenant: Tenant): Promise<Set<string>> {
    const now = clock.now();
    const publications = (await imports.publishing(tenant)).map(({ conversation, events }) => ({
      conversation: { ...conversation, ...(events.length > 0 && { lastEventAt: now }) },
      events: withNewIds(events, now),
    }));
    const stored = await publish(publications);
    await imports.endPublishing(
      tenant,
      publications.map(({ conversation }) => conversation._id),
    );
    return new Set(stored.flatMap(({ conversation: { importId } }) => importId ?? []));
  }

  return {
    /**
     * Stores conversations with distinct import ids, except those that the tenant already has.
     *
     * @returns the number of stored conversations and of suppressed people's among them, and the ids of all by import id
     * @throws AppError `CONFLICT` if another import of the tenant stores the same conversations
     */
    storeAll: (
      tenant: Tenant,
      batch: ImportedConversation[],
      { emit, requireLease, completed = new Set() }: WriteOptions,
    ): Promise<{ stored: number; suppressed: number; ids: Map<string, string> }> =>
      suppressions.whileStoring(tenant, async (suppressor) => {
        const ids = new Map<string, string>();
        let left = suppressor
          ? await mapInSlices(batch, (imported) => withoutSuppressed(imported, suppressor))
          : batch;
        let suppressed = 0;
        let stored = batch.filter(({ id }) => completed.delete(id)).length;
        // If a unit was not stored, one of its ids is in use. The second round generates new ids.
        for (const keepIds of [true, false]) {
          const known = await imports.known(
            tenant,
            left.map(({ id }) => id),
          );
          for (const { id } of left) {
            const knownId = known.get(id);
            if (knownId !== undefined) ids.set(id, knownId);
          }
          left = left.filter(({ id }) => !known.has(id));
          if (left.length === 0) break;
          const now = clock.now();
          const units = await Promise.all(
            left.map((imported) =>
              importUnit(tenant, imported, {
                conversions,
                emit,
                keepIds: keepIds && isObjectIdText(imported.id),
                now,
              }),
            ),
          );
          const done = await storeUnits(tenant, units, requireLease);
          stored += done.size;
          suppressed += [...done].filter(({ conversation }) => conversation.visitorId === SUPPRESSED).length;
          for (const { conversation } of done)
            ids.set(conversation.importId ?? '', conversation._id.toHexString());
          left = left.filter((_, index) => !units[index] || !done.has(units[index]));
        }
        if (left.length > 0) throw lostToAnother();
        if (suppressed > 0) suppressions.count('imports', suppressed);
        return { stored, suppressed, ids };
      }),

    /**
     * Removes incomplete conversations of the tenant's crashed imports, and completes those whose publication had begun.
     *
     * @returns the import ids of the completed ones
     */
    async discardLeftovers(tenant: Tenant): Promise<Set<string>> {
      await imports.discardStaged(tenant);
      return suppressions.whileCopying([tenant], () => completePublications(tenant));
    },
  };
}

interface UnitOptions {
  conversions: Conversions;
  /** True to emit the conversation's events. */
  emit: boolean;
  /** True to keep the conversation's id and nested ids if they are object ids. */
  keepIds: boolean;
  now: Date;
}

async function importUnit(
  tenant: Tenant,
  imported: ImportedConversation,
  { conversions, emit, keepIds, now }: UnitOptions,
): Promise<ImportUnit> {
  const { customerId } = tenant;
  const idOf = (id: string | null): Types.ObjectId =>
    keepIds && isObjectIdText(id) ? new Types.ObjectId(id) : newObjectId(now);
  const { id: importId, visitorId, status, goal, startedAt, endedAt, identity, messages } = imported;
  const _id = idOf(importId);
  const conversion = imported.conversion && { ...imported.conversion, id: idOf(imported.conversion.id) };
  const recorded =
    conversion &&
    (await conversions.plan(tenant, { conversation: { _id }, conversion, now: conversion.recordedAt }));
  const conversation: ConversationDoc = {
    _id,
    customerId,
    visitorId,
    status,
    converted: recorded !== null,
    goal,
    startedAt,
    endedAt,
    order: orderOf(startedAt, _id),
    messageCount: messages.length,
    textBytes: textBytesOf(messages),
    identity,
    conversion: recorded?.changed.conversion ?? null,
    outcome: null,
    resolution: null,
    ...(emit && { lastEventAt: now }),
    importId,
  };
  return {
    conversation,
    messages: messages.map(({ id, role, text, sentAt }, seq) => ({
      _id: idOf(id),
      customerId,
      conversationId: _id,
      seq,
      role,
      text,
      sentAt,
    })),
    milestones: recorded?.writes ?? [],
    events: emit ? eventsOf(tenant, conversation, { conversionEvents: recorded?.events ?? [], now }) : [],
    keepsIds: keepIds,
  };
}

/**
 * Returns the events that the conversation would have emitted in this service, in order. `ts` is the original time. The
 * ids are new, because the order of lists and the retention depend on them.
 */
function eventsOf(
  tenant: Tenant,
  conversation: ConversationDoc,
  { conversionEvents, now }: { conversionEvents: OutboxEvent[]; now: Date },
): OutboxEvent[] {
  const { status, startedAt, endedAt, identity } = conversation;
  const events = [startedEvent(tenant, conversation, startedAt)];
  if (identity) events.push(identityEvent(tenant, { ...conversation, identity }, startedAt));
  events.push(...conversionEvents);
  if (isTerminal(status) && endedAt) events.push(endedEvent(tenant, { ...conversation, status }, endedAt));
  return withNewIds(events, now);
}

const withNewIds = (events: readonly OutboxEvent[], now: Date): OutboxEvent[] =>
  events.map((event) => ({ ...event, id: newObjectId(now) }));
