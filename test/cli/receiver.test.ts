import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { newSecret, signatureHeaders } from '../../src/features/webhooks/signature/sign.ts';
import { type Running, runCommand, startCommand } from '../support/command.ts';
import { temporaryDir } from '../support/embedded.ts';

const running: Running[] = [];
afterEach(async () => {
  for (const command of running.splice(0)) {
    command.process.kill('SIGKILL');
    await command.ended;
  }
});

/** Starts a receiver on a free port; its address is what it says itself. */
const startReceiver = (...args: string[]) => startReceiverIn({}, ...args);

/** Starts one in this environment. */
async function startReceiverIn(
  env: Record<string, string>,
  ...args: string[]
): Promise<{ receiver: Running; url: string }> {
  const receiver = startCommand(['receiver', '--port', '0', ...args], env);
  running.push(receiver);
  const [url] = await receiver.printed(/http:\/\/127\.0\.0\.1:\d+/);
  return { receiver, url };
}

const body = JSON.stringify({ event: 'outcome.marked', data: { customerId: 42 }, ts: 1 });
const post = (
  url: string,
  secret: string,
  init: { body?: string | Uint8Array<ArrayBuffer>; age?: number; deliveryId?: string } = {},
) =>
  fetch(url, {
    method: 'POST',
    body: init.body ?? body,
    headers: {
      'content-type': 'application/json',
      'X-SVC-Delivery-Id': init.deliveryId ?? 'dlv_1',
      ...signatureHeaders({
        secret,
        eventId: 'evt_1',
        body,
        t: Math.floor(Date.now() / 1000) - (init.age ?? 0),
      }),
    },
  });

