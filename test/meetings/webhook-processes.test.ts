import { expect, test } from 'vitest';
import { eventually } from '../support/app.ts';
import { meetingJson } from '../support/provider.ts';
import { ask, processesBesideProvider } from './process-support.ts';
import { API_KEY, CONNECT } from './support.ts';
import { type Hook, newSigningSecret, SET_SECRET, send, signed } from './webhook-support.ts';

test('a webhook that a killed process accepted is fetched by another one, once', async () => {
  const meetings = Array.from({ length: 20 }, (_, index) => meetingJson(index));
  const { provider, models, start, newKey } = await processesBesideProvider({ meetings });
  const first = await start();
  const key = await newKey(7);
  await ask(first, key, CONNECT, { apiKey: API_KEY });
  const secret = newSigningSecret();
  const { path } = await ask<Hook>(first, key, SET_SECRET, { secret });

  provider.behave('hang');
  const bodies = [3, 9].map((index) => {
    const { id, created_at } = meetings[index] ?? meetingJson(index);
    const data = { id, created_at };
    return JSON.stringify({ type: 'meeting.updated', data });
  });
  for (const body of bodies)
    expect((await send(first.url, path, body, signed({ body, secret }))).status).toBe(204);
  await first.end('SIGKILL');
  expect(await models.Meeting.countDocuments()).toBe(0);

  provider.behave('well');
  const others = await Promise.all([start(), start()]);
  await eventually(
    async () => (await models.ProviderNotice.countDocuments({ status: 'done' })) === 2,
    60_000,
  );
  const ids = await models.Meeting.distinct('recorderMeetingId');
  expect(ids).toHaveLength(2);
  for (const collection of [models.Meeting, models.MeetingActivity, models.MeetingTranscript])
    expect(await (collection as typeof models.Meeting).countDocuments()).toBe(2);
  expect(await Promise.all(others.map((process) => process.end('SIGTERM')))).toEqual([0, 0]);
});
