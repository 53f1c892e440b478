import type { Idempotency } from '../../platform/commit/idempotency/idempotency.ts';
import { createKeyedSerial } from '../../platform/keyed-serial.ts';
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
  const data: PersonalData = {
    steps: [
      {
        name: 'idempotencyAnswers',
        collections: ['idempotencyKeys'],
        async find(context, after) {
          const { isIn } = mentionsOf(context.person, { isJson: true });
          const { found, next } = await answers.scan(context.tenant, after as string | null);
          const ids: string[] = [];
          for (const { id, texts } of found) {
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

  // Reads and decrypts the answers of a day: of one tenant, a process does that once at a time.
  const inTurn = createKeyedSerial();

  /** Removes the answers that name a conversation by its id. */
  const ofConversation: RemoveTraces = (tenant, conversation) =>
    inTurn(String(tenant.customerId), async () => {
      const yieldToRequests = createTimeSlice();
      let count = 0;
      let after: string | null = null;
      do {
        await yieldToRequests();
        const { found, next } = await answers.scan(tenant, after);
        const ids = found
          .filter(({ id, texts }) => [id, ...texts].some((text) => text.includes(conversation.id)))
          .map(({ id }) => id);
        if (ids.length > 0) await answers.remove(ids);
        count += ids.length;
        after = next;
      } while (after !== null);
      return { idempotency_answers: count };
    });

  return { data, ofConversation };
}
