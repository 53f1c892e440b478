import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, test } from 'vitest';
import { demoMeetings } from '../../src/demo/provider/demo-meetings.ts';
import type { MeetingJson, Meetings } from '../../src/demo/provider/meeting-json.ts';
import { type Running, runCommand, startCommand } from '../support/command.ts';
import { startReceiver } from '../support/receiver.ts';

const DAY = 86_400_000;
const running: Running[] = [];
afterEach(async () => {
  for (const command of running.splice(0)) {
    command.process.kill('SIGKILL');
    await command.ended;
  }
});

/** Starts a provider on a free port; its address is what it says itself. */
async function startProvider(...args: string[]): Promise<{ provider: Running; url: string }> {
  const provider = startCommand(['demo', 'provider', '--port', '0', ...args]);
  running.push(provider);
  const [url] = await provider.printed(/http:\/\/127\.0\.0\.1:\d+/);
  return { provider, url };
}

interface Page {
  meetings: MeetingJson[];
  data: MeetingJson[];
  next: string | null;
  next_cursor: string | null;
}

const get = (url: string, key = 'rec_demo') => fetch(url, { headers: { authorization: `Bearer ${key}` } });
const page = async (url: string): Promise<Page> => (await get(url)).json() as Promise<Page>;
const all = (meetings: Meetings): MeetingJson[] =>
  Array.from({ length: meetings.length }, (_, index) => meetings.at(index)).filter(
    (one) => one !== undefined,
  );

