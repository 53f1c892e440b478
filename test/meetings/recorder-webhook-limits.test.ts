import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { recordQueries } from '../conversations/queries.ts';
import { eventually } from '../support/app.ts';
import { meetingJson, type ProviderRequest } from '../support/provider.ts';
import { resultOf } from './backfill-support.ts';
import { API_KEY, connectedTenant, connector, idsOf, syncOf } from './support.ts';
import { HOOK, type Hook, hookOf, newSigningSecret, send, signed } from './webhook-support.ts';

/** Failed authentications per minute and client address. */
const MAX_FAILURES = 300;

const updated = ({ id, created_at }: { id: string | number; created_at: string }) =>
  JSON.stringify({ type: 'meeting.updated', data: { id, created_at } });

test('a tenant whose webhooks fail does not stop the webhooks of another tenant from the same address', async () => {
  const { app } = await connector({}, { RATE_LIMIT: '1000000/min' });
  const failing = await connectedTenant(app);
  const { path: withoutSecret } = resultOf<Hook>(await app.graphql(HOOK, {}, failing.write));
  const tenant = await connectedTenant(app);
  const secret = newSigningSecret();
  const { path } = await hookOf(app, tenant, secret);
  const body = updated(meetingJson(0));
  const post = async (to: string) => (await send(app.url, to, body, signed({ body, secret }))).status;
  const unknown = () => `/hooks/recorder/${randomBytes(32).toString('base64url')}`;

  // Failures of a known token do not count towards the limit of the address.
  for (let count = 0; count < MAX_FAILURES / 2; count += 1) expect(await post(withoutSecret)).toBe(401);
  const refused = [];
  while (refused.at(-1) !== 429 && refused.length <= 2 * MAX_FAILURES) refused.push(await post(unknown()));
  expect(refused.at(-1)).toBe(429);
  expect(refused.length).toBeGreaterThan(MAX_FAILURES);
  // An address beyond the limit still delivers the webhooks of known tokens.
  expect([await post(withoutSecret), await post(path), await post(unknown())]).toEqual([401, 204, 429]);
});

test('unknown tokens share queries, fewer still beyond the limit of their address', async () => {
  const { app } = await connector({}, { RATE_LIMIT: '1000000/min' });
  const tenant = await connectedTenant(app);
  const secret = newSigningSecret();
  const { path } = await hookOf(app, tenant, secret);
  const isLookUp = { 'command.filter.hookToken': { $exists: true } };
  const recording = await recordQueries(app, 'recorderConnections', isLookUp);
  const guess = async () => {
    const unknown = `/hooks/recorder/${randomBytes(32).toString('base64url')}`;
    return (await send(app.url, unknown, '{}', {})).status;
  };
  const statuses: number[] = [];
  for (let round = 0; round < 40; round += 1)
    statuses.push(...(await Promise.all(Array.from({ length: 50 }, guess))));
  expect(statuses.filter((status) => status === 404)).toHaveLength(MAX_FAILURES);
  expect(statuses.filter((status) => status === 429)).toHaveLength(2_000 - MAX_FAILURES);
  const body = updated(meetingJson(0));
  expect((await send(app.url, path, body, signed({ body, secret }))).status).toBe(204);
  expect((await recording.stop()).length).toBeLessThan(250);
});

test('webhooks without a valid signature do not use up the limit of the valid ones', async () => {
  const { app } = await connector({}, { RATE_LIMIT: '1000000/min' });
  const tenant = await connectedTenant(app);
  const secret = newSigningSecret();
  const { path } = await hookOf(app, tenant, secret);
  const body = updated(meetingJson(0));
  const post = async (headers: Record<string, string>) => (await send(app.url, path, body, headers)).status;
  const unsigned: number[] = [];
  for (let count = 0; count <= MAX_FAILURES; count += 1) unsigned.push(await post({}));
  expect(new Set(unsigned.slice(0, MAX_FAILURES))).toEqual(new Set([401]));
  expect(unsigned.at(-1)).toBe(429);
  expect(await post(signed({ body, secret: newSigningSecret() }))).toBe(429);
  expect(await post(signed({ body, secret }))).toBe(204);
  // Counted in the process: a request without a valid signature costs no write.
  expect(await app.models.RateWindow.countDocuments({ _id: /^providerWebhooks:/ })).toBe(1);
});

test('the backlog of one tenant leaves room for the notices of others', async () => {
  const meeting = meetingJson(0);
  const { app, provider } = await connector({ meetings: [meeting] });
  const [busy, other] = [await connectedTenant(app), await connectedTenant(app)];
  const isBusy = ({ key }: ProviderRequest) => key === `${API_KEY}_${busy.customerId}`;
  provider.behave((request) => (isBusy(request) ? 'hang' : 'well'));
  const secret = newSigningSecret();
  const notify = async (tenant: typeof busy, body: string) => {
    const { path } = await hookOf(app, tenant, secret);
    expect((await send(app.url, path, body, signed({ body, secret }))).status).toBe(204);
  };
  // More than a process works on at a time.
  for (let count = 0; count < 20; count += 1) await notify(busy, updated(meeting));
  await eventually(() => provider.requests.some(isBusy));
  await notify(other, updated(meeting));
  await eventually(async () => (await idsOf(app, other)).length === 1);
  const claimed = { customerId: busy.customerId, 'lease.token': { $ne: null } };
  expect(await app.models.ProviderNotice.countDocuments(claimed)).toBe(2);
});

test('a sync does not read the deletions of other tenants, nor the other notices of its own', async () => {
  const { app } = await connector({ count: 3 });
  const tenant = await connectedTenant(app);
  const { customerId } = tenant;
  const receivedAt = new Date(Date.now() + 60_000);
  await app.models.ProviderNotice.insertMany(
    Array.from({ length: 300 }, (_, index) => ({
      customerId: customerId + (index % 3),
      webhookId: `w${index}`,
      type: index % 3 === 0 ? 'changed' : 'deleted',
      meetingId: 'm1',
      status: 'done',
      receivedAt,
      lease: { expiresAt: receivedAt },
      attempts: 1,
    })),
  );
  const recording = await recordQueries(app, 'recorderNotices', { 'command.filter.type': 'deleted' });
  await syncOf(app, tenant);
  expect(await recording.stop()).toEqual([
    {
      indexes: ['customerId_1_receivedAt_1'],
      ...{ keysExamined: 0, docsExamined: 0, returned: 0, sorts: false },
    },
  ]);
});
