import type { Idempotency } from '../../platform/commit/idempotency/idempotency.ts';
import { countedAs, type ErasureContext, type PersonalData } from '../privacy/erasure-step.ts';
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
export const idempotencyErasure = ({ answers, ownConversations }: Deps): PersonalData => ({
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
});
