import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { runJob } from '../support/jobs.ts';
import { type Certificate, createAuthority } from './certificates.ts';
import { deliveryLike, endpointsPath, postConversion, receiving } from './support.ts';

const lines: string[] = [];
const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
const authority = createAuthority();

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ METRICS: 'on', WEBHOOK_TIMEOUT: '1s' }, { log });
});
afterAll(async () => {
  await app.stop();
  authority.remove();
});

const HEADER_VALUE = 'header-value-5f3a';
const CLIENT_SECRET = 'client-secret-9b1c';
const TOKEN = 'access-token-77e0';

/** The base64 lines of a PEM key: its text without what every PEM has. */
const keyLines = ({ privateKey }: Certificate): string[] =>
  privateKey.split('\n').filter((line) => line.length > 20 && !line.startsWith('-----'));

test('secrets of endpoints are in no log, metric, answer and error, also when deliveries fail', async () => {
  const tokens = createServer((_request, response) =>
    response.end(JSON.stringify({ access_token: TOKEN, token_type: 'Bearer', expires_in: 60 })),
  );
  await new Promise<void>((resolve) => tokens.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void tokens.close());
  const tokenUrl = `http://127.0.0.1:${(tokens.address() as AddressInfo).port}/token`;
  // Returns the headers of its request.
  const receiver = await receiving(({ headers }) => {
    const echo = JSON.stringify(headers);
    return { status: 500, headers: { 'x-echo': echo }, body: echo };
  });
  const tenant = await app.newTenant();
  const pair = authority.issue('Engagement', { days: 5 });
  const answers: string[] = [];
  const call = async (method: string, path: string, body?: object) => {
    const answer = await app.request(method, path, { key: tenant.write, body });
    answers.push(JSON.stringify(answer.body));
    return answer.body;
  };
  const path = endpointsPath(tenant.customerId);
  const oauth2 = { tokenUrl, clientId: 'client', clientSecret: CLIENT_SECRET };
  const settings = { headers: { 'X-Api-Key': HEADER_VALUE }, signing: 'ed25519' };
  const authentications = [
    { oauth2 },
    { oauth2: { ...oauth2, tokenUrl: 'http://127.0.0.1:1/' } },
    { mtls: pair },
  ];
  for (const authentication of authentications) {
    const body = { url: receiver.url, authentication, ...settings };
    const created = await call('POST', path, body);
    const id = String(created.endpoint?.id);
    await call('PATCH', `${path}/${id}`, { headers: { 'X-Api-Key': HEADER_VALUE, 'X-Other': '***' } });
    await call('PATCH', `${path}/${id}`, {
      authentication: { ...authentication, mtls: { ...pair, certificate: 'x' } },
    });
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, { path: `${path}/${id}` }, { status: 'retrying', attempt: 2 });
    const deliveries = await call('GET', `${path}/${id}/deliveries`);
    const [delivery] = deliveries.data as unknown as { id: string }[];
    await call('GET', `${path}/${id}/deliveries/${delivery?.id}`);
    await call('GET', `${path}/${id}`);
  }
  expect(receiver.received.some(({ headers }) => headers.authorization === `Bearer ${TOKEN}`)).toBe(true);
  await runJob(app, 'webhooks.certificates');
  const metrics = await app.request('GET', '/metrics');
  const shown = [...answers, ...lines, JSON.stringify(metrics.body)].join('\n');
  // The log and the metrics were captured at all.
  expect(shown).toContain('the client certificate of a webhook endpoint expires soon');
  expect(shown).toContain('engagement_');
  expect(shown).toContain('x-echo');
  for (const secret of [HEADER_VALUE, CLIENT_SECRET, TOKEN, 'whsk_', 'PRIVATE KEY', ...keyLines(pair)])
    expect(shown.includes(secret), secret).toBe(false);
  const signingSecrets = answers.flatMap((answer) => answer.match(/whsec_[A-Za-z0-9+/=]+/g) ?? []);
  expect(signingSecrets).toHaveLength(authentications.length);
  for (const secret of signingSecrets) expect(lines.join('\n')).not.toContain(secret);
});

test('a client certificate that expires within 30 days is logged with its endpoint, a later one is not', async () => {
  const tenant = await app.newTenant();
  const create = async (days: number) => {
    const mtls = authority.issue('Engagement', { days });
    const body = { url: 'https://r.example.com', authentication: { mtls } };
    const answer = await app.request('POST', endpointsPath(tenant.customerId), { key: tenant.write, body });
    return Number(answer.body.endpoint?.id);
  };
  const [soon, later] = [await create(29), await create(60)];
  lines.length = 0;
  await runJob(app, 'webhooks.certificates');
  const logged = lines
    .map((line) => JSON.parse(line) as { endpointId?: number; customerId?: number; level: number })
    .filter(({ customerId }) => customerId === tenant.customerId);
  expect(logged).toMatchObject([{ level: 40, endpointId: soon }]);
  expect(logged.map(({ endpointId }) => endpointId)).not.toContain(later);
});
