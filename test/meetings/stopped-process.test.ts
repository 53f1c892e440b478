import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventually } from '../support/app.ts';
import { plainRows } from '../support/decrypted.ts';
import type { Page } from '../support/provider.ts';
import { ask, processesBesideProvider } from './process-support.ts';
import { API_KEY, CONNECT, type Rows, type Run, SYNC } from './support.ts';
import { newSigningSecret, SET_SECRET, send, signed } from './webhook-support.ts';

const RUNS = '{ meetingSyncRuns { edges { node { id status fetched unchanged } } } }';
const outdated = (page: Page) => ({
  ...page,
  meetings: (page.meetings as object[]).map((meeting) => ({ ...meeting, title: 'Outdated' })),
});
/** Time in which a continued process would store what it has received, in milliseconds. */
const WRITE_MS = 2_000;

/** A process that has stored three meetings, and a function that stops it at its next request to the provider. */
async function stoppable() {
  const { provider, models, start, newKey } = await processesBesideProvider({ count: 3 });
  const first = await start();
  const key = await newKey(7);
  await ask(first, key, CONNECT, { apiKey: API_KEY });
  const runs = async (process = first) =>
    (await ask<Rows<Run>>(process, key, RUNS)).edges.map(({ node }) => node);
  const sync = async () => ask<Run>(first, key, SYNC);
  await sync();
  await eventually(async () => (await runs())[0]?.status === 'succeeded');

  /** Resolves once the process is stopped, with outdated meetings in its socket. */
  const stopAtRequest = (begin: () => Promise<unknown>) =>
    new Promise<void>((resolve, reject) => {
      provider.behave(() => {
        first.child.kill('SIGSTOP');
        provider.behave('well');
        setTimeout(resolve, 100);
        return { change: outdated };
      });
      begin().catch(reject);
    });
  const titles = async () => {
    const stored = await plainRows({ models }, models.Meeting.find().sort({ _id: 1 }));
    return stored.map(({ title }) => title);
  };
  /** Continues the process, which then has the time to store the outdated meetings. */
  async function continueFirst() {
    first.child.kill('SIGCONT');
    await sleep(WRITE_MS);
    expect((await fetch(`${first.url}/api/health`)).status).toBe(200);
  }
  return { models, first, start, key, runs, sync, stopAtRequest, titles, continueFirst };
}

test('a process that lost its sync while it was stopped does not store the page that it had requested', async () => {
  const { start, runs, sync, stopAtRequest, titles, continueFirst } = await stoppable();
  await stopAtRequest(sync);
  const second = await start();
  const run = await eventually(async () => {
    const [newest] = await runs(second);
    return newest?.status === 'succeeded' && newest;
  }, 60_000);
  expect(run).toMatchObject({ fetched: 3, unchanged: 3 });
  await continueFirst();
  expect(await titles()).toEqual(['Meeting 0', 'Meeting 1', 'Meeting 2']);
});

test('a process that lost a webhook while it was stopped does not store the meeting that it had requested', async () => {
  const { models, first, start, key, stopAtRequest, titles, continueFirst } = await stoppable();
  const secret = newSigningSecret();
  const { path } = await ask<{ path: string }>(first, key, SET_SECRET, { secret });
  const { recorderMeetingId: id, createdAt } = (await models.Meeting.findOne().lean()) ?? {};
  const body = JSON.stringify({ type: 'meeting.updated', data: { id, created_at: createdAt } });
  await stopAtRequest(() => send(first.url, path, body, signed({ body, secret })));
  await start();
  await eventually(
    async () => (await models.ProviderNotice.countDocuments({ status: 'done' })) === 1,
    60_000,
  );
  await continueFirst();
  expect(await titles()).toEqual(['Meeting 0', 'Meeting 1', 'Meeting 2']);
});
