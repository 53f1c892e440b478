import type { Models } from '../database.ts';
import type { Tenant } from '../features/tenants/tenants.types.ts';
import { pastMoments } from './calendar.ts';
import { type Visitor, visitors } from './people.ts';
import { type Played, play } from './play.ts';
import { createRandom } from './random.ts';
import { HANDED_OFF, STORIES } from './stories.ts';

const SEED = 20_260;
/** Conversations that are over, those that go on, and those that wait for a person; and how far back they go. */
const PAST = 141;
const ACTIVE = 4;
const WAITING = 5;
const DAYS = 90;

const MINUTE = 60_000;

/** What visitors of the demo tenant have said in the last 90 days: the same for the same `now`, but for ids. */
export function demoConversations(tenant: Tenant, now: Date): Played[] {
  const random = createRandom(SEED);
  const strangers = visitors(random);
  const seen: Visitor[] = [];
  /** Some come back. */
  const cast = (): Visitor => {
    const [first, ...others] = seen;
    if (first && random.chance(0.15)) return random.pick([first, ...others]);
    const visitor = strangers.next().value;
    seen.push(visitor);
    return visitor;
  };
  const minutesAgo = (low: number, high: number): Date =>
    new Date(now.getTime() - Math.round(random.between(low, high) * MINUTE));

  const past = pastMoments(random, PAST, DAYS, new Date(now.getTime() - 45 * MINUTE)).map((startedAt) =>
    play(
      { tenant, story: random.weighted(STORIES), visitor: cast(), startedAt, now, stillOpen: null },
      random,
    ),
  );
  const active = Array.from({ length: ACTIVE }, () =>
    play(
      { tenant, story: STORIES[0], visitor: cast(), startedAt: minutesAgo(3, 9), now, stillOpen: 'active' },
      random,
    ),
  );
  const waiting = Array.from({ length: WAITING }, () =>
    play(
      {
        tenant,
        story: random.pick(HANDED_OFF),
        visitor: cast(),
        startedAt: minutesAgo(10, 300),
        now,
        stillOpen: 'handed_off',
      },
      random,
    ),
  );
  return [...past, ...active, ...waiting];
}

/** Stores them as they are: nothing is sent. The conversations come last: where they are, all is there. */
export async function storeConversations(models: Models, played: Played[]): Promise<void> {
  // They are built from typed values; casting them again would take most of the time.
  const asTheyAre = { lean: true } as const;
  await models.Message.insertMany(
    played.flatMap(({ messages }) => messages),
    asTheyAre,
  );
  await models.ConversationRecord.insertMany(
    played.flatMap(({ records }) => records),
    asTheyAre,
  );
  await models.Conversation.insertMany(
    played.map(({ conversation }) => conversation),
    asTheyAre,
  );
}
