import { Types } from 'mongoose';
import type { Idempotency } from '../../platform/commit/idempotency/idempotency.ts';
import { createKeyedSerial } from '../../platform/keyed-serial.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import { createTimeSlice } from '../../platform/time-slice.ts';
import {
  countedAs,
  type ErasureContext,
  type PersonalData,
  type RemoveTraces,
} from '../privacy/erasure-step.ts';
import { mentionsOf } from '../privacy/mentions.ts';

interface Deps {
  answers: Idempotency['answers'];
  /** Returns which of the conversations belong to the person. */
  ownConversations: (context: ErasureContext, ids: readonly string[]) => Promise<ReadonlySet<string>>;
}

const OBJECT_ID = /(?<![0-9a-f])[0-9a-f]{24}(?![0-9a-f])/g;

/**
 * What the answers to requests with an `Idempotency-Key` contain of people, for a day. An answer that mentions the person
 * or one of their conversations is removed with its key; a repetition of its request is then executed again.
 */
export function idempotencyErasure({ answers, ownConversations }: Deps) {
  const personalData: PersonalData = {
    steps: [
      {
        name: 'idempotencyAnswers',
        collections: ['idempotencyKeys'],
        idsOf: 'idempotencyKeys',
        async find(context, after) {
          const { isIn } = mentionsOf(context.person, { isJson: true });
          const { found, next } = await answers.scan(context.tenant, after as string | null);
          const ids: string[] = [];
          const yieldToRequests = createTimeSlice();
          for (const { id, texts } of found) {
            await yieldToRequests();
            const conversations = texts.flatMap((text) => text.match(OBJECT_ID) ?? []);
            const isOwn =
              [id, ...texts].some(isIn) || (await ownConversations(context, conversations)).size > 0;
            if (isOwn) ids.push(id);
          }
          return countedAs('idempotency_answers', { ids, next });
        },
        erase: (_context, ids) => answers.remove(ids),
      },
    ],
  };

  const inTurn = createKeyedSerial();
  /** By tenant, the scan that begins when the one in progress has ended, and the conversations that it looks for. */
  const nextScans = new Map<number, { conversations: Set<string>; removed: Promise<Map<string, number>> }>();

  /** Removes the answers that name one of the conversations by its id; returns their number by conversation. */
  async function removeNaming(
    tenant: TenantRef,
    conversations: ReadonlySet<string>,
  ): Promise<Map<string, number>> {
    const removed = new Map<string, number>();
    const since = new Date(
      Math.min(...[...conversations].map((id) => new Types.ObjectId(id).getTimestamp().getTime())),
    );
    const yieldToRequests = createTimeSlice();
    let after: string | null = null;
    do {
      const { found, next } = await answers.scan(tenant, after, since);
      const naming: string[] = [];
      for (const { id, texts } of found) {
        await yieldToRequests();
        const named = [...conversations].filter((name) => [id, ...texts].some((text) => text.includes(name)));
        if (named.length > 0) naming.push(id);
        for (const name of named) removed.set(name, (removed.get(name) ?? 0) + 1);
      }
      if (naming.length > 0) await answers.remove(naming);
      after = next;
    } while (after !== null);
    return removed;
  }

  /**
   * Removes the answers that name a conversation by its id. Of a tenant, a process has at most one scan in progress and one
   * that waits, which serves all deletions that arrive meanwhile.
   */
  const ofConversation: RemoveTraces = async (tenant, id) => {
    const { customerId } = tenant;
    let scan = nextScans.get(customerId);
    if (!scan) {
      const conversations = new Set<string>();
      const removed = inTurn(String(customerId), () => {
        nextScans.delete(customerId);
        return removeNaming(tenant, conversations);
      });
      scan = { conversations, removed };
      nextScans.set(customerId, scan);
    }
    scan.conversations.add(id);
    return { idempotency_answers: (await scan.removed).get(id) ?? 0 };
  };

  return { personalData, ofConversation };
}
