import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { freshDatabase } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import { parseMetrics } from '../support/metrics.ts';
import { testMongod } from '../support/mongo.ts';
import { engagement } from '../support/process.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { workersOf } from '../support/worker-processes.ts';
import { START_MS, startWorkersProcess, type WorkersProcess } from './support.ts';

const TEST_MS = 3 * START_MS;
const CUSTOMER = '7';
/** Longer than the end of a primary takes. */
const BLOCKED_MS = 2_000;

interface Service extends WorkersProcess {
  mongodbUri: string;
  key: string;
  request(path: string, body?: unknown): Promise<Response>;
}

/** Starts two workers on a fresh database, with a key of scope write. */
async function startTwo(env: Record<string, string> = {}): Promise<Service> {
  const mongodbUri = freshDatabase();
  const service = await startWorkersProcess({
    MONGODB_URI: mongodbUri,
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
    ...env,
  });
  const options = ['key', 'create', '--customer', CUSTOMER, '--scope', 'write'];
  const { key } = await engagement<{ key: string }>(service.dataDir, mongodbUri, ...options);
  return {
    ...service,
    mongodbUri,
    key,
    request: (path, body) =>
      fetch(service.url + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          // A connection of its own, which any worker accepts.
          connection: 'close',
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
  };
}

/** Makes calls from eight clients at a time. */
async function inParallel<T>(count: number, call: (number: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const client = async () => {
    while (next < count) {
      next += 1;
      results.push(await call(next));
    }
  };
  await Promise.all(Array.from({ length: 8 }, client));
  return results;
}

let conversions = 0;

/** Returns an event whose goal no other one has. */
const conversion = () => {
  conversions += 1;
  return { type: 'conversion', goal: `n${conversions}`, visitor_id: `v_${conversions}` };
};

async function readPage(url: string) {
  const response = await fetch(`${url}/metrics`, { headers: { connection: 'close' } });
  expect(response.status).toBe(200);
  return parseMetrics(await response.text());
}

/** Posts an event over the connection of an agent and returns the status. */
const postOver = (agent: Agent, { url, key }: Service, event: object): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    request(`${url}/v1/events`, { agent, method: 'POST', headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    })
      .once('error', reject)
      .end(JSON.stringify(event));
  });

