import assert from 'node:assert/strict';
import { createEvent } from './preview';
import { client as previewClient } from './preview/client.gen';
import { createWebhookEndpoint, getWebhookEndpoint, listWebhookEndpoints } from './v1';
import { client as v1Client } from './v1/client.gen';

const { BASE_URL, CUSTOMER_ID, WRITE_KEY } = process.env;
v1Client.setConfig({ baseUrl: `${BASE_URL}/api/v1`, auth: WRITE_KEY });
previewClient.setConfig({ baseUrl: `${BASE_URL}/v1`, auth: WRITE_KEY });
const customerId = Number(CUSTOMER_ID);

async function main(): Promise<void> {
  const created = await createWebhookEndpoint({
    path: { customerId },
    body: { url: 'http://127.0.0.1:9/hey-api', events: ['conversion.recorded'] },
  });
  assert.match(created.data?.secret ?? JSON.stringify(created.error), /^whsec_/);
  const endpointId = created.data?.endpoint.id ?? 0;

  const ids: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await listWebhookEndpoints({ path: { customerId }, query: { limit: 1, cursor } });
    ids.push(...(page.data?.data.map(({ id }) => id) ?? []));
    cursor = page.data?.nextCursor ?? undefined;
  } while (cursor);
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.length > 1 && ids.includes(endpointId));

  const event = await createEvent({ body: { type: 'conversion', goal: 'demo_booked', visitor_id: 'v_1' } });
  assert.equal(event.data?.goal, 'demo_booked');

  const missing = await getWebhookEndpoint({ path: { customerId, endpointId: 2_147_483_647 } });
  assert.equal(missing.error?.error.code, 'NOT_FOUND');
  const invalid = await createEvent({ body: { type: 'conversion', visitor_id: 'v_1' } });
  assert.equal(invalid.error?.error.code, 'VALIDATION_FAILED');
  assert.equal(invalid.error?.error.details?.[0]?.path, 'goal');
}

void main();
