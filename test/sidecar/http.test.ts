import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { someRows, startTestSidecar, type TestSidecar } from './support.ts';

let sidecar: TestSidecar;
beforeAll(async () => {
  sidecar = await startTestSidecar();
});
afterAll(() => sidecar.stop());

describe('every path', () => {
  test('of the sidecar returns JSON, and GET /health names the model', async () => {
    const { status, headers, body } = await sidecar.request('GET', '/health');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(body).toEqual({
      status: 'ok',
      modelVersion: expect.any(String),
      uptimeSeconds: expect.any(Number),
    });
  });

  test.each(['/', '/nope', '/drift', '/samples/', '/__proto__', '/constructor', '//'])(
    'that is unknown, like %s, is a 404',
    async (path) => {
      const { status, body } = await sidecar.request('GET', path);
      expect([status, body.error?.code]).toEqual([404, 'NOT_FOUND']);
    },
  );

  test.each([
    ['POST', '/health', 'GET'],
    ['DELETE', '/drift/status', 'GET'],
    ['POST', '/drift/history', 'GET'],
    ['GET', '/drift/check', 'POST'],
    ['POST', '/drift/feature', 'GET'],
    ['POST', '/drift/stages', 'GET'],
    ['POST', '/drift/features', 'GET, PUT'],
    ['PUT', '/samples', 'POST, DELETE'],
    ['OPTIONS', '/samples', 'POST, DELETE'],
  ])('rejects another method: %s %s', async (method, path, allow) => {
    const { status, headers, body } = await sidecar.request(method, path);
    expect([status, body.error?.code, headers.get('allow')]).toEqual([405, 'METHOD_NOT_ALLOWED', allow]);
  });
});

describe('invalid input', () => {
  test.each([
    ['GET', '/drift/history?limit=0', 'limit'],
    ['GET', '/drift/history?limit=201', 'limit'],
    ['GET', '/drift/history?limit=1.5', 'limit'],
    ['GET', '/drift/history?limit=-1', 'limit'],
    ['GET', '/drift/history?limit=1&limit=2', 'limit'],
    ['GET', `/drift/history?stage=${'x'.repeat(501)}`, 'stage'],
    ['DELETE', '/samples', 'set'],
    ['DELETE', '/samples?set=all', 'set'],
    ['DELETE', '/samples?set=current&stage=', 'stage'],
  ])('is rejected with its name: %s %s', async (method, path, name) => {
    const { status, body } = await sidecar.request(method, path);
    expect(status).toBe(422);
    expect(body).toMatchObject({ error: { code: 'VALIDATION_FAILED', details: [{ path: name }] } });
  });

  test.each([
    ['GET', '/health?x=1'],
    ['GET', '/drift/status?limit=1'],
    ['GET', '/drift/stages?stage=lead'],
    ['GET', '/drift/feature?stage=lead'],
    ['GET', '/drift/history?stage=lead&overall=true'],
    ['GET', '/drift/history?overall=yes'],
    ['GET', '/drift/history?x=1'],
    ['DELETE', '/samples?set=current&x=1'],
  ])('that is unknown is rejected: %s %s', async (method, path) => {
    expect((await sidecar.request(method, path)).status).toBe(422);
  });

  test.each([
    [{ stage: 7 }, 422],
    [{ stage: '' }, 422],
    [{ x: 1 }, 422],
    [[], 422],
    ['{', 400],
    ['x'.repeat(17_000), 413],
    [{ stage: null }, 200],
    [undefined, 415],
  ])('of a check, %j, returns %i', async (body, status) => {
    expect((await sidecar.request('POST', '/drift/check', body)).status).toBe(status);
  });
});

describe('pages of other sites', () => {
  /** The status of a request with headers of its own; `fetch` does not let one choose `Host`. */
  const statusOf = (method: string, path: string, headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      request(sidecar.url + path, { method, headers })
        .on('response', (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });

  test.each(['attacker.example', 'attacker.example:4001', 'localhost.attacker.example', '10.0.0.1'])(
    'cannot reach the sidecar by a name of their own that they point at it: Host "%s"',
    async (host) => {
      expect(await statusOf('GET', '/drift/history', { host })).toBe(403);
      expect(await statusOf('DELETE', '/samples?set=current', { host })).toBe(403);
    },
  );

  test.each(['localhost', 'localhost:4001', '127.0.0.1:1', '[::1]:4001'])(
    'Host "%s" is served',
    async (host) => {
      expect(await statusOf('GET', '/health', { host })).toBe(200);
    },
  );

  test.each<Record<string, string>>([{}, { 'content-type': 'text/plain' }])(
    'cannot start a check with a request that needs no preflight: %j',
    async (headers) => {
      expect(await statusOf('POST', '/drift/check', headers)).toBe(415);
    },
  );

  test('may use any name where the sidecar listens for other machines', async () => {
    await using open = await startTestSidecar({ host: '0.0.0.0' });
    const { port } = new URL(open.url);
    const status = await new Promise((resolve, reject) => {
      request({ host: '127.0.0.1', port, path: '/health', headers: { host: 'ml.internal:4001' } })
        .on('response', (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });
    expect(status).toBe(200);
  });
});

describe('a client that sends Expect: 100-continue', () => {
  const post = (headers: Record<string, string | number>, body: string) =>
    new Promise<{ continued: boolean; status: number | undefined }>((resolve, reject) => {
      let continued = false;
      const sent = request(`${sidecar.url}/samples`, {
        method: 'POST',
        headers: { expect: '100-continue', 'content-type': 'application/json', ...headers },
      });
      sent.on('continue', () => {
        continued = true;
        sent.end(body);
      });
      sent.on('response', (response) => {
        response.resume();
        sent.destroy();
        resolve({ continued, status: response.statusCode });
      });
      sent.on('error', reject);
      sent.flushHeaders();
    });

  test('receives 100 Continue for an acceptable body', async () => {
    const body = JSON.stringify({ set: 'current', stage: 'expected', rows: [] });
    const answer = await post({ 'content-length': Buffer.byteLength(body) }, body);
    expect(answer).toEqual({ continued: true, status: 200 });
  });

  test.each([
    ['413 for one that is too large', { 'content-length': 17 * 1024 * 1024 }, 413],
    ['415 for one that is not JSON', { 'content-length': 1, 'content-type': 'text/plain' }, 415],
  ])('receives %s before it sends its body', async (_what, headers, status) => {
    expect(await post(headers, 'x')).toEqual({ continued: false, status });
  });
});

describe('DELETE /samples', () => {
  test('empties a stage of a set or all of it, returns the number of rows, and leaves nothing behind', async () => {
    await using other = await startTestSidecar();
    await other.add('reference', 'lead', someRows(10, 1));
    await other.add('reference', 'lead', someRows(5, 1));
    await other.add('reference', null, someRows(3, 1));
    await other.add('current', 'lead', someRows(7, 1));
    const remove = async (query: string) => (await other.request('DELETE', `/samples?${query}`)).body;
    expect(await remove('set=reference&stage=lead')).toEqual({
      set: 'reference',
      stage: 'lead',
      removed: 15,
    });
    expect(await remove('set=reference&stage=lead')).toEqual({ set: 'reference', stage: 'lead', removed: 0 });
    expect(await remove('set=reference')).toEqual({ set: 'reference', stage: null, removed: 3 });
    expect(await other.db.collection('batches').countDocuments()).toBe(1);
    expect(await remove('set=current')).toMatchObject({ removed: 7 });
    expect(await other.db.collection('batches').countDocuments()).toBe(0);
    expect(await other.db.collection('partitions').countDocuments()).toBe(0);
  });
});
