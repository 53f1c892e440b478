import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { ServiceProcess } from '../support/process.ts';
import { createProcessGroup } from '../support/process-group.ts';
import { startFakeSidecar } from '../support/sidecar.ts';

const START = `mutation ($visitorId: String!) { startConversation(input: { visitorId: $visitorId }) { id } }`;
const CREATE_KEY = `mutation { createApiKey(input: { scope: admin }) { key } }`;

async function startTwo(env: Record<string, string> = {}) {
  const { models, start, newKey } = await createProcessGroup(env);
  const processes = [await start(), await start()] as const;
  const write = await newKey('--customer', '42', '--scope', 'write');
  return { processes, models, write, admin: await newKey('--scope', 'admin') };
}

interface Post {
  path?: string;
  key: string;
  idempotencyKey: string;
  body: unknown;
}

async function post(
  { url }: ServiceProcess,
  { path = '/graphql', key, idempotencyKey, body }: Post,
): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

test('of parallel requests to two processes, one is executed, and the others return its response', async () => {
  const { processes, models, write, admin } = await startTwo();
  const before = await models.ApiKey.countDocuments();
  for (let round = 0; round < 5; round += 1) {
    for (const request of [
      { key: write, body: { query: START, variables: { visitorId: `v${round}` } } },
      { key: admin, body: { query: CREATE_KEY } },
    ]) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          post(processes[i % 2 ? 1 : 0], { ...request, idempotencyKey: `round-${round}` }),
        ),
      );
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(answers[0]?.text).not.toContain('errors');
      expect(answers.filter(({ headers }) => headers.has('idempotent-replayed'))).toHaveLength(7);
    }
  }
  expect(await models.Conversation.countDocuments()).toBe(5);
  expect(await models.ApiKey.countDocuments()).toBe(before + 5);
});

/** Repeats a request as its responses demand: MongoDB keeps the transaction of a killed process for a while. */
async function postUntilDone(...args: Parameters<typeof post>) {
  for (;;) {
    const answer = await post(...args);
    const seconds = answer.headers.get('retry-after');
    if (seconds === null) return answer;
    await sleep(Number(seconds) * 1_000);
  }
}

test('nothing is executed twice when a process is killed while it executes requests', async () => {
  const { processes, models, write } = await startTwo();
  const [first, second] = processes;
  const requests = Array.from({ length: 80 }, (_, i) => ({
    key: write,
    idempotencyKey: `k${i}`,
    body: { query: START, variables: { visitorId: `v${i}` } },
  }));
  let completed = 0;
  let killed: Promise<unknown> | undefined;
  const answers = await Promise.all(
    requests.map(async (request, i) => {
      // Spread over some time, so that the process dies in the middle of it.
      await new Promise((resolve) => setTimeout(resolve, i * 5));
      const answer = await post(first, request).catch(() => null);
      completed += answer ? 1 : 0;
      if (completed === 25) killed ??= first.end('SIGKILL');
      return answer;
    }),
  );
  await killed;
  expect(answers.filter((answer) => answer === null).length).toBeGreaterThan(0);
  const retried = await Promise.all(requests.map((request) => postUntilDone(second, request)));
  for (const [i, { text }] of retried.entries()) {
    expect(text).not.toContain('errors');
    const answer = answers[i];
    if (answer) expect(text).toBe(answer.text);
  }
  expect(await models.Conversation.countDocuments()).toBe(80);
  expect(await models.Event.countDocuments({ event: 'conversation.started' })).toBe(80);
}, 180_000);

test('an operation outside of a transaction is not repeated after its process was killed', async () => {
  const sidecar = await startFakeSidecar();
  onTestFinished(() => sidecar.stop());
  const { processes, models, admin } = await startTwo({
    ML_SIDECAR_URL: sidecar.url,
    ML_SIDECAR_TIMEOUT: '60s',
  });
  const [first, second] = processes;
  const checks = () => sidecar.requests.filter((line) => line === 'POST /drift/check').length;
  sidecar.behave('hang');
  const request = { path: '/api/drift.triggerCheck', key: admin, idempotencyKey: 'k', body: {} };
  const lost = post(first, request).catch(() => null);
  await expect.poll(checks, { timeout: 10_000 }).toBe(1);
  await first.end('SIGKILL');
  expect(await lost).toBeNull();
  sidecar.behave('well');

  const waiting = await post(second, request);
  expect(waiting.status).toBe(409);
  expect(waiting.headers.get('retry-after')).toBe('1');
  await models.Idempotency.updateMany({}, { $set: { claimedUntil: new Date() } });
  const unknown = await post(second, request);
  expect(unknown.status).toBe(409);
  expect(unknown.headers.get('retry-after')).toBeNull();
  expect(checks()).toBe(1);
  expect((await post(second, { ...request, idempotencyKey: 'new' })).status).toBe(200);
  expect(checks()).toBe(2);
});
