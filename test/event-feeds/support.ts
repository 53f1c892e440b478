import { MAX_LAG_MS } from '../../src/features/event-feeds/log-lag.ts';
import type { Answer, Json, TestApp, TestTenant } from '../support/app.ts';
import { postConversion } from '../webhooks/support.ts';

const MAX_TRIES = 5;

/** A page of a feed. */
export interface FeedPage {
  data: { id: string; event: string; payload: string; createdAt: string }[];
  cursor: string;
  hasMore: boolean;
  oldest: string | null;
}

export const feedPath = ({ customerId }: Pick<TestTenant, 'customerId'>, name = 'crm'): string =>
  `/api/v1/customers/${customerId}/event-feeds/${name}`;

/** Pulls from a feed; the answer as it is. */
export const pullAnswer = (
  app: Pick<TestApp, 'request'>,
  tenant: TestTenant,
  query = '',
  name?: string,
): Promise<Answer> => app.request('GET', `${feedPath(tenant, name)}${query}`, { key: tenant.read });

/**
 * Pulls from a feed. Repeats a pull that took so long that it may have ended before the log had all events.
 *
 * @throws Error unless the answer is a 200
 */
export async function pull(
  app: Pick<TestApp, 'request'>,
  tenant: TestTenant,
  query = '',
  name?: string,
): Promise<FeedPage> {
  for (let tries = 1; ; tries += 1) {
    const startedAt = performance.now();
    const { status, body } = await pullAnswer(app, tenant, query, name);
    if (status !== 200) throw new Error(`pull refused: ${status} ${JSON.stringify(body)}`);
    const isInTime = performance.now() - startedAt < MAX_LAG_MS;
    if (isInTime || query.includes('wait=') || tries === MAX_TRIES) return body as unknown as FeedPage;
  }
}

export const act = (
  app: Pick<TestApp, 'request'>,
  tenant: TestTenant,
  { action, name, ...body }: Record<string, unknown> & { action: 'ack' | 'seek'; name?: string },
): Promise<Answer<Json>> =>
  app.request('POST', `${feedPath(tenant, name)}/${action}`, { key: tenant.write, body });

/** Ids of the conversions of a page, in its order. */
export const conversionsOf = ({ data }: Pick<FeedPage, 'data'>): string[] =>
  data.map(({ payload }) => JSON.parse(payload).data.conversionEventId);

/** Records conversions one after another; returns their ids. */
export async function convert(
  app: TestApp,
  tenant: TestTenant,
  count: number,
  more: Record<string, unknown> = {},
): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) ids.push(String((await postConversion(app, tenant, more)).id));
  return ids;
}
