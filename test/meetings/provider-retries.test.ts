import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_WIRE_BYTES } from '../../src/features/meetings/provider/provider-calls.ts';
import { type Behaviour, from, html, tooMany, unauthorized } from '../support/provider.ts';
import {
  clientOf,
  failureOf,
  firstPage,
  newClient,
  newKey,
  pacingDatabase,
  segmentsOf,
} from './provider-support.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const ALL = [1, 2, 4, 8, 16].map((seconds) => seconds * SECOND);
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * SECOND).toUTCString();
const times = (count: number, behaviour: Behaviour): Behaviour[] => Array(count).fill(behaviour);

let database: Awaited<ReturnType<typeof pacingDatabase>>;
beforeAll(async () => {
  database = await pacingDatabase();
});
afterAll(() => database.stop());

describe('429', () => {
  test.each([1, 2, 3, 4])('%i times in a row is retried after 1, 2, 4 and 8 seconds', async (count) => {
    const { provider, client, waits } = await clientOf(database);
    let notified = 0;
    provider.script(...times(count, tooMany()));
    await client.checkKey(newKey(), { onRateLimited: () => (notified += 1) });
    expect(waits).toEqual(ALL.slice(0, count));
    expect([notified, provider.requests.length]).toEqual([count, count + 1]);
  });

  test('5 times in a row fails without another wait', async () => {
    const { provider, client, waits } = await clientOf(database);
    let notified = 0;
    provider.script(...times(5, tooMany()));
    const failed = await failureOf(client.checkKey(newKey(), { onRateLimited: () => (notified += 1) }));
    expect(failed).toMatchObject({ code: 'rate_limited', retryAfter: null });
    expect(waits).toEqual(ALL.slice(0, 4));
    expect([notified, provider.requests.length]).toEqual([5, 5]);
  });

  test('waits for the Retry-After in seconds instead of the back-off', async () => {
    const { provider, client, waits } = await clientOf(database);
    provider.script(tooMany('7'), tooMany('0'), tooMany(), tooMany('900'));
    await client.checkKey(newKey());
    expect(waits).toEqual([7 * SECOND, 0, 4 * SECOND, 15 * MINUTE]);
  });

  test('waits until the HTTP date in Retry-After, in each of its forms', async () => {
    const { provider, client, waits, clock } = await clientOf(database);
    clock.advance(Date.parse('Sun, 06 Nov 2033 08:49:00 GMT') - clock.now().getTime());
    provider.script(
      tooMany('Sun, 06 Nov 2033 08:49:37 GMT'),
      tooMany('Sunday, 06-Nov-33 08:49:37 GMT'),
      tooMany('Sun Nov  6 08:49:37 2033'),
      tooMany('Sun, 06 Nov 1994 08:49:37 GMT'),
    );
    await client.checkKey(newKey());
    for (const wait of waits.slice(0, 3)) {
      expect(wait).toBeLessThanOrEqual(37 * SECOND);
      expect(wait).toBeGreaterThan(27 * SECOND);
    }
    expect(waits.slice(3)).toEqual([0]);
  });

  test.each(['soon', '-5', '1.5', '', 'Sun, nonsense'])(
    'with Retry-After %j backs off',
    async (retryAfter) => {
      const { provider, client, waits } = await clientOf(database);
      provider.script(...times(4, tooMany(retryAfter)));
      await client.checkKey(newKey());
      expect(waits).toEqual(ALL.slice(0, 4));
    },
  );

  test.each([
    ['seconds', () => '901', 901],
    ['a date', () => inSeconds(1_200), 1_200],
    ['more than a date can be', () => '9'.repeat(40), 86_400],
    ['a Unix time', () => '1800000000', 86_400],
    ['a date of the year 9999', () => 'Fri, 31 Dec 9999 23:59:59 GMT', 86_400],
  ])(
    'with a Retry-After above 15 minutes in %s fails with the retry time, a day later at most',
    async (_what, header, seconds) => {
      const { provider, client, waits, clock } = await clientOf(database);
      provider.script(tooMany(header()));
      const { code, retryAfter } = await failureOf(firstPage(client));
      expect(code).toBe('rate_limited');
      const from = clock.now().getTime();
      expect(Number(retryAfter) - from).toBeGreaterThan((seconds - 10) * SECOND);
      expect(Number(retryAfter) - from).toBeLessThanOrEqual(seconds * SECOND);
      expect([waits, provider.requests.length]).toEqual([[], 1]);
    },
  );

  test('the fifth time fails with the retry time if the provider names one', async () => {
    const { provider, client, waits, clock } = await clientOf(database);
    provider.behave(tooMany('60'));
    const { retryAfter } = await failureOf(firstPage(client));
    expect(Math.abs(Number(retryAfter) - clock.now().getTime() - MINUTE)).toBeLessThan(10 * SECOND);
    expect(waits).toEqual(Array(4).fill(MINUTE));
  });

  test('restarts its count after another response, and in the next call', async () => {
    const { provider, client, waits } = await clientOf(database);
    provider.script(...times(4, tooMany()), { status: 500 }, ...times(4, tooMany()));
    await client.checkKey(newKey());
    expect(waits).toEqual([...ALL.slice(0, 4), SECOND, ...ALL.slice(0, 4)]);
    provider.script(...times(4, tooMany()));
    await client.checkKey(newKey());
    expect(provider.requests).toHaveLength(15);
  });
});

