import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type GraphQLNamedType, getNamedType, isLeafType, isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildSchemas } from '../../schema/index.ts';
import { KEYS, send, startServer } from './support.ts';

const ENDPOINTS = '/api/v1/customers/42/webhook-endpoints';
const LARGE_QUERY = '{ eventTypes { name description schema example } }';
let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  server = await startServer();
  for (let i = 0; i < 10; i++)
    await send(server, 'POST', ENDPOINTS, { body: { url: `http://127.0.0.1:9/${'x'.repeat(200)}${i}` } });
});
afterAll(() => server.stop());

interface Received {
  status: number | undefined;
  headers: Record<string, string | string[] | undefined>;
  bytes: Buffer;
}

/** Sends a request and returns the response as it was sent, without decompression. */
const receive = (method: string, path: string, acceptEncoding: string | null, body?: object) =>
  new Promise<Received>((resolve, reject) => {
    const headers: Record<string, string> = { authorization: `Bearer ${KEYS.write}` };
    if (acceptEncoding !== null) headers['accept-encoding'] = acceptEncoding;
    if (body) headers['content-type'] = 'application/json';
    const sent = request(server.url + path, { method, headers, agent: false }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () =>
        resolve({ status: res.statusCode, headers: res.headers, bytes: Buffer.concat(chunks) }),
      );
    });
    sent.on('error', reject).end(body && JSON.stringify(body));
  });

const DECODE: Record<string, (bytes: Buffer) => Buffer> = { br: brotliDecompressSync, gzip: gunzipSync };

describe('a large result of a read', () => {
  test.each([
    ['GET', ENDPOINTS, undefined],
    ['GET', '/api/v1/event-types', undefined],
    ['GET', '/api/v1/openapi.json', undefined],
    ['POST', '/graphql', { query: LARGE_QUERY }],
  ])('%s %s is compressed for clients that accept it', async (method, path, body) => {
    const plain = await receive(method, path, 'identity', body);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.headers.vary).toBe('Accept-Encoding');
    for (const [sent, coding] of [
      ['br', 'br'],
      ['gzip', 'gzip'],
      ['gzip, deflate, br', 'br'],
    ] as const) {
      const packed = await receive(method, path, sent, body);
      expect(packed.headers).toMatchObject({
        'content-encoding': coding,
        vary: 'Accept-Encoding',
        'content-length': String(packed.bytes.length),
        'content-type': plain.headers['content-type'],
      });
      expect(packed.headers.etag).toBe(plain.headers.etag);
      expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2);
      expect(DECODE[coding]?.(packed.bytes)).toEqual(plain.bytes);
    }
  });

  test.each([
    [null, undefined],
    ['', undefined],
    ['identity', undefined],
    ['deflate', undefined],
    ['gzip;q=0', undefined],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0.1, gzip;q=0.9', 'gzip'],
    ['gzip;q=0.5, br;q=0.5', 'br'],
    ['gzip;q=0.5, identity', undefined],
    ['GZIP', 'gzip'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['*;q=0', undefined],
  ])('has the coding that %j prefers: %s', async (sent, coding) => {
    const { status, headers } = await receive('GET', ENDPOINTS, sent);
    expect([status, headers['content-encoding']]).toEqual([200, coding]);
  });
});

describe('other responses are not compressed', () => {
  test('responses of at most 1 KB', async () => {
    const { headers, bytes } = await receive('GET', '/v1/conversations', 'gzip');
    expect([headers['content-encoding'], bytes.length < 1024]).toEqual([undefined, true]);
    expect(headers.vary).toBe('Accept-Encoding');
  });

  test('those with a strong entity tag', async () => {
    const body = { description: 'x'.repeat(500), url: `http://127.0.0.1:9/${'y'.repeat(1000)}` };
    await send(server, 'PATCH', `${ENDPOINTS}/1`, { body });
    const { headers, bytes } = await receive('GET', `${ENDPOINTS}/1`, 'gzip');
    expect([headers['content-encoding'], headers.vary, bytes.length > 1024]).toEqual([
      undefined,
      undefined,
      true,
    ]);
    expect(headers.etag).toMatch(/^"/);
  });

  test('those to writes, which may carry a secret together with the input', async () => {
    const url = `http://127.0.0.1:9/${'z'.repeat(1500)}`;
    const created = await receive('POST', ENDPOINTS, 'gzip, br', { url });
    expect([created.status, created.headers['content-encoding']]).toEqual([201, undefined]);
    expect(created.bytes.toString()).toContain('whsec_');
    const query = `mutation { createWebhookEndpoint(input: { url: "${url}1" }) { secret endpoint { url } } }`;
    const mutation = await receive('POST', '/graphql', 'gzip, br', { query });
    expect([mutation.status, mutation.headers['content-encoding']]).toEqual([200, undefined]);
    expect(mutation.bytes.toString()).toContain('whsec_');
  });

  test('errors', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`unknown_${i}`, 1]));
    const { status, headers, bytes } = await receive('POST', ENDPOINTS, 'gzip', unknown);
    expect([status, headers['content-encoding'], bytes.length > 1024]).toEqual([422, undefined, true]);
  });
});

describe('the rule that reads return no secret', () => {
  /** Object types that are reachable from a type, each with the names of its fields that are values. */
  function reachable(type: GraphQLNamedType, found = new Map<string, string[]>()): Map<string, string[]> {
    if (!isObjectType(type) || found.has(type.name)) return found;
    const fields = Object.values(type.getFields());
    const values = fields.filter((field) => isLeafType(getNamedType(field.type)));
    found.set(
      type.name,
      values.map(({ name }) => name),
    );
    for (const field of fields) reachable(getNamedType(field.type), found);
    return found;
  }

  test.each(Object.entries(buildSchemas()))('holds in %s', (_name, schema) => {
    const types = reachable(schema.getQueryType() as GraphQLNamedType);
    expect(types.size).toBeGreaterThan(1);
    for (const [type, fields] of types)
      expect([type, fields.filter((name) => /^(secret|key|apiKey|token)$/i.test(name))]).toEqual([type, []]);
  });
});
