import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, type Json } from '../support/app.ts';
import type { ServiceProcess } from '../support/process.ts';
import { createProcessGroup } from '../support/process-group.ts';
import type { Receiver } from '../support/receiver.ts';
import { endpointsPath, receiving } from './support.ts';

const CUSTOMER = 42;
const PATH = endpointsPath(CUSTOMER);

async function starting(count: number) {
  const { models, startMany, newKey } = await createProcessGroup();
  const processes = await startMany(count);
  const key = await newKey('--customer', String(CUSTOMER), '--scope', 'write');
  async function request(
    { url }: ServiceProcess,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Json> {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Json;
  }
  let marks = 0;
  const post = async (process: ServiceProcess): Promise<string> => {
    const mark = `goal_${++marks}`;
    const body = { type: 'conversion', goal: mark, visitor_id: 'v_1' };
    await request(process, 'POST', '/v1/events', body);
    return mark;
  };
  return { processes, models, request, post };
}

const marksAt = ({ received }: Receiver): string[] =>
  received.map(({ envelope }) => String(envelope.data.conversionType));

test('each change of an endpoint applies to the events of every process once it is answered', async () => {
  const [first, second] = [await receiving(), await receiving()];
  const { processes, models, request, post } = await starting(3);
  let stopped = false;
  const traffic = processes.map(async (process) => {
    while (!stopped) await post(process).then(() => sleep(20));
  });
  onTestFinished(async () => {
    stopped = true;
    await Promise.allSettled(traffic);
  });
  const elsewhere: string[] = [];
  let changes = 0;
  /** Makes a change in one process after the other; returns the events that were sent after its response. */
  async function after(change: (process: ServiceProcess) => Promise<unknown>): Promise<string[]> {
    await sleep(150);
    await change(processes[changes++ % processes.length] as ServiceProcess);
    return Promise.all([...processes, ...processes].map(post));
  }
  async function expectAt(marks: string[], receiver: Receiver | null): Promise<void> {
    if (receiver) await eventually(() => marks.every((mark) => marksAt(receiver).includes(mark)), 30_000);
    for (const other of [first, second])
      if (other !== receiver) elsewhere.push(...marks.filter((mark) => marksAt(other).includes(mark)));
  }
  const patch = (id: number, body: unknown) => (process: ServiceProcess) =>
    request(process, 'PATCH', `${PATH}/${id}`, body);

  const silent: string[] = [];
  for (let round = 0; round < 2; round += 1) {
    let id = 0;
    let secret = '';
    const created = await after(async (process) => {
      const body = await request(process, 'POST', PATH, { url: first.url });
      id = Number(body.endpoint?.id);
    });
    await expectAt(created, first);
    await expectAt(await after(patch(id, { url: second.url })), second);
    const rotated = await after(async (process) => {
      secret = String((await request(process, 'POST', `${PATH}/${id}/rotate-secret`)).secret);
    });
    await expectAt(rotated, second);
    for (const request of second.received)
      if (rotated.includes(String(request.envelope.data.conversionType)))
        expect(second.verifies(request, secret)).toBe(true);
    silent.push(...(await after(patch(id, { events: ['conversation.started'] }))));
    await expectAt(await after(patch(id, { events: null })), second);
    silent.push(...(await after(patch(id, { enabled: false }))));
    await expectAt(await after(patch(id, { enabled: true })), second);
    silent.push(...(await after((process) => request(process, 'DELETE', `${PATH}/${id}`))));
  }
  stopped = true;
  await Promise.all(traffic);
  await eventually(
    async () => (await models.Delivery.countDocuments({ status: { $in: ['pending', 'retrying'] } })) === 0,
    30_000,
  );
  await expectAt(silent, null);
  expect(elsewhere).toEqual([]);
  expect(silent).toHaveLength(36);
}, 180_000);

test('events and attempts read no endpoints, tenants and keys once these are cached', async () => {
  const receiver = await receiving();
  const { processes, models, request, post } = await starting(1);
  const [service] = processes as [ServiceProcess];
  await request(service, 'POST', PATH, { url: receiver.url });
  const db = models.Endpoint.db.db;
  if (!db) throw new Error('not connected');
  // Values that are older than 10 s are read again.
  let reads = Number.POSITIVE_INFINITY;
  for (let tries = 0; reads > 0 && tries < 20; tries += 1) {
    for (let i = 0; i < 20; i += 1) await post(service);
    await db.command({ profile: 2 });
    const marks = await Promise.all(Array.from({ length: 30 }, () => post(service)));
    await eventually(() => marks.every((mark) => marksAt(receiver).includes(mark)));
    await db.command({ profile: 0 });
    const profile = db.collection('system.profile');
    const namespaces = ['apiKeys', 'tenants', 'webhookEndpoints'].map((name) => `${db.databaseName}.${name}`);
    reads = await profile.countDocuments({ op: { $in: ['query', 'command'] }, ns: { $in: namespaces } });
    await profile.drop();
  }
  expect(reads).toBe(0);
});