describe('a server failure is retried after 1, 2, 4, 8 and 16 seconds', () => {
  test.each<[string, Behaviour]>([
    ['500', { status: 500 }],
    ['503', { status: 503, body: '<h1>Maintenance</h1>' }],
    ['599', { status: 599 }],
    ['a connection that is reset', 'reset'],
    ['an answer cut short', 'cut'],
    ['an answer cut short that looks as if it had ended', 'cut_unseen'],
    ['an answer without a body', { status: 200 }],
  ])('%s', async (_what, behaviour) => {
    const { provider, client, waits } = await clientOf(database);
    provider.script(...times(5, behaviour));
    expect((await firstPage(client)).meetings).toHaveLength(3);
    expect(waits).toEqual(ALL);

    waits.length = 0;
    provider.behave(behaviour);
    expect(await failureOf(firstPage(client))).toMatchObject({ code: 'unavailable', retryAfter: null });
    expect(waits).toEqual(ALL);
    expect(provider.requests).toHaveLength(12);
  });

  test('an unreachable provider', async () => {
    const { provider, client, waits } = await clientOf(database);
    await provider.stop();
    expect(await failureOf(client.checkKey(newKey()))).toMatchObject({ code: 'unavailable' });
    expect(waits).toEqual(ALL);
  });

  test('after a longer Retry-After of a 5xx, up to 15 minutes', async () => {
    const { provider, client, waits } = await clientOf(database);
    provider.script(
      { status: 503, headers: { 'retry-after': '30' } },
      { status: 503, headers: { 'retry-after': '1' } },
      { status: 503, headers: { 'retry-after': '3600' } },
    );
    const { code, retryAfter } = await failureOf(firstPage(client));
    expect([code, waits]).toEqual(['unavailable', [30 * SECOND, 2 * SECOND]]);
    expect(retryAfter).toBeInstanceOf(Date);
  });

  test('for a whole call, regardless of 429s in between', async () => {
    const { provider, client, waits } = await clientOf(database);
    provider.behave((_request, index) => (index % 2 === 0 ? { status: 502 } : tooMany()));
    expect(await failureOf(firstPage(client))).toMatchObject({ code: 'unavailable' });
    expect(waits).toEqual(ALL.flatMap((wait) => [wait, SECOND]));
  });
});