describe('demo provider', () => {
  test('prints its address and usage, logs requests, and exits on Ctrl-C', async () => {
    const { provider, url } = await startProvider();
    await get(`${url}/meetings?limit=50`, 'rec_my_own');
    const { code, stdout } = await provider.interrupt();
    expect(code).toBe(0);
    expect(stdout).toContain(`with 120 meetings`);
    expect(stdout).toContain(`RECORDER_API_URL=${url} npm start`);
    expect(stdout).toMatch(/Z {2}GET \/meetings\?limit=50 {2}200 {2}50 meetings\n/);
    expect(stdout).not.toContain('rec_my_own');
  });

  test('accepts keys that start with rec_, except those that contain invalid', async () => {
    const { url } = await startProvider();
    const status = async (key: string) => (await get(`${url}/user`, key)).status;
    expect(await status('rec_anything')).toBe(200);
    expect(await status('rec_invalid')).toBe(401);
    expect(await status('other')).toBe(401);
    expect((await fetch(`${url}/meetings`)).status).toBe(401);
  });

  test('has the API of Fathom on request', async () => {
    const { provider, url } = await startProvider('--api', 'fathom');
    expect(url).toMatch(/^http:/);
    const get = (path: string) =>
      fetch(`${url}/external/v1${path}`, { headers: { 'x-api-key': 'rec_demo' } });
    const response = await get('/meetings?include_transcript=true&include_summary=true');
    expect(response.headers.get('ratelimit-remaining')).toBe('29');
    const { items, next_cursor } = (await response.json()) as { items: unknown[]; next_cursor: string };
    expect(items).toHaveLength(10);
    expect(next_cursor).toBe('c10');
    expect((await get('/teams')).status).toBe(200);
    const { stdout } = await provider.interrupt();
    expect(stdout).toContain(`RECORDER_PROVIDER=fathom RECORDER_API_URL=${url}/external/v1 npm start`);
  });

  test('lists its meetings in pages, from a given time', async () => {
    const { url } = await startProvider('--meetings', '70');
    const first = await page(`${url}/meetings?limit=50`);
    expect(first.meetings).toHaveLength(50);
    expect(first.next).toMatch(new RegExp(`^${url}/meetings\\?`));
    const second = await page(first.next ?? '');
    expect([second.meetings.length, second.next]).toEqual([20, null]);
    expect(new Set([...first.meetings, ...second.meetings].map(({ id }) => id)).size).toBe(70);

    const since = first.meetings[9]?.created_at ?? '';
    const recent = await page(`${url}/meetings?since=${since}&limit=50`);
    expect(recent.meetings.map(({ id }) => id)).toEqual(first.meetings.slice(0, 10).map(({ id }) => id));
    expect(recent.next).toBeNull();
  });

  test('supports the other pagination style and list name', async () => {
    const { url } = await startProvider('--pagination', 'cursor', '--payload', 'data');
    const first = await page(`${url}/meetings`);
    expect(first.data).toHaveLength(50);
    expect(first).not.toHaveProperty('next');
    const second = await page(`${url}/meetings?cursor=${first.next_cursor}`);
    expect(second.data[0]?.id).not.toBe(first.data[0]?.id);
  });

  test('delays responses as configured, and enforces its rate limit', async () => {
    const { url } = await startProvider('--delay', '200', '--rate-limit', '2');
    const start = performance.now();
    expect((await get(`${url}/user`)).status).toBe(200);
    expect(performance.now() - start).toBeGreaterThanOrEqual(190);
    expect((await get(`${url}/user`)).status).toBe(200);
    const refused = await get(`${url}/user`);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
    expect((await get(`${url}/user`, 'rec_other')).status).toBe(200);
  });

  test('deletes a meeting on request, and sends a signed webhook about it', async () => {
    const receiver = await startReceiver(202);
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    const { provider, url } = await startProvider('--webhook', receiver.url, '--webhook-secret', secret);
    const [meeting] = (await page(`${url}/meetings`)).meetings;
    const remove = async (key: string) =>
      (
        await fetch(`${url}/meetings/${meeting?.id}`, {
          method: 'DELETE',
          headers: { authorization: `Bearer ${key}` },
        })
      ).status;
    expect(await remove('other')).toBe(401);
    expect(await remove('rec_demo')).toBe(200);
    expect(await remove('rec_demo')).toBe(404);
    const remaining = [
      ...(await page(`${url}/meetings?limit=100`)).meetings,
      ...(await page(`${url}/meetings?limit=100&cursor=at-100`)).meetings,
    ];
    expect(remaining).toHaveLength(119);
    expect(remaining.map(({ id }) => id)).not.toContain(meeting?.id);

    const [webhook] = await receiver.waitFor(1);
    expect(
      new Webhook(secret).verify(webhook?.body ?? '', webhook?.headers as Record<string, string>),
    ).toEqual({
      type: 'meeting.deleted',
      data: { id: meeting?.id, created_at: meeting?.created_at },
    });
    await provider.printed(/webhook {2}202/);
    expect(receiver.received).toHaveLength(1);
    await receiver.stop();
  });

  test.each([
    ['only one of the options', ['--webhook', 'http://127.0.0.1:9'], 'together'],
    ['a text that is no URL', ['--webhook', 'service', '--webhook-secret', 'whsec_x'], 'not a URL'],
    ['a secret of another format', ['--webhook', 'http://127.0.0.1:9', '--webhook-secret', 'x'], 'whsec_'],
  ])('rejects %s for webhooks', async (_case, args, message) => {
    const { code, stderr } = await runCommand(['demo', 'provider', '--port', '0', ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  test.each([
    ['since=yesterday', 400],
    ['limit=0', 400],
    ['limit=101', 400],
    ['cursor=garbage', 400],
  ])('rejects ?%s', async (query, status) => {
    const { url } = await startProvider();
    expect((await get(`${url}/meetings?${query}`)).status).toBe(status);
  });

  test('returns 404 for other paths and methods', async () => {
    const { url } = await startProvider();
    expect((await get(`${url}/webhooks`)).status).toBe(404);
    const headers = { authorization: 'Bearer rec_demo' };
    expect((await fetch(`${url}/meetings`, { method: 'POST', headers })).status).toBe(405);
  });

  test('with --json prints one document, and no request log', async () => {
    const { provider, url } = await startProvider('--json', '--meetings', '3');
    await get(`${url}/meetings`);
    const { stdout, stderr } = await provider.interrupt();
    expect(JSON.parse(stdout)).toEqual({ url, meetings: 3, api: 'standard' });
    expect(stderr).toBe('');
  });

  test('fails with one line when the port is in use or an option is unknown', async () => {
    const { url } = await startProvider();
    const taken = await runCommand(['demo', 'provider', '--port', new URL(url).port]);
    expect([taken.code, taken.stdout]).toEqual([1, '']);
    expect(taken.stderr).toBe(`Port ${new URL(url).port} is in use; set --port.\n`);
    const wrong = await runCommand(['demo', 'provider', '--pagination', 'pages']);
    expect(wrong.code).toBe(2);
  });
});

describe('the demo meetings', () => {
  const start = new Date('2026-11-21T15:00:00.000Z');
  const meetings = all(demoMeetings(120, start, () => start));

  test('are of the last 90 days, newest first, and deterministic', () => {
    const times = meetings.map(({ created_at }) => Date.parse(created_at));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(Math.min(...times)).toBeGreaterThan(start.getTime() - 90 * DAY);
    expect(Math.min(...times)).toBeLessThan(start.getTime() - 60 * DAY);
    expect(new Set(meetings.map(({ id }) => id)).size).toBe(120);
    expect(all(demoMeetings(120, start, () => start))).toEqual(meetings);
  });

  test('cover every case that a sync handles', () => {
    const people = meetings.flatMap(({ participants }) => participants ?? []);
    expect(people.some(({ email }) => email && email !== email.toLowerCase())).toBe(true);
    expect(people.some(({ email }) => !email)).toBe(true);
    expect(meetings.every((meeting) => 'recording_url' in meeting)).toBe(true);
  });

  test('contain no placeholders, and have times up to their end', () => {
    for (const { title, summary, transcript, duration_seconds, participants } of meetings.slice(1)) {
      expect(`${title}${summary}${transcript?.map(({ text }) => text).join('')}`).not.toMatch(/[{}]/);
      expect(transcript?.length).toBeGreaterThan(10);
      const names = participants?.map(({ name }) => name);
      let last = 0;
      for (const { speaker, start_time, end_time } of transcript ?? []) {
        expect(names).toContain(speaker);
        expect(start_time).toBeGreaterThanOrEqual(last);
        expect(end_time).toBeGreaterThan(start_time);
        last = end_time;
      }
      expect(last).toBeLessThanOrEqual(duration_seconds ?? 0);
    }
  });

  test('include one that has just ended, whose transcript follows minutes later', () => {
    expect(meetings[0]).toMatchObject({ transcript: [], summary: null });
    const later = new Date(start.getTime() + 7 * 60_000);
    const newest = demoMeetings(120, start, () => later).at(0);
    expect(newest?.transcript?.length).toBeGreaterThan(10);
    expect(newest).toMatchObject({ id: meetings[0]?.id, summary: expect.any(String) });
  });
});
