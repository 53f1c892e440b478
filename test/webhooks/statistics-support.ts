import type { Models } from '../../src/database/models.ts';
import type { DeliveryDoc } from '../../src/features/webhooks/delivery/delivery.model.ts';
import { eventually, type Json, type TestApp, type TestTenant } from '../support/app.ts';

/** The part of statistics that a log shows. */
interface Recount {
  attempts: number;
  failedAttempts: number;
  succeeded: number;
  failed: number;
  p50: number;
  p95: number;
  p99: number;
  lastSuccessAt: string | null;
  lastFailureAt: string | null;
}

const rank = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.max(1, Math.ceil(share * values.length)) - 1] ?? Number.NaN;

/** Counts the deliveries of an endpoint from their log, none of which was sent again. */
export async function recount({ Delivery }: Models, endpointId: number): Promise<Recount> {
  const deliveries = await Delivery.find({ endpointId }).lean<DeliveryDoc[]>();
  const attempts = deliveries.flatMap((delivery) => delivery.attempts);
  const inStatus = (wanted: string) => deliveries.filter(({ status }) => status === wanted).length;
  const lastOf = (isSuccess: boolean) =>
    attempts
      .filter(({ error }) => (error === null) === isSuccess)
      .map(({ at }) => at.toISOString())
      .sort()
      .at(-1) ?? null;
  const durations = attempts.map(({ durationMs }) => durationMs);
  return {
    attempts: attempts.length,
    failedAttempts: attempts.filter(({ error }) => error !== null).length,
    succeeded: inStatus('succeeded'),
    failed: inStatus('failed'),
    p50: rank(durations, 0.5),
    p95: rank(durations, 0.95),
    p99: rank(durations, 0.99),
    lastSuccessAt: lastOf(true),
    lastFailureAt: lastOf(false),
  };
}

/** Reads the statistics of an endpoint. */
export async function statisticsOf(
  app: TestApp,
  tenant: TestTenant,
  { path }: { path: string },
  query = '',
): Promise<Json> {
  const { status, body } = await app.request('GET', `${path}/statistics${query}`, { key: tenant.read });
  if (status !== 200) throw new Error(`no statistics: ${JSON.stringify(body)}`);
  return body;
}

/** Waits until the statistics have this number of attempts. */
export const statisticsWith = (
  app: TestApp,
  tenant: TestTenant,
  endpoint: { path: string },
  { attempts, query = '' }: { attempts: number; query?: string },
): Promise<Json> =>
  eventually(async () => {
    const statistics = await statisticsOf(app, tenant, endpoint, query);
    return Number(statistics.attempts) === attempts ? statistics : null;
  }, 20_000);