describe('two workers', () => {
  let service: Service;
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
    // A worker takes over the deliveries of a killed one after 9 s.
    service = await startTwo({ WEBHOOK_TIMEOUT: '2s' });
    const endpoint = await service.request(`/api/v1/customers/${CUSTOMER}/webhook-endpoints`, {
      url: receiver.url,
    });
    expect(endpoint.status).toBe(201);
  }, TEST_MS);
  afterAll(async () => {
    await service?.[Symbol.asyncDispose]();
    await receiver.stop();
  });

  test(
    'serve one port and report their metrics together, on each port',
    async () => {
      const { url, probesUrl, workers, request, log } = service;
      expect(workers()).toHaveLength(2);
      const requests = 200;
      const statuses = await inParallel(requests, async () => (await request('/api/v1/event-types')).status);
      expect(new Set(statuses)).toEqual(new Set([200]));

      for (const address of [url, probesUrl]) {
        const { samples, value, names } = await readPage(address);
        const served = samples.filter(
          ({ name, labels }) =>
            name === 'engagement_http_requests_total' && labels.route === '/api/v1/event-types',
        );
        expect(served.map(({ labels }) => labels.worker).sort()).toEqual(['1', '2']);
        expect(served.reduce((sum, { value }) => sum + value, 0)).toBe(requests);
        expect(value('engagement_workers')).toBe(2);
        expect(new Set(names).size).toBe(names.length);
      }
      expect((await fetch(`${probesUrl}/api/health`)).status).toBe(200);
      // Each line of a worker names it and its process.
      expect(
        log.filter(({ worker, pid }) => worker !== undefined && workers().includes(Number(pid))),
      ).not.toEqual([]);
    },
    TEST_MS,
  );

  test(
    'refuse none of 20 parallel clients of one key',
    async () => {
      const agents = Array.from({ length: 20 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
      onTestFinished(() => {
        for (const agent of agents) agent.destroy();
      });
      // A first request on each connection, so that none of the parallel ones waits for code to be compiled.
      for (const agent of agents) expect(await postOver(agent, service, conversion())).toBe(201);
      const statuses = await Promise.all(
        agents.map(async (agent) => {
          const own: number[] = [];
          for (let i = 0; i < 15; i += 1) own.push(await postOver(agent, service, conversion()));
          return own;
        }),
      );
      expect(statuses.flat().filter((status) => status === 201)).toHaveLength(300);
    },
    TEST_MS,
  );

  test(
    'send a subscription the changes that the other one makes',
    async () => {
      const controller = new AbortController();
      onTestFinished(() => controller.abort());
      const stream = await fetch(`${service.url}/graphql`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${service.key}`,
          accept: 'text/event-stream',
          'content-type': 'application/json',
        },
        body: JSON.stringify({ query: 'subscription { webhookDeliveryUpdated { payload } }' }),
        signal: controller.signal,
      });
      let text = '';
      const reading = (async () => {
        for await (const chunk of stream.body ?? []) text += Buffer.from(chunk).toString();
      })();
      reading.catch(() => {});
      // Any worker accepts each of them.
      const events = Array.from({ length: 4 }, conversion);
      for (const event of events) expect((await service.request('/v1/events', event)).status).toBe(201);
      await eventually(() => events.every(({ goal }) => new RegExp(`\\b${goal}\\b`).test(text)), 20_000);
    },
    TEST_MS,
  );

  test(
    'an address that is in use ends another service with one message',
    async () => {
      const { port } = new URL(service.url);
      const other = startWorkersProcess({ MONGODB_URI: service.mongodbUri, PORT: port });
      await expect(other).rejects.toThrow('exit code 1');
    },
    TEST_MS,
  );

  test(
    'no connection waits for a worker that hangs or is killed',
    async () => {
      const [victim = 0] = service.workers();
      process.kill(victim, 'SIGSTOP');
      const requests = Array.from({ length: 8 }, () => service.request('/api/v1/event-types'));
      const statuses = (await Promise.all(requests)).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([200]));
      process.kill(victim, 'SIGKILL');
      await eventually(() => service.workers().length === 2 && !service.workers().includes(victim), START_MS);
    },
    TEST_MS,
  );

  test(
    'a killed worker is replaced, and nothing that was accepted is lost',
    async () => {
      const readService = () => readPage(service.probesUrl);
      await eventually(async () => (await readService()).value('engagement_workers') === 2, START_MS);
      const restarts = (await readService()).value('engagement_worker_restarts_total') ?? 0;
      const [victim = 0] = service.workers();

      const accepted: string[] = [];
      await inParallel(300, async (number) => {
        if (number === 100) process.kill(victim, 'SIGKILL');
        const event = conversion();
        const response = await service.request('/v1/events', event).catch(() => null);
        if (response?.status === 201) accepted.push(event.goal);
      });
      expect(accepted.length).toBeGreaterThan(250);

      const received = () =>
        new Set(receiver.received.map(({ body }) => JSON.parse(String(body)).data.conversionType));
      await eventually(() => accepted.every((goal) => received().has(goal)), 60_000);
      await eventually(async () => (await readService()).value('engagement_workers') === 2, START_MS);
      expect(service.workers()).not.toContain(victim);
      expect((await readService()).value('engagement_worker_restarts_total')).toBe(restarts + 1);
    },
    TEST_MS,
  );

  test('end without an error when their primary is killed', () => expectNoOrphans(service), TEST_MS);
});

test(
  'SIGTERM completes requests in progress and exits with 0',
  async () => {
    await using first = await startTwo({ HTTP_MAX_REQUESTS_PER_KEY: '100' });
    const pids = first.workers();
    const requests = Array.from({ length: 40 }, () => first.request('/v1/events', conversion()));
    // Once one is answered, the others are in progress.
    await Promise.race(requests);
    const exited = first.end('SIGTERM');
    const statuses = (await Promise.allSettled(requests)).map((result) =>
      result.status === 'fulfilled' ? result.value.status : 'refused',
    );
    expect(statuses.filter((status) => status !== 201 && status !== 'refused')).toEqual([]);
    expect(await exited).toBe(0);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow();
  },
  TEST_MS,
);

test(
  'a worker that stops while its primary is killed ends without an error',
  async () => {
    // Blocks the event loop before the worker stops, so that it does not notice the end of its primary.
    const block = `process.once('SIGTERM', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${BLOCKED_MS}))`;
    await using service = await startTwo({
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(block)}`,
    });
    for (const worker of service.workers()) process.kill(worker, 'SIGTERM');
    await expectNoOrphans(service);
  },
  TEST_MS,
);

