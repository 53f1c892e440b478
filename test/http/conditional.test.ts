import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { createEndpoint, deliveryLike, listening, postConversion } from '../webhooks/support.ts';

let app: TestApp;
let tenant: TestTenant;
let endpoint: { id: number; path: string };
beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
  endpoint = await createEndpoint(app, tenant, { url: 'http://127.0.0.1:9/hooks' });
});
afterAll(() => app.stop());

const read = (path: string, headers: Record<string, string> = {}, key = tenant.read) =>
  app.request('GET', path, { key, headers });
const change = (body: object, headers: Record<string, string> = {}) =>
  app.request('PATCH', endpoint.path, { key: tenant.write, body, headers });
const tagOf = ({ headers }: { headers: Headers }) => headers.get('etag') ?? '';

describe('a conditional GET', () => {
  const paths = async () => {
    const other = await listening(app);
    await postConversion(app, other.tenant);
    const delivery = await deliveryLike(app, other.tenant, other.endpoint, { status: 'succeeded' });
    const { body } = await app.graphql(
      'mutation { startConversation(input: { visitorId: "v_1" }) { id } }',
      {},
      tenant.write,
    );
    return [
      ['/api/v1/openapi.json'],
      ['/v1/openapi.json'],
      ['/api/openapi.json'],
      ['/api/v1/openapi.yaml'],
      ['/api/v1/asyncapi.json'],
      ['/api/v1/event-types'],
      [endpoint.path],
      [`${other.endpoint.path}/deliveries/${delivery.id}`, other.tenant.read],
      [`/v1/conversations/${body.data?.startConversation?.id}`],
    ] as const;
  };

  test('is a 304 while the content is the same, and private to the client', async () => {
    for (const [path, key] of await paths()) {
      const first = await read(path, {}, key);
      const tag = tagOf(first);
      expect([path, first.status, tag]).toEqual([path, 200, expect.stringMatching(/^(W\/)?"[\w-]+"$/)]);
      expect(first.headers.get('cache-control')).toBe('private, no-cache');
      for (const sent of [tag, `"other", ${tag}`, tag.replace('W/', ''), `W/${tag.replace('W/', '')}`, '*']) {
        const again = await read(path, { 'if-none-match': sent }, key);
        expect([path, sent, again.status, again.body]).toEqual([path, sent, 304, '']);
        expect(tagOf(again)).toBe(tag);
        expect(again.headers.get('content-length')).toBeNull();
        expect(again.headers.get('content-type')).toBeNull();
        expect(again.headers.get('vary')).toBe(first.headers.get('vary'));
      }
      for (const sent of ['"other"', 'W/""', tag.replaceAll('"', '')])
        expect([path, sent, (await read(path, { 'if-none-match': sent }, key)).status]).toEqual([
          path,
          sent,
          200,
        ]);
    }
  });

  test('is a 200 with another tag once the resource has changed', async () => {
    const before = tagOf(await read(endpoint.path));
    await change({ description: 'changed' });
    const after = await read(endpoint.path, { 'if-none-match': before });
    expect([after.status, after.body.description]).toEqual([200, 'changed']);
    expect(tagOf(after)).not.toBe(before);
  });

  test('does not precede the checks of access', async () => {
    const tag = tagOf(await read(endpoint.path));
    const other = await app.newTenant();
    expect((await read(endpoint.path, { 'if-none-match': '*' }, other.read)).status).toBe(404);
    expect((await read(endpoint.path, { 'if-none-match': tag }, 'eg_r_none')).status).toBe(401);
    expect((await read(`${endpoint.path}999`, { 'if-none-match': '*' })).status).toBe(404);
  });

  test('does not apply to lists', async () => {
    const list = await read(endpoint.path.replace(/\/\d+$/, ''), { 'if-none-match': '*' });
    expect([list.status, list.headers.get('etag'), list.headers.get('cache-control')]).toEqual([
      200,
      null,
      'no-store',
    ]);
  });
});

describe('If-Match', () => {
  test('applies a change to the revision that the client has read', async () => {
    const changed = await change({ description: 'one' }, { 'if-match': tagOf(await read(endpoint.path)) });
    expect([changed.status, changed.body.description]).toEqual([200, 'one']);
    expect(tagOf(changed)).toBe(tagOf(await read(endpoint.path)));
    const chained = await change({ description: 'two' }, { 'if-match': `"other", ${tagOf(changed)}` });
    expect([chained.status, chained.body.description]).toEqual([200, 'two']);
  });

  test('refuses a change to a revision that is no longer current, and changes nothing', async () => {
    const old = tagOf(await read(endpoint.path));
    await change({ description: 'newer' });
    for (const tag of [old, '"other"', 'nonsense', `W/${tagOf(await read(endpoint.path))}`, '""']) {
      for (const body of [{ description: 'lost' }, {}]) {
        const refused = await change(body, { 'if-match': tag });
        expect([tag, refused.status, refused.body.error?.code]).toEqual([tag, 412, 'PRECONDITION_FAILED']);
      }
    }
    expect((await read(endpoint.path)).body.description).toBe('newer');
  });

  test('is not required, and * means any revision', async () => {
    expect((await change({ description: 'any' })).status).toBe(200);
    expect((await change({ description: 'any' }, { 'if-match': '*' })).status).toBe(200);
  });

  test('does not precede the checks of the request', async () => {
    const headers = { 'if-match': '"other"' };
    expect((await change({ url: 5 }, headers)).status).toBe(422);
    const unknown = await app.request('PATCH', `${endpoint.path}999`, {
      key: tenant.write,
      body: {},
      headers,
    });
    expect(unknown.status).toBe(404);
  });

  test('of concurrent changes to one revision permits one', async () => {
    for (let round = 0; round < 5; round++) {
      const tag = tagOf(await read(endpoint.path));
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, i) => change({ description: `${round}.${i}` }, { 'if-match': tag })),
      );
      const statuses = answers.map(({ status }) => status).toSorted();
      expect(statuses).toEqual([200, ...Array(9).fill(412)]);
      const winner = answers.find(({ status }) => status === 200);
      expect((await read(endpoint.path)).body).toEqual(winner?.body);
    }
  });

  test('notices a rotated secret, an automatic disabling and an endpoint without a revision', async () => {
    const before = tagOf(await read(endpoint.path));
    await app.request('POST', `${endpoint.path}/rotate-secret`, { key: tenant.write });
    expect((await change({ description: 'x' }, { 'if-match': before })).status).toBe(412);

    await app.models.Endpoint.updateOne({ id: endpoint.id }, { $unset: { revision: 1 } });
    const unversioned = tagOf(await read(endpoint.path));
    expect((await change({ description: 'first' }, { 'if-match': unversioned })).status).toBe(200);
    expect((await change({ description: 'second' }, { 'if-match': unversioned })).status).toBe(412);
  });
});