describe('a permanent failure is not retried', () => {
  test.each<[string, Behaviour, string]>([
    ['401 after the key has worked', unauthorized, 'key_invalid'],
    ['403', { status: 403 }, 'bad_response'],
    ['404', { status: 404 }, 'bad_response'],
    ['a redirect', { status: 302, headers: { location: '/elsewhere' } }, 'bad_response'],
    ['204', { status: 204 }, 'bad_response'],
    ['HTML', html, 'bad_response'],
    ['a list', { status: 200, body: '[]' }, 'bad_response'],
    ['null', { status: 200, body: 'null' }, 'bad_response'],
    ['no list in it', { status: 200, body: '{"items":[]}' }, 'bad_response'],
    ['something else for the list', { status: 200, body: '{"meetings":{"0":1}}' }, 'bad_response'],
  ])('%s', async (_what, behaviour, code) => {
    const { provider, client, waits } = await clientOf(database);
    const key = newKey();
    provider.behave(from(1, behaviour));
    await firstPage(client, key);
    expect(await failureOf(firstPage(client, key))).toMatchObject({ code });
    expect([waits, provider.requests.length]).toEqual([[], 2]);
  });

  test('a response of more than 64 MiB', async () => {
    const { provider, client, waits } = await clientOf(database);
    provider.behave({ change: (page) => ({ ...page, padding: 'a'.repeat(MAX_WIRE_BYTES) }) });
    expect(await failureOf(firstPage(client))).toMatchObject({
      code: 'too_large',
      message: "The provider's response exceeds the maximum of 67,108,864 bytes.",
    });
    expect(waits).toEqual([]);
  });

  test('error messages do not contain the key', async () => {
    const { provider, client } = await clientOf(database);
    for (const behaviour of [unauthorized, html, tooMany('9999'), { status: 418 }]) {
      const key = newKey();
      provider.behave(behaviour);
      expect((await failureOf(firstPage(client, key))).message).not.toContain(key);
    }
  });
});

test('a page of 50 meetings with 600 segments each is read completely', async () => {
  const { client } = await clientOf(database, { count: 50, segments: 600 });
  const { meetings } = await firstPage(client);
  expect(meetings.map((meeting) => segmentsOf(meeting).length)).toEqual(Array(50).fill(600));
});

describe('cancellation', () => {
  test('ends a request in progress', async () => {
    const { provider, client } = await clientOf(database);
    provider.behave('hang');
    const controller = new AbortController();
    const key = newKey();
    const call = failureOf(client.checkKey(key, { signal: controller.signal }));
    await provider.waitFor(1);
    const at = performance.now();
    controller.abort();
    expect(await call).toMatchObject({ code: 'cancelled' });
    expect(performance.now() - at).toBeLessThan(10_000);
    // The next caller with the key is not delayed.
    provider.behave('well');
    await client.checkKey(key);
  });

  test('ends the wait before a retry', async () => {
    const { provider } = await clientOf(database);
    const client = newClient({ baseUrl: provider.url, database });
    provider.behave(tooMany('600'));
    const controller = new AbortController();
    const call = failureOf(
      client.checkKey(newKey(), { signal: controller.signal, onRateLimited: () => controller.abort() }),
    );
    expect(await call).toMatchObject({ code: 'cancelled' });
    expect(provider.requests).toHaveLength(1);
  });

  test('ends the wait for a slot, which delays no other caller', async () => {
    const { provider } = await clientOf(database);
    const client = newClient({ baseUrl: provider.url, database, pacingMs: 600_000 });
    const key = newKey();
    await client.checkKey(key);
    const controller = new AbortController();
    const waiting = failureOf(client.checkKey(key, { signal: controller.signal }));
    setTimeout(() => controller.abort(), 100);
    expect(await waiting).toMatchObject({ code: 'cancelled' });
    const [slot] = await database.models.ProviderPacing.find().sort({ askedAt: -1 }).limit(1).lean();
    expect(slot?.holder).toBeNull();
    expect(provider.requests).toHaveLength(1);
  });

  test('before a call starts sends nothing', async () => {
    const { provider, client } = await clientOf(database);
    expect(await failureOf(client.checkKey(newKey(), { signal: AbortSignal.abort() }))).toMatchObject({
      code: 'cancelled',
    });
    expect(provider.requests).toEqual([]);
  });
});
