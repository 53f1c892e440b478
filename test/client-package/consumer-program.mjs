// A program of a customer, in plain JavaScript: it runs where the packed client is installed, and prints its results.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { ApiError, EngagementClient, verifyWebhook, WebhookVerificationError } from '@engagement/client';

const { BASE_URL, FLAKY_URL, API_KEY, CUSTOMER_ID } = process.env;
const options = { baseUrl: BASE_URL, apiKey: API_KEY, customerId: Number(CUSTOMER_ID) };
const client = new EngagementClient(options);
const results = {};

const receiver = createServer().listen(0, '127.0.0.1');
await once(receiver, 'listening');
const hooks = `http://127.0.0.1:${receiver.address().port}/hooks`;
const { endpoint, secret } = await client.webhookEndpoints.create({ url: hooks });
for (const number of [1, 2, 3])
  await client.webhookEndpoints.create({ url: `http://127.0.0.1:9/${number}`, events: ['outcome.marked'] });

results.endpoints = [];
for await (const { url } of client.webhookEndpoints.list({ limit: 2 })) results.endpoints.push(url);
const page = await client.webhookEndpoints.list({ limit: 3 });
results.pages = [page.data.length, (await page.nextPage()).data.length];

// The proxy closes the connection after the service has recorded the event.
const flaky = new EngagementClient({ ...options, baseUrl: FLAKY_URL });
const delivered = once(receiver, 'request');
const event = await flaky.preview.events.create({
  type: 'conversion',
  goal: 'demo_booked',
  visitor_id: 'v_flaky',
  value: 250,
});
results.event = event.id;

const [request, response] = await delivered;
const payload = await text(request);
response.end();
const { headers } = request;
results.webhook = await verifyWebhook({ payload, headers, secret });
const svcOnly = { 'x-svc-signature': headers['x-svc-signature'] };
results.webhookBySvc = await verifyWebhook({ payload, headers: svcOnly, secret });
results.forged = await verifyWebhook({ payload: payload.replace('250', '999'), headers, secret }).catch(
  (error) => error instanceof WebhookVerificationError && error.reason,
);

results.errors = [];
for (const attempt of [
  () => client.webhookEndpoints.get(endpoint.id + 1000),
  () => client.webhookEndpoints.create({ url: 'nonsense' }),
  () => new EngagementClient({ ...options, apiKey: 'eg_w_unknown' }).eventTypes.list(),
]) {
  const error = await attempt().catch((reason) => reason);
  results.errors.push(error instanceof ApiError && { code: error.code, status: error.status });
}
receiver.close();
process.stdout.write(JSON.stringify(results));
