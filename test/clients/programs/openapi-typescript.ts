import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type { components, paths as Preview } from './preview';
import type { paths as V1 } from './v1';

const { BASE_URL, CUSTOMER_ID, WRITE_KEY } = process.env;
const headers = { Authorization: `Bearer ${WRITE_KEY}` };
const v1 = createClient<V1>({ baseUrl: `${BASE_URL}/api/v1`, headers });
const preview = createClient<Preview>({ baseUrl: `${BASE_URL}/v1`, headers });
const customerId = Number(CUSTOMER_ID);
const ENDPOINTS = '/customers/{customerId}/webhook-endpoints';

async function main(): Promise<void> {
  const created = await v1.POST(ENDPOINTS, {
    params: { path: { customerId } },
    body: { url: 'http://127.0.0.1:9/openapi-typescript', events: ['conversion.recorded'] },
  });
  assert.match(created.data?.secret ?? JSON.stringify(created.error), /^whsec_/);
  const endpointId = created.data?.endpoint.id ?? 0;

  const ids: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await v1.GET(ENDPOINTS, { params: { path: { customerId }, query: { limit: 1, cursor } } });
    ids.push(...(page.data?.data.map(({ id }) => id) ?? []));
    cursor = page.data?.nextCursor ?? undefined;
  } while (cursor);
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.length > 1 && ids.includes(endpointId));

  const event = await preview.POST('/events', {
    body: {
      type: 'conversion',
      goal: 'demo_booked',
      visitor_id: 'v_1',
      value: 250,
      properties: { plan: 'pro' },
    },
  });
  assert.equal(event.data?.goal, 'demo_booked');

  const missing = await v1.GET(`${ENDPOINTS}/{endpointId}`, {
    params: { path: { customerId, endpointId: 2_147_483_647 } },
  });
  assert.equal(missing.error?.error.code, 'NOT_FOUND');
  const invalid = await preview.POST('/events', { body: { type: 'conversion', visitor_id: 'v_1' } });
  const code: components['schemas']['ErrorCode'] | undefined = invalid.error?.error.code;
  assert.equal(code, 'VALIDATION_FAILED');
  assert.equal(invalid.error?.error.details?.[0]?.path, 'goal');
}

void main();
