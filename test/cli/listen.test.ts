import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { verifyWebhook } from '../../packages/client/src/index.ts';
import { newSecret } from '../../src/features/webhooks/signature/sign.ts';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { type Running, runCommand, startCommand } from '../support/command.ts';
import type { ServiceProcess } from '../support/process.ts';
import { createProcessGroup } from '../support/process-group.ts';
import { startReceiver } from '../support/receiver.ts';
import { postConversion, receiving } from '../webhooks/support.ts';

const running: Running[] = [];
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());
afterEach(async () => {
  for (const command of running.splice(0)) {
    command.process.kill('SIGKILL');
    await command.ended;
  }
});

const argumentsFor = ({ customerId, write }: TestTenant, forward: string, ...more: string[]): string[] => [
  ...['listen', '--forward', forward, '--customer', String(customerId)],
  ...['--key', write, '--url', app.url, ...more],
];

/** Starts the command; resolves once it listens. */
async function listening(tenant: TestTenant, forward: string, ...more: string[]): Promise<Running> {
  const command = startCommand(argumentsFor(tenant, forward, ...more));
  running.push(command);
  await command.printed(/Forwarding the feed/);
  // The feed exists once the first pull waits.
  await eventually(
    async () => (await app.models.EventFeed.countDocuments({ customerId: tenant.customerId })) > 0,
  );
  return command;
}

/** Time for which an ended consumer holds its feed, in milliseconds. */
const LEASE_MS = 15_000;