/** Kills the primary, and fails unless its workers end without an error. */
async function expectNoOrphans({ child, workers, end, stderr }: Service): Promise<void> {
  const orphans = workers();
  expect(await end('SIGKILL')).toBeNull();
  await eventually(() => orphans.every((pid) => !isRunning(pid)) && child.stderr?.readableEnded, 15_000);
  expect(stderr()).toBe('');
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test(
  'limits hold for all workers together, the limits of a key in equal parts',
  async () => {
    await using service = await startTwo({ RATE_LIMIT: '300/10min', HTTP_MAX_REQUESTS_PER_KEY: '4' });
    // Requests in execution: each waits for its body, which does not come. A worker has half of them, and accepts as
    // many connections as it can.
    const open: AbortController[] = [];
    onTestFinished(() => {
      for (const controller of open) controller.abort();
    });
    async function hang(): Promise<number | 'hangs'> {
      const controller = new AbortController();
      open.push(controller);
      const body = new ReadableStream<Uint8Array>({
        start: (stream) => stream.enqueue(Buffer.from('{')),
      });
      const response = fetch(`${service.url}/v1/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
        body,
        duplex: 'half',
        signal: controller.signal,
      } as RequestInit).then(
        ({ status }) => status,
        () => 0,
      );
      const waited = new Promise<'hangs'>((resolve) => setTimeout(resolve, 3_000, 'hangs'));
      return Promise.race([response, waited]);
    }
    const results = await Promise.all(Array.from({ length: 10 }, hang));
    const hanging = results.filter((result) => result === 'hangs').length;
    expect(hanging).toBeGreaterThanOrEqual(2);
    expect(hanging).toBeLessThanOrEqual(4);
    expect(results.filter((result) => result === 429)).toHaveLength(10 - hanging);
    for (const controller of open) controller.abort();
    await eventually(async () => {
      for (let i = 0; i < 4; i += 1) expect((await service.request('/api/v1/event-types')).status).toBe(200);
      return true;
    });

    let accepted = 0;
    for (let i = 0; i < 400; i += 1)
      if ((await service.request('/api/v1/event-types')).status === 200) accepted += 1;
    expect(accepted).toBeLessThanOrEqual(300);
    const { status } = await service.request('/api/v1/event-types');
    expect(status).toBe(429);

    // Failed authentication: 300 a minute for an address, whichever worker counts them.
    let failures = 0;
    for (let i = 0; i < 310; i += 1) {
      const response = await fetch(`${service.url}/api/v1/event-types`, {
        headers: { authorization: 'Bearer wrong', connection: 'close' },
      });
      if (response.status === 401) failures += 1;
    }
    expect(failures).toBe(300);
  },
  TEST_MS,
);

test(
  'embedded mode starts with workers from an empty directory',
  async () => {
    await using service = await startWorkersProcess({ MONGOD_BINARY: (await testMongod()).path });
    const { child, url, workers, end } = service;
    expect(workers()).toHaveLength(2);
    const health = (await (await fetch(`${url}/api/health`)).json()) as { database: { status: string } };
    expect(health.database.status).toBe('up');
    const env = await readFile(`${service.dataDir}/demo.env`, 'utf8');
    expect(env).toContain(`BASE_URL=${url}\n`);
    const key = /^WRITE_KEY=(.*)$/m.exec(env)?.[1] ?? '';
    for (let i = 0; i < 4; i += 1) {
      const response = await fetch(`${url}/api/v1/event-types`, {
        headers: { authorization: `Bearer ${key}`, connection: 'close' },
      });
      expect(response.status).toBe(200);
    }
    expect(await end('SIGTERM')).toBe(0);
    expect(workersOf(child.pid ?? 0)).toEqual([]);
  },
  TEST_MS,
);
