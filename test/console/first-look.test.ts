import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, startBrowser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { testMongod } from '../support/mongo.ts';
import { type ServiceProcess, sharedDataDir, startProcess } from '../support/process.ts';

interface Delivery {
  id: string;
  status: string;
  attempt: number;
}

/** The demo customer as `npm start` shows it: no variable is set. */
describe.skipIf(!CHROMIUM)('the first start', () => {
  const cleanUp = new AsyncDisposableStack();
  let dataDir: string;
  let service: ServiceProcess;

  async function start(): Promise<ServiceProcess> {
    const { path: MONGOD_BINARY } = await testMongod();
    return startProcess(dataDir, { mongodbUri: '', env: { MONGOD_BINARY, CONNECTOR_PACING: '200ms' } });
  }
  beforeAll(async () => {
    dataDir = cleanUp.use(await sharedDataDir()).path;
    service = await start();
    cleanUp.defer(() => service.end('SIGTERM').then(() => {}));
  });
  afterAll(() => cleanUp.disposeAsync());

  async function keyOf(scope: string): Promise<string> {
    const env = await readFile(join(dataDir, 'demo.env'), 'utf8');
    return new RegExp(`^${scope}_KEY=(.*)$`, 'm').exec(env)?.[1] ?? '';
  }

  async function query<T>(document: string): Promise<T> {
    const response = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await keyOf('WRITE')}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: document }),
    });
    const { data, errors } = (await response.json()) as { data: T; errors?: object[] };
    expect(errors ?? []).toEqual([]);
    return data;
  }

  async function receiver() {
    const { webhookEndpoints } = await query<{
      webhookEndpoints: { edges: { node: { id: number; url: string; enabled: boolean } }[] };
    }>('{ webhookEndpoints(first: 10) { edges { node { id url enabled } } } }');
    expect(webhookEndpoints.edges).toHaveLength(2);
    const [enabled, ...others] = webhookEndpoints.edges.filter(({ node }) => node.enabled);
    expect(others).toEqual([]);
    return enabled?.node;
  }

  async function deliveries(endpointId = 0): Promise<Delivery[]> {
    const { webhookDeliveries } = await query<{
      webhookDeliveries: { edges: { node: Delivery }[] };
    }>(
      `{ webhookDeliveries(first: 100, endpointId: ${endpointId}) {
        edges { node { id status attempt } } } }`,
    );
    return webhookDeliveries.edges.map(({ node }) => node);
  }

  test('has a connected provider with meetings, and a receiver with failures and retries', async () => {
    const endpoint = await receiver();
    const rows = await deliveries(endpoint?.id);
    const statuses = new Set(rows.map(({ status }) => status));
    for (const status of ['succeeded', 'retrying', 'failed']) expect(statuses).toContain(status);
    expect(rows.filter(({ status, attempt }) => status === 'succeeded' && attempt === 2)).not.toEqual([]);

    await eventually(async () => {
      const { meetings, recorderConnection } = await query<{
        meetings: { edges: object[] };
        recorderConnection: { status: string };
      }>('{ meetings(first: 5) { edges { node { title } } } recorderConnection { status } }');
      return meetings.edges.length === 5 && recorderConnection.status === 'connected';
    }, 30_000);
  });

  test('delivers to the receiver, which rejects every third request', async () => {
    const endpoint = await receiver();
    const sent: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const { sendTestWebhook } = await query<{ sendTestWebhook: { id: string } }>(
        `mutation { sendTestWebhook(endpointId: ${endpoint?.id}, event: "conversion.recorded") { id } }`,
      );
      sent.push(sendTestWebhook.id);
    }
    const settled = await eventually(async () => {
      const rows = (await deliveries(endpoint?.id)).filter(({ id }) => sent.includes(id));
      return rows.length === 3 && rows.every(({ status }) => status === 'succeeded') ? rows : null;
    });
    expect(settled.map(({ attempt }) => attempt).sort()).toEqual([1, 1, 2]);
  });

  test('names the file with the demo keys where the user signs in', async () => {
    await using browser = await startBrowser();
    await using tab = await browser.open(service.url, null);
    await tab.page.getByText(join(dataDir, 'demo.env'), { exact: true }).waitFor();
  });

  test('has statistics of the receiver, as charts', async () => {
    const endpoint = await receiver();
    await using browser = await startBrowser();
    await using tab = await browser.open(service.url, await keyOf('WRITE'), {
      path: `/webhooks/${endpoint?.id}`,
    });
    await tab.page
      .getByRole('img', { name: /^Bar chart of \d+ attempts by hour, [1-9]\d* failed\.$/ })
      .waitFor();
    await tab.page.getByRole('img', { name: /^Line chart of the duration of attempts/ }).waitFor();
  });

  test('leaves no page of the console empty', async () => {
    await using browser = await startBrowser();
    await using tab = await browser.open(service.url, await keyOf('WRITE'), { width: 1440, height: 900 });
    const { page } = tab;
    for (const [path, name] of [
      ['/webhooks', 'Webhook endpoints'],
      ['/deliveries', 'Deliveries'],
      ['/conversations', 'Conversations'],
      ['/meetings', 'Meetings'],
    ] as const) {
      await tab.goto(path);
      await page.getByRole('table', { name }).getByRole('row').nth(2).waitFor();
    }
    await tab.goto('/deliveries?status=retrying');
    await page
      .getByText(/^next attempt/)
      .first()
      .waitFor();
    tab.expectQuiet();
  });

  test('is continued by the second start, whose receiver has another address', async () => {
    const before = await receiver();
    expect(await service.end('SIGINT')).toBe(0);
    service = await start();
    const after = await receiver();
    expect(after).toMatchObject({ id: before?.id });
    expect(after?.url).not.toBe(before?.url);
    await query(
      `mutation { sendTestWebhook(endpointId: ${after?.id}, event: "conversion.recorded") { id } }`,
    );
    await eventually(async () => (await deliveries(after?.id))[0]?.status === 'succeeded');
  });
});