describe('listen', () => {
  test('forwards events in order, signed like deliveries, and prints each with its answer', async () => {
    const tenant = await app.newTenant();
    const receiver = await receiving(200);
    const secret = newSecret();
    const command = await listening(tenant, receiver.url, '--secret', secret);
    const ids = [];
    for (let i = 0; i < 3; i += 1) ids.push(String((await postConversion(app, tenant)).event_id));
    await receiver.waitFor(3);
    const events = await Promise.all(
      receiver.received.map(({ headers, body }) => verifyWebhook({ headers, payload: body, secret })),
    );
    expect(events.map(({ id }) => id)).toEqual(ids);
    await command.printed(new RegExp(`conversion\\.recorded  event ${ids[2]}  HTTP 200`));
    expect((await command.interrupt()).code).toBe(0);
  });

  test('resumes where it stopped, also after it was killed', async () => {
    const tenant = await app.newTenant();
    const receiver = await receiving(200);
    const first = await listening(tenant, receiver.url, '--name', 'dev');
    await postConversion(app, tenant);
    await first.printed(/HTTP 200/);
    await eventually(
      async () =>
        (await app.models.EventFeed.findOne({ customerId: tenant.customerId }).lean())?.sequence === 1,
    );
    first.process.kill('SIGKILL');
    await first.ended;
    app.clock.advance(LEASE_MS);
    await postConversion(app, tenant);
    const second = await listening(tenant, receiver.url, '--name', 'dev');
    await receiver.waitFor(2, 100_000);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
    expect((await second.interrupt()).code).toBe(0);
  }, 240_000);

  test('begins at --since, and attempts again while nothing listens at the address', async () => {
    const tenant = await app.newTenant();
    const { event_id: id } = await postConversion(app, tenant);
    const closed = await receiving(200);
    const { url } = closed;
    await closed.stop();
    const since = new Date(Date.now() - 60_000).toISOString();
    const command = startCommand(argumentsFor(tenant, url, '--since', since, '--json'));
    running.push(command);
    await command.printed(/ECONNREFUSED/);
    await sleep(2_500);
    expect(await app.models.EventFeed.findOne({ customerId: tenant.customerId }).lean()).toMatchObject({
      sequence: 0,
    });
    const receiver = await startReceiver(200, Number(new URL(url).port));
    onTestFinished(() => receiver.stop());
    await receiver.waitFor(1);
    await command.printed(/"status":200/);
    const { code, stdout } = await command.interrupt();
    // One line for the missing response, however often it was attempted, and one for the response.
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      {
        events: [
          { id, status: null },
          { id, status: 200 },
        ],
        forwarded: 2,
        succeeded: 1,
      },
    ]);
  });

  test('waits for a feed that another consumer holds, and fails if the customer has its maximum of feeds', async () => {
    const tenant = await app.newTenant();
    const first = await listening(tenant, 'http://127.0.0.1:9/');
    const second = startCommand(argumentsFor(tenant, 'http://127.0.0.1:9/'));
    running.push(second);
    await once(second.process.stderr, 'data');
    const { code, stderr } = await second.interrupt();
    expect([code, stderr]).toEqual([0, expect.stringMatching(/is held by the consumer .* Trying again\./)]);
    await first.interrupt();

    const now = app.clock.now();
    await app.models.EventFeed.insertMany(
      Array.from({ length: 99 }, (_, index) => ({
        ...{ customerId: tenant.customerId, name: `feed-${index}`, sequence: 0 },
        ...{ expiresAt: now, usedAt: now },
      })),
    );
    const more = startCommand(argumentsFor(tenant, 'http://127.0.0.1:9/', '--name', 'one-more'));
    running.push(more);
    expect(await more.ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The customer has 100 event feeds/),
    });
  });

  test('says that a feed continues where it stopped if --since is given again', async () => {
    const tenant = await app.newTenant();
    await postConversion(app, tenant);
    const receiver = await receiving(200);
    const since = ['--since', new Date(Date.now() - 60_000).toISOString()];
    const first = await listening(tenant, receiver.url, ...since);
    await first.printed(/HTTP 200/);
    expect((await first.interrupt()).stderr).toBe('');
    app.clock.advance(LEASE_MS);
    const second = await listening(tenant, receiver.url, ...since);
    await postConversion(app, tenant);
    await second.printed(/HTTP 200/);
    expect((await second.interrupt()).stderr).toContain('The feed listen exists and continues');
    expect(receiver.received).toHaveLength(2);
  });

  test('continues when the service was killed and is started again', async () => {
    const group = await createProcessGroup();
    const key = await group.newKey('--customer', '42', '--scope', 'write');
    const first = await group.start();
    const { port } = new URL(first.url);
    const convert = async ({ url }: ServiceProcess) => {
      const { status } = await fetch(`${url}/v1/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ type: 'conversion', goal: 'demo', visitor_id: 'v_1' }),
      });
      expect(status).toBe(201);
    };
    const receiver = await receiving(200);
    const command = startCommand([
      ...['listen', '--forward', receiver.url, '--customer', '42', '--key', key, '--url', first.url],
    ]);
    running.push(command);
    await eventually(async () => (await group.models.EventFeed.countDocuments({ customerId: 42 })) > 0);
    await convert(first);
    await receiver.waitFor(1);
    await first.end('SIGKILL');
    await convert(await group.start({ PORT: port }));
    await receiver.waitFor(2);
    await command.printed(/(HTTP 200.*){2}/s);
    const { code, stderr } = await command.interrupt();
    expect([code, stderr]).toEqual([0, expect.stringMatching(/failed: .*Trying again\..*continues/s)]);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
  });

  test('stops at once while the address does not respond', async () => {
    const tenant = await app.newTenant();
    const receiver = await receiving('hang');
    const command = await listening(tenant, receiver.url);
    await postConversion(app, tenant);
    await receiver.waitFor(1);
    const startedAt = performance.now();
    expect((await command.interrupt()).code).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  test('prints a new secret, but none that it was given', async () => {
    const tenant = await app.newTenant();
    const secret = newSecret();
    const one = await listening(tenant, 'http://127.0.0.1:9/');
    expect((await one.interrupt()).stdout).toMatch(/signed with whsec_\S+\. Press/);
    const given = await listening(tenant, 'http://127.0.0.1:9/', '--secret', secret);
    expect((await given.interrupt()).stdout).not.toContain('whsec_');
    const wrong = await runCommand(argumentsFor(tenant, 'http://127.0.0.1:9/', '--secret', 'topsecret'));
    expect([wrong.code, wrong.stdout]).toEqual([2, '']);
    expect(wrong.stderr).toContain('--secret is not a signing secret');
    expect(wrong.stderr).not.toContain('topsecret');
  });

  test('--load-from forwards one event again, and fails unless the answer is a success', async () => {
    const tenant = await app.newTenant();
    const { event_id: id } = await postConversion(app, tenant);
    const receiver = await receiving(200);
    const load = (...more: string[]) =>
      runCommand(argumentsFor(tenant, receiver.url, '--load-from', String(id), '--json', ...more));
    const { code, stdout } = await load();
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      {
        forward: receiver.url,
        events: [{ id, event: 'conversion.recorded', status: 200 }],
        forwarded: 1,
        succeeded: 1,
      },
    ]);
    receiver.behave(500);
    expect((await load()).code).toBe(1);
    expect(receiver.received).toHaveLength(2);
  });

  test('fails with the reason of the service for a wrong key, and for an unknown event', async () => {
    const tenant = await app.newTenant();
    const wrong = await runCommand(argumentsFor({ ...tenant, write: 'eg_w_wrong' }, 'http://127.0.0.1:9/'));
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('API key')]);
    const unknown = await runCommand(
      argumentsFor(tenant, 'http://127.0.0.1:9/', '--load-from', '665f1c9db8e4d3a1f0c9b801'),
    );
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('does not exist')]);
  });

  test('fails with --json as one document, which ends with the error', async () => {
    const tenant = await app.newTenant();
    const { code, stdout, stderr } = await runCommand(
      argumentsFor({ ...tenant, write: 'eg_w_wrong' }, 'http://127.0.0.1:9/', '--json'),
    );
    expect([code, stderr]).toEqual([1, expect.stringContaining('API key')]);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ events: [], forwarded: 0, succeeded: 0 },
      error: { code: 'UNAUTHENTICATED', message: expect.stringContaining('API key') },
    });
  });

  test.each([
    ['--forward', 'ftp://127.0.0.1/'],
    ['--forward', 'http://user:secret@127.0.0.1/'],
    ['--since', 'yesterday'],
    ['--customer', '0'],
  ])('refuses %s %s', async (option, value) => {
    const tenant = await app.newTenant();
    const { code, stderr } = await runCommand([
      ...argumentsFor(tenant, 'http://127.0.0.1:9/'),
      option,
      value,
    ]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(option)]);
  });
});
