import type { TestApp, TestTenant } from '../support/app.ts';
import { apply, CALLS, MOVES, STATUSES, startConversation } from './support.ts';

const DAY = 86_400_000;

/** List row of a conversation in REST spelling. */
export interface Item {
  id: string;
  visitor_id: string;
  status: string;
  converted: boolean;
  goal: string | null;
  started_at: string;
}

/** Filters of a list; an absent one matches everything. */
export interface Filter {
  converted?: boolean;
  status?: string;
  since?: Date;
}

/** Reference implementation of the filters. */
export const matches = (item: Item, { converted, status, since }: Filter): boolean =>
  (converted === undefined || item.converted === converted) &&
  (status === undefined || item.status === status) &&
  (since === undefined || Date.parse(item.started_at) >= since.getTime());

/** Newest first; of those that started at the same time the later one. */
const newestFirst = (a: Item, b: Item): number =>
  Date.parse(b.started_at) - Date.parse(a.started_at) || (a.id < b.id ? 1 : -1);

/** A small generator of numbers below a bound, always the same ones (a linear congruential one). */
export function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

/**
 * Fills a tenant with conversations that started in the last 90 days, some at the same moment and a few before 1970,
 * of every status, converted and not. Returns them as a list would show them, newest first.
 */
export async function populate(app: TestApp, tenant: TestTenant, count: number): Promise<Item[]> {
  const next = numbers(count);
  const now = app.clock.now().getTime();
  const plans = Array.from({ length: count }, (_, index) => ({
    startedAt: new Date(
      index % 40 === 0 ? -1_000_000_000 * (index + 1) : now - DAY * next(90) - 1_000 * next(3),
    ),
    status: STATUSES[next(STATUSES.length)] ?? 'active',
    converts: next(3) === 0,
  }));
  return (
    await Promise.all(
      plans.map(async ({ startedAt, status, converts }, index): Promise<Item> => {
        const input = { visitorId: `v_${index}`, startedAt: startedAt.toISOString() };
        let conversation = await startConversation(app, tenant, input);
        const { id } = conversation;
        if (converts) conversation = await apply(app, tenant, id, CALLS.recordConversion);
        if (status === 'handed_off') conversation = await apply(app, tenant, id, MOVES.requestHandoff);
        if (status === 'ended') conversation = await apply(app, tenant, id, MOVES.end);
        if (status === 'converted') conversation = await apply(app, tenant, id, MOVES.convert);
        if (status === 'closed') conversation = await apply(app, tenant, id, MOVES.close);
        const { visitorId, converted, goal } = conversation;
        return {
          id,
          visitor_id: visitorId,
          status: conversation.status,
          converted,
          goal,
          started_at: conversation.startedAt,
        };
      }),
    )
  ).sort(newestFirst);
}
