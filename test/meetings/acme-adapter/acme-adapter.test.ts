import { expect, test } from 'vitest';
import { ConfigError, loadConfig } from '../../../src/config.ts';
import { registerAdapter } from '../../../src/features/meetings/provider/adapters/adapter-registry.ts';
import { API_KEY, CONNECT, codeOf, connectedTenant, connector, meetingOf, syncOf } from '../support.ts';
import { acmeAdapter } from './acme.ts';
import { acmeApi } from './acme-api.ts';

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
