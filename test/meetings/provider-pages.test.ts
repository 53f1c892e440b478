import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeTranscript } from '../../src/features/meetings/transcript-json.ts';
import { meetingJson, startProvider, withNext } from '../support/provider.ts';
import {
  allPages,
  clientOf,
  failureOf,
  firstPage,
  newKey,
  pacingDatabase,
  SINCE,
} from './provider-support.ts';

let database: Awaited<ReturnType<typeof pacingDatabase>>;
beforeAll(async () => {
  database = await pacingDatabase();
});
afterAll(() => database.stop());

describe('the key', () => {
  test('is checked at the user endpoint, as a bearer token', async () => {
    const { provider, client } = await clientOf(database);
    const key = newKey();
    await client.checkKey(key);
    expect(provider.requests).toMatchObject([{ path: '/user', query: {}, key }]);
  });

  test('that the provider rejects is key_invalid, and is not retried', async () => {
    const { provider, client, waits } = await clientOf(database);
    expect(await failureOf(client.checkKey('rec_invalid'))).toMatchObject({ code: 'key_invalid' });
    expect(await failureOf(firstPage(client, 'rec_invalid'))).toMatchObject({ code: 'key_invalid' });
    expect(provider.requests).toHaveLength(2);
    expect(waits).toEqual([]);
  });

  test.each(['', 'rec_a b', 'rec_a\r\nx: y', 'rec_ü'])(
    '%j is not valid in a header, and is not sent',
    async (key) => {
      const { provider, client } = await clientOf(database);
      expect(await failureOf(client.checkKey(key))).toMatchObject({ code: 'key_invalid' });
      expect(await failureOf(firstPage(client, key))).toMatchObject({ code: 'key_invalid' });
      expect(provider.requests).toEqual([]);
    },
  );
});

describe('a page', () => {
  test('is requested with since and a limit of 50', async () => {
    const { provider, client } = await clientOf(database);
    const since = new Date('2026-08-22T10:00:00.000Z');
    const key = newKey();
    await client.meetings(key, { since, after: null });
    expect(provider.requests).toMatchObject([
      { path: '/meetings', query: { since: '2026-08-22T10:00:00.000Z', limit: '50' }, key },
    ]);
  });

  test('has the meetings with their known fields only', async () => {
    const { client } = await clientOf(database, { count: 1, segments: 1 });
    const [json] = [meetingJson(0, { segments: 1 })];
    expect(await firstPage(client)).toEqual({
      meetings: [
        {
          id: 'm0',
          title: 'Meeting 0',
          createdAt: expect.any(Date),
          startedAt: expect.any(Date),
          durationSeconds: 1_800,
          participants: [
            { name: 'Guest 0', email: 'guest.0@example.com', role: 'guest' },
            { name: 'Host', email: 'host@example.com', role: 'host' },
          ],
          transcriptJson: encodeTranscript([
            { speaker: 'Host', text: json?.transcript?.[0]?.text ?? '', startTime: 0, endTime: 4.5 },
          ]),
          summary: 'They met as number 0.',
          updatedAt: null,
          warnings: [],
          warningCount: 0,
          recordJson: expect.stringContaining(JSON.stringify(json?.recording_url)),
        },
      ],
      rejected: [],
      next: null,
    });
  });

  test.each(['next', 'cursor'] as const)('links to the next page by %s', async (pagination) => {
    for (const payload of ['meetings', 'data'] as const) {
      const { provider, client } = await clientOf(database, { count: 120, pagination, payload });
      const pages = await allPages(client);
      expect(pages.map(({ meetings }) => meetings.length)).toEqual([50, 50, 20]);
      expect(new Set(pages.flatMap(({ meetings }) => meetings.map(({ id }) => id))).size).toBe(120);
      // The following requests are for the same listing.
      const { since, limit } = provider.requests[0]?.query ?? {};
      expect(provider.requests.map(({ query }) => query)).toEqual([
        { since, limit },
        { since, limit, cursor: 'at-50' },
        { since, limit, cursor: 'at-100' },
      ]);
    }
  });

  test('that repeats the end of the previous one is accepted', async () => {
    const { client } = await clientOf(database, { count: 120, pagination: 'cursor', overlap: 10 });
    const ids = (await allPages(client)).flatMap(({ meetings }) => meetings.map(({ id }) => id));
    expect([ids.length, new Set(ids).size]).toEqual([140, 120]);
  });

  test.each([
    ['null', { next: null, next_cursor: null }],
    ['empty', { next: '', next_cursor: '' }],
    ['false', { next: false, next_cursor: false }],
    ['absent', { next: undefined, next_cursor: undefined }],
  ])('is the last one if both pointers are %s', async (_what, pointers) => {
    const { provider, client } = await clientOf(database);
    provider.script({ change: (page) => ({ ...page, ...pointers }) });
    expect((await firstPage(client)).next).toBeNull();
  });

  test.each([
    ['that is null', '{"meetings":null}', 0],
    ['that is empty beside the other one', `{"meetings":[],"data":[${JSON.stringify(meetingJson(0))}]}`, 1],
    ['that is empty beside other data', '{"meetings":[],"data":["a","b"]}', 0],
    ['beside other data', `{"data":[${JSON.stringify(meetingJson(0))}],"meetings":{"count":1}}`, 1],
  ])('may have a list %s', async (_what, body, count) => {
    const { provider, client } = await clientOf(database);
    provider.script({ status: 200, body });
    const { meetings, rejected } = await firstPage(client);
    expect([meetings.length, rejected]).toEqual([count, []]);
  });

  test('prefers `next` to a cursor', async () => {
    const { provider, client } = await clientOf(database);
    provider.script({ change: (page) => ({ ...page, next: '/meetings?page=2', next_cursor: 'c' }) });
    const { next } = await firstPage(client);
    expect(next).toEqual({ type: 'next', value: `${provider.url}/meetings?page=2` });
  });

  test('may have a numeric cursor', async () => {
    const { provider, client } = await clientOf(database);
    provider.script({ change: (page) => ({ ...page, next_cursor: 2 }) });
    expect((await firstPage(client)).next).toEqual({ type: 'cursor', value: '2' });
  });
});

