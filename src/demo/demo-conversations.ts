import { atMost } from '../platform/at-most.ts';
import { HAND_OFF_SCRIPTS, SCRIPTS } from './conversation-scripts.ts';
import { type ConversationPlan, type Simulation, simulateConversation } from './conversation-simulation.ts';
import { pastTimes } from './past-times.ts';
import { createRandom } from './seeded-random.ts';
import { type Visitor, visitors } from './visitors.ts';

const SEED = 20_260;
/** Numbers of conversations by current status: ended, active, and handed off but unanswered. */
const OVER = 141;
const ACTIVE = 4;
const HANDED_OFF = 5;
export const DEMO_CONVERSATIONS = OVER + ACTIVE + HANDED_OFF;
const DAYS = 90;
const RETURNING_SHARE = 0.15;

const MINUTE_MS = 60_000;

/** Plans the demo tenant's conversations of the last 90 days: the same plans for the same `now`. */
function planConversations(now: Date): ConversationPlan[] {
  const random = createRandom(SEED);
  const newVisitors = visitors(random);
  const seen: Visitor[] = [];
  const nextVisitor = (): Visitor => {
    const [first, ...rest] = seen;
    if (first && random.chance(RETURNING_SHARE)) return random.pick([first, ...rest]);
    const visitor = newVisitors.next().value;
    seen.push(visitor);
    return visitor;
  };
  const minutesAgo = (min: number, max: number): Date =>
    new Date(now.getTime() - Math.round(random.between(min, max) * MINUTE_MS));
  const plan = (chosen: Pick<ConversationPlan, 'script' | 'startedAt' | 'openStatus'>): ConversationPlan => ({
    ...chosen,
    visitor: nextVisitor(),
    seed: random.seed(),
  });

  const latest = new Date(now.getTime() - 45 * MINUTE_MS);
  const over = pastTimes(random, { count: OVER, days: DAYS, latest }).map((startedAt) =>
    plan({ script: random.weighted(SCRIPTS), startedAt, openStatus: null }),
  );
  const active = Array.from({ length: ACTIVE }, () =>
    plan({ script: SCRIPTS[0], startedAt: minutesAgo(3, 9), openStatus: 'active' }),
  );
  // Spread, so that at any time of the day some deliveries of handoffs wait for a retry and others have failed.
  const handedOff = Array.from({ length: HANDED_OFF }, (_, index) =>
    plan({
      script: random.pick(HAND_OFF_SCRIPTS),
      startedAt: minutesAgo(10 + index * 60, 40 + index * 60),
      openStatus: 'handed_off',
    }),
  );
  return [...over, ...active, ...handedOff];
}

/** Conversations that run at once: fewer than the process has connections, which open slowly on a busy machine. */
const MAX_AT_ONCE = 16;

/** Creates the demo conversations except the first `skip`. Conversations run concurrently and share transactions. */
export async function seedConversations(simulation: Simulation, skip = 0): Promise<void> {
  const plans = planConversations(simulation.now).slice(skip);
  await atMost(MAX_AT_ONCE, plans, (plan) => simulateConversation(simulation, plan));
}