describe('receiver', () => {
  test('prints each verified delivery with its ids, and a summary on Ctrl-C', async () => {
    const secret = newSecret();
    const { receiver, url } = await startReceiver('--secret', secret);
    const answer = await post(url, secret);
    expect(answer.status).toBe(200);

    const { code, stdout } = await receiver.interrupt();
    expect(code).toBe(0);
    expect(stdout).toContain('outcome.marked  verified: yes');
    expect(stdout).toContain('delivery dlv_1  event evt_1  arrival 1');
    expect(stdout).toContain('  "event": "outcome.marked",');
    expect(stdout).toContain('1 received, 1 verified.');
    expect(stdout).not.toContain(secret);
  });

  test('prints why verification failed: another secret, a changed body, an old timestamp', async () => {
    const secret = newSecret();
    const { receiver, url } = await startReceiver('--secret', secret);
    await post(url, newSecret());
    await post(url, secret, { body: `${body} ` });
    await post(url, secret, { age: 301 });

    const { stdout } = await receiver.interrupt();
    expect([...stdout.matchAll(/verified: NO \((\w+)\)/g)].map((match) => match[1])).toEqual([
      'signature_mismatch',
      'signature_mismatch',
      'outside_tolerance',
    ]);
    expect(stdout).toContain('3 received, 0 verified.');
  });

  test('refuses what is no signing secret, without printing it', async () => {
    for (const [args, env, setting] of [
      [['--secret', 'foo'], {}, '--secret'],
      [['--secret', newSecret(), '--secret', 'whsec_foo'], {}, '--secret'],
      [[], { RECEIVER_SECRET: 'foo' }, 'RECEIVER_SECRET'],
    ] as const) {
      const { code, stdout, stderr } = await runCommand(['receiver', '--port', '0', ...args], env);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(new RegExp(`^${setting} is not a signing secret; it begins with whsec_`));
      expect(stderr).not.toContain('foo');
    }
  });

  test('accepts a signature by any of several secrets, and counts repeated arrivals of a delivery', async () => {
    const [first, second] = [newSecret(), newSecret()];
    const { receiver, url } = await startReceiver('--secret', first, '--secret', second);
    await post(url, first);
    await post(url, second);

    const { stdout } = await receiver.interrupt();
    expect(stdout).toContain('arrival 2');
    expect(stdout).toContain('2 received, 2 verified.');
  });

  test('accepts the secret in its environment, which process lists do not show', async () => {
    const [secret, other] = [newSecret(), newSecret()];
    const fromEnvironment = await startReceiverIn({ RECEIVER_SECRET: secret });
    await post(fromEnvironment.url, secret);
    expect((await fromEnvironment.receiver.interrupt()).stdout).toContain('1 received, 1 verified.');

    const overridden = await startReceiverIn({ RECEIVER_SECRET: other }, '--secret', secret);
    await post(overridden.url, secret);
    await post(overridden.url, other);
    expect((await overridden.receiver.interrupt()).stdout).toContain('2 received, 1 verified.');

    await using dir = await temporaryDir();
    const path = join(dir.path, 'secret');
    await writeFile(path, `${secret}\n`);
    const fromFile = await startReceiverIn({ RECEIVER_SECRET_FILE: path });
    await post(fromFile.url, secret);
    expect((await fromFile.receiver.interrupt()).stdout).toContain('1 received, 1 verified.');

    const empty = await startReceiverIn({ RECEIVER_SECRET: '' });
    await post(empty.url, secret);
    expect((await empty.receiver.interrupt()).stdout).toContain('not verified: no secret given');
  });

  test('without a secret prints deliveries as not verified', async () => {
    const { receiver, url } = await startReceiver();
    await post(url, newSecret());
    expect((await receiver.interrupt()).stdout).toContain('not verified: no secret given');
  });

  test('confirms the challenge that verifies its URL', async () => {
    const { receiver, url } = await startReceiver();
    const challenge = { event: 'endpoint.verification', data: { customerId: 42, challenge: 'c_1' }, ts: 1 };
    const answer = await post(url, newSecret(), { body: JSON.stringify(challenge) });
    expect([answer.status, await answer.json()]).toEqual([200, { challenge: 'c_1' }]);
    expect((await receiver.interrupt()).stdout).toContain('endpoint.verification');
  });

  test('responds with the configured status after the configured delay', async () => {
    const { url } = await startReceiver('--status', '503', '--delay', '300');
    const start = performance.now();
    expect((await post(url, newSecret())).status).toBe(503);
    expect(performance.now() - start).toBeGreaterThanOrEqual(290);
  });

  test('returns 405 for methods other than POST and 413 for a body above 1 MiB, and keeps running', async () => {
    const { receiver, url } = await startReceiver();
    const get = await fetch(url);
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await post(url, newSecret(), { body: new Uint8Array(1024 * 1024 + 1) })).status).toBe(413);
    expect((await post(url, newSecret())).status).toBe(200);
    expect((await receiver.interrupt()).stdout).toContain('verified: NO (body_too_long)');
  });

  test('escapes control characters of a body, which could otherwise rewrite the terminal', async () => {
    const { receiver, url } = await startReceiver();
    await post(url, newSecret(), { body: 'before\u001b[2Jafter\u009b' });
    const { stdout } = await receiver.interrupt();
    expect(stdout).toContain('before\\x1b[2Jafter\\x9b');
    expect(stdout).not.toContain('\u001b');
  });

  test('with --json prints one document with every delivery, and no other output', async () => {
    const secret = newSecret();
    const { receiver, url } = await startReceiver('--secret', secret, '--json');
    await post(url, secret, { deliveryId: 'dlv_1' });
    await post(url, newSecret(), { deliveryId: 'dlv_2' });

    const { stdout, stderr } = await receiver.interrupt();
    expect(JSON.parse(stdout)).toMatchObject({
      url,
      deliveries: [
        {
          deliveryId: 'dlv_1',
          eventId: 'evt_1',
          event: 'outcome.marked',
          verified: true,
          reason: null,
          arrival: 1,
          status: 200,
          body: JSON.parse(body),
        },
        { deliveryId: 'dlv_2', verified: false, reason: 'signature_mismatch' },
      ],
      received: 2,
      verified: 1,
    });
    expect(stderr).toBe('');
  });

  test('with --json prints one document even without deliveries', async () => {
    const { receiver, url } = await startReceiver('--json');
    expect(JSON.parse((await receiver.interrupt()).stdout)).toEqual({
      url,
      deliveries: [],
      received: 0,
      verified: 0,
    });
  });

  test('fails with one line when the port is in use', async () => {
    const { url } = await startReceiver();
    const { code, stdout, stderr } = await runCommand(['receiver', '--port', new URL(url).port]);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toBe(`Port ${new URL(url).port} is in use; set --port.\n`);
  });
});
