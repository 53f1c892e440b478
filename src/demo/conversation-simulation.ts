import type { Conversation, MessageRole } from '../features/conversations/conversations.types.ts';
import type { MoveService } from '../features/conversations/moves.service.ts';
import type { Tenant } from '../features/tenants/tenants.types.ts';
import type { Clock } from '../platform/clock.ts';
import type { ConversationScript, Step } from './conversation-scripts.ts';
import { createRandom, type Random } from './seeded-random.ts';
import type { Visitor } from './visitors.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Shortest and longest pause before a message. */
const PAUSES_MS: Record<MessageRole, [number, number]> = {
  visitor: [8 * SECOND_MS, 70 * SECOND_MS],
  bot: [SECOND_MS, 4 * SECOND_MS],
  operator: [40 * SECOND_MS, 6 * MINUTE_MS],
};
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'] as const;
const TIMES = ['9:30', '10:00', '11:15', '14:00', '15:30', '16:00'] as const;

export interface ConversationPlan {
  script: ConversationScript;
  visitor: Visitor;
  startedAt: Date;
  /** Present status of a conversation that has not ended; null if the script runs to its end. */
  openStatus: 'active' | 'handed_off' | null;
  /** Seed of all random choices of the simulation. */
  seed: number;
}

export interface Simulation {
  tenant: Tenant;
  /** End of the simulation: no step happens later. */
  now: Date;
  /** Returns the conversation service on a given clock. */
  movesAt(clock: Clock): MoveService;
}

/** Returns the steps that have happened: a visitor may leave early, and an open conversation lacks its end. */
function stepsOf({ script, openStatus }: ConversationPlan, random: Random): readonly Step[] {
  const handOff = script.steps.findIndex(({ type }) => type === 'handOff');
  if (openStatus === 'handed_off') return script.steps.slice(0, handOff + 1);
  if (openStatus === 'active') return script.steps.slice(0, Math.round(random.between(2, 3)));
  if (random.chance(script.dropOut)) return script.steps.slice(0, Math.round(random.between(2, 4)));
  return script.steps;
}

/** Replaces `{company}` and similar placeholders with the visitor's data. */
function placeholders({ identity, seats }: Visitor, random: Random): (text: string) => string {
  const values: Record<string, string> = {
    email: identity.email,
    firstName: identity.firstName,
    company: identity.company,
    seats: String(seats),
    monthly: String(seats * 7),
    day: random.pick(DAYS),
    time: random.pick(TIMES),
  };
  return (text) => text.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}

/** Replays a past conversation through the service, on a clock that follows the conversation. */
export async function simulateConversation(
  { tenant, now, movesAt }: Simulation,
  plan: ConversationPlan,
): Promise<void> {
  const { script, visitor, startedAt, openStatus } = plan;
  const { identity } = visitor;
  const random = createRandom(plan.seed);
  let at = startedAt;
  const moves = movesAt({ now: () => at });
  /** Advances the clock; returns false and leaves it unchanged if the new time would be in the future. */
  const advance = (minMs: number, maxMs: number): boolean => {
    const next = new Date(at.getTime() + Math.round(random.between(minMs, maxMs)));
    if (next <= now) at = next;
    return next <= now;
  };

  const fill = placeholders(visitor, random);
  let conversation = await moves.start(tenant, { visitorId: visitor.visitorId, goal: script.goal });
  const { id } = conversation;
  let unsent: { role: MessageRole; text: string; sentAt: Date }[] = [];
  const flush = async (): Promise<void> => {
    if (unsent.length > 0) await moves.appendMessages(tenant, id, unsent);
    unsent = [];
  };
  const apply = async (step: Exclude<Step, { type: 'say' }>): Promise<Conversation> => {
    switch (step.type) {
      case 'identify':
        return moves.resolveIdentity(tenant, id, identity);
      case 'convert': {
        const { goal, value, perSeat = 0, closes = false } = step;
        return moves.recordConversion(tenant, id, { goal, closes, value: value + perSeat * visitor.seats });
      }
      case 'handOff':
        return moves.requestHandoff(tenant, id, step);
      case 'close':
        return moves.close(tenant, id);
    }
  };

  for (const step of stepsOf(plan, random)) {
    const [minMs, maxMs] = step.type === 'say' ? PAUSES_MS[step.role] : [SECOND_MS, 3 * SECOND_MS];
    if (!advance(minMs, maxMs)) break;
    if (step.type === 'say') {
      unsent.push({ role: step.role, text: fill(random.pick(step.texts)), sentAt: at });
      continue;
    }
    await flush();
    conversation = await apply(step);
  }
  await flush();

  const isOver = (): boolean => conversation.endedAt !== null;
  if (openStatus === null && !isOver() && advance(10 * MINUTE_MS, 20 * MINUTE_MS))
    conversation = await moves.end(tenant, id);
  if (conversation.status === 'converted' && random.chance(0.3) && advance(HOUR_MS, 8 * HOUR_MS))
    conversation = await moves.close(tenant, id);
  const isIdentified = conversation.identity !== null;
  if (isOver() && random.chance(isIdentified ? 0.5 : 0.1) && advance(MINUTE_MS, 40 * MINUTE_MS))
    await moves.recordResolution(tenant, id, {
      resolvedPersonId: isIdentified ? identity.resolvedPersonId : null,
      resolvedCompany: identity.company,
    });
  if (isOver() && random.chance(0.45) && advance(2 * HOUR_MS, 30 * HOUR_MS))
    await moves.markOutcome(tenant, id, { category: random.pick(script.outcomes) });
}
