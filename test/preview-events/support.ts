import type { Answer, TestApp, TestTenant } from '../support/app.ts';
import { recordedEvents } from '../support/recorded-events.ts';

export const CONVERSION = { type: 'conversion', goal: 'demo_booked', visitor_id: 'v_1' };

/** Sends an event in, over the preview API. */
export const post = (
  app: TestApp,
  tenant: TestTenant,
  body: unknown,
  idempotencyKey?: string,
): Promise<Answer> =>
  app.request('POST', '/v1/events', {
    key: tenant.write,
    body,
    headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
  });

/** Events of a tenant that were stored. */
export const countEvents = async ({ models }: TestApp, { customerId }: TestTenant): Promise<number> =>
  (await recordedEvents(models, { customerId })).count;
