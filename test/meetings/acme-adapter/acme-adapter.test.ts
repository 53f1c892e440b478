import { expect, test } from 'vitest';
import { ConfigError, loadConfig } from '../../../src/config/config.ts';
import type { MeetingJson } from '../../../src/demo/provider/meeting-json.ts';
import { registerAdapter } from '../../../src/features/meetings/provider/adapters/adapter-registry.ts';
import { meetingJson } from '../../support/provider.ts';
import { API_KEY, CONNECT, codeOf, connectedTenant, connector, meetingOf, syncOf } from '../support.ts';
import { acmeAdapter } from './acme.ts';
import { acmeApi } from './acme-api.ts';

const DAY = 24 * 60 * 60 * 1000;
const ENV = { RECORDER_PROVIDER: 'acme' };

test('is no accepted value of RECORDER_PROVIDER before it is registered', () => {
  expect(() => loadConfig(ENV)).toThrow(ConfigError);
  expect(() => loadConfig(ENV)).toThrow(/RECORDER_PROVIDER: "acme" .*standard, fathom/);
});

test('a third adapter syncs once it is registered, without any other change', async () => {
  registerAdapter(acmeAdapter);
  const { app, provider } = await connector({ count: 5, api: acmeApi }, ENV);
  const tenant = await connectedTenant(app);
  expect(await syncOf(app, tenant)).toMatchObject({ status: 'succeeded', pages: 3, stored: 5, warnings: 0 });
  expect(await meetingOf(app, tenant, 'acme-m4')).toMatchObject({
    title: 'Meeting 4',
    participantsJson: [{ name: 'Guest 4' }, { name: 'Host' }],
    transcriptJson: [{ speaker: 'Host', startTime: 0 }, { speaker: 'Guest 4' }],
    summaryText: 'They met as number 4.',
  });
  expect(provider.requests.map(({ path }) => path)).toEqual(['/v7/whoami', ...Array(3).fill('/v7/calls')]);
  const refused = await app.graphql(CONNECT, { apiKey: `${API_KEY}_invalid` }, tenant.write);
  expect(codeOf(refused)).toBe('PROVIDER_KEY_INVALID');
  expect(() => registerAdapter(acmeAdapter)).toThrow('already registered');
});

test('a provider that lists changes is asked for them after the first success', async () => {
  const meetings = Array.from({ length: 9 }, (_, index) => meetingJson(index * 10));
  const { app, provider } = await connector({ meetings, api: acmeApi }, ENV);
  const tenant = await connectedTenant(app);
  const first = await syncOf(app, tenant);
  expect(first).toMatchObject({ stored: 9, unchanged: 0 });
  const late = meetings[7] as MeetingJson;
  Object.assign(late, { title: 'Renamed after three days', changed: new Date().toISOString() });
  const before = provider.requests.length;
  // The meetings of the last day count as changed, too.
  expect(await syncOf(app, tenant)).toMatchObject({ fetched: 4, stored: 0, updated: 4, unchanged: 3 });
  const from = String(Math.floor((Date.parse(first.startedAt) - DAY) / 1_000));
  for (const { query } of provider.requests.slice(before))
    expect(query).toMatchObject({ changed_from: from });
  expect(await meetingOf(app, tenant, 'acme-m70')).toMatchObject({ title: 'Renamed after three days' });
});
