import assert from 'node:assert/strict';
import * as preview from './preview';
import * as v1 from './v1';

const { BASE_URL, CUSTOMER_ID, WRITE_KEY } = process.env;
const accessToken = WRITE_KEY;
const endpoints = new v1.WebhookEndpointsApi(
  new v1.Configuration({ basePath: `${BASE_URL}/api/v1`, accessToken }),
);
const events = new preview.EventsApi(new preview.Configuration({ basePath: `${BASE_URL}/v1`, accessToken }));
const customerId = Number(CUSTOMER_ID);

async function errorOf(call: Promise<unknown>): Promise<v1.ErrorInfo> {
  const failure = await call.then(
    () => assert.fail('The request must fail.'),
    (error: unknown) => error,
  );
  if (!(failure instanceof v1.ResponseError || failure instanceof preview.ResponseError)) throw failure;
  return v1.ErrorResponseFromJSON(await failure.response.json()).error;
}

async function main(): Promise<void> {
  const created = await endpoints.createWebhookEndpoint({
    customerId,
    createWebhookEndpointInput: {
      url: 'http://127.0.0.1:9/typescript-fetch',
      events: new Set(['conversion.recorded']),
    },
  });
  assert.match(created.secret, /^whsec_/);
  assert.ok(created.endpoint.createdAt instanceof Date);

  const ids: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await endpoints.listWebhookEndpoints({ customerId, limit: 1, cursor });
    ids.push(...page.data.map(({ id }) => id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.length > 1 && ids.includes(created.endpoint.id));

  const event = await events.createEvent({
    createEventInput: { type: 'conversion', goal: 'demo_booked', visitorId: 'v_1' },
  });
  assert.equal(event.goal, 'demo_booked');

  const missing = await errorOf(endpoints.getWebhookEndpoint({ customerId, endpointId: 2_147_483_647 }));
  assert.equal(missing.code, v1.ErrorCode.NotFound);
  const invalid = await errorOf(
    events.createEvent({ createEventInput: { type: 'conversion', visitorId: 'v_1' } }),
  );
  assert.equal(invalid.code, v1.ErrorCode.ValidationFailed);
  assert.equal(invalid.details?.[0]?.path, 'goal');
}

void main();