describe('next', () => {
  test.each([
    ['?page=2', '/meetings?page=2'],
    ['more/meetings', '/more/meetings'],
    ['/v2/meetings?page=2#top', '/v2/meetings?page=2'],
  ])('%j is resolved against the URL of its page', async (next, path) => {
    const { provider, client } = await clientOf(database);
    const key = newKey();
    provider.script(withNext(next));
    const page = await firstPage(client, key);
    expect(page.next?.value).toBe(provider.url + path);
    provider.script({ status: 200, body: '{"meetings":[]}' });
    await client.meetings(key, { since: SINCE, after: page.next });
    const [, request] = provider.requests;
    expect([request?.path, request?.query, request?.key]).toEqual([
      path.split('?')[0],
      path.includes('?') ? { page: '2' } : {},
      key,
    ]);
  });

  test('that differs only in fragment or user name compares equal', async () => {
    const { provider, client } = await clientOf(database);
    const values: unknown[] = [];
    for (const next of [
      '/meetings?page=2',
      '/meetings?page=2#a',
      `http://u:p@${new URL(provider.url).host}/meetings?page=2`,
    ]) {
      provider.script(withNext(next));
      values.push((await firstPage(client)).next);
    }
    expect(values).toEqual(Array(3).fill({ type: 'next', value: `${provider.url}/meetings?page=2` }));
  });

  test('on another origin is rejected, and receives neither the key nor a request', async () => {
    const other = await startProvider();
    try {
      const { provider, client } = await clientOf(database, { count: 2 });
      const { host } = new URL(provider.url);
      const foreign = [
        `${other.url}/meetings`,
        `//${new URL(other.url).host}/meetings`,
        `\\\\${new URL(other.url).host}\\meetings`,
        `http://${host}@${new URL(other.url).host}/meetings`,
        `https://${host}/meetings`,
        `http://localhost:${new URL(provider.url).port}/meetings`,
        `blob:${provider.url}/meetings`,
        'file:///etc/passwd',
        'data:application/json,{}',
      ];
      for (const next of foreign) {
        provider.script(withNext(next));
        const page = await firstPage(client);
        // The meetings of the page are kept despite its invalid link.
        expect(page.meetings).toHaveLength(2);
        const asked = provider.requests.length;
        const refused = await failureOf(client.meetings(newKey(), { since: SINCE, after: page.next }));
        expect([next, refused.code]).toEqual([next, 'foreign_next']);
        expect(provider.requests).toHaveLength(asked);
      }
      expect(other.requests).toEqual([]);
    } finally {
      await other.stop();
    }
  });

  test.each([
    ['no address', 'http://['],
    ['a number', 7],
    ['an object', {}],
    ['true', true],
    ['longer than addresses are', `/${'a'.repeat(2_048)}`],
  ])('that is %s fails the page', async (_what, next) => {
    const { provider, client } = await clientOf(database);
    provider.script(withNext(next));
    expect(await failureOf(firstPage(client))).toMatchObject({ code: 'bad_response' });
  });

  test('that is the page itself is returned, so that the caller can detect the repetition', async () => {
    const { provider, client } = await clientOf(database);
    provider.behave(withNext('/meetings?page=1'));
    const first = await firstPage(client);
    const second = await client.meetings(newKey(), { since: SINCE, after: first.next });
    expect(second.next).toEqual(first.next);
  });
});
