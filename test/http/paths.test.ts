import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { rawConnection, startServer } from './support.ts';

let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** Sends the target unchanged, which client libraries would normalize. @returns the status */
async function statusOf(target: string, host = 'localhost'): Promise<number> {
  const { socket, received } = await rawConnection(server.port);
  socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  await eventually(() => received().includes('\r\n\r\n'));
  socket.destroy();
  return Number(received().slice(9, 12));
}

const otherSpellings = (path: string) => {
  const encoded = `/%${path.charCodeAt(1).toString(16)}${path.slice(2)}`;
  return [
    encoded,
    encoded.replace(/%../, (code) => code.toUpperCase()),
    `/x/..${path}`,
    `/x/%2e%2e${path}`,
    `/.${path}`,
    `/${path}`,
    `${path}/`,
    `${path}/.`,
    `${path};x`,
    `${path}%20`,
    path.toUpperCase(),
    `http://localhost/x/..${path}`,
    `http://localhost/%2e${path}`,
    `http://localhost${encoded}`,
    `http://localhost/${path}`,
  ];
};

describe.each(['/metrics', '/api/health'])('%s', (path) => {
  test('is served in its own spelling, in origin form and absolute form', async () => {
    for (const target of [path, `${path}?x=1`, `http://localhost${path}`, `HTTP://other.example${path}?`])
      expect(await statusOf(target), target).toBe(200);
  });

  test('is a 404 in every other spelling, which the filter of a proxy may not recognize', async () => {
    for (const target of otherSpellings(path)) expect(await statusOf(target), target).toBe(404);
  });
});

test('other paths are the same with and without percent-encoding, and have no dot segments', async () => {
  for (const target of ['/v1/openapi.json', '/%761/openapi%2Ejson', 'http://localhost/%761/openapi.json'])
    expect(await statusOf(target), target).toBe(200);
  for (const target of ['/x/../v1/openapi.json', 'http://localhost/x/../v1/openapi.json'])
    expect(await statusOf(target), target).toBe(404);
  expect(await statusOf('http://localhost?x')).toBe(await statusOf('/'));
});

test('metrics without a token are served under the names of this machine only', async () => {
  for (const host of ['localhost', `localhost:${server.port}`, '127.0.0.1', '[::1]:9090', 'a.localhost'])
    expect(await statusOf('/metrics', host), host).toBe(200);
  for (const host of [
    'rebound.example',
    'localhost.rebound.example',
    '127.0.0.1.rebound.example',
    '10.0.0.1',
  ])
    expect(await statusOf('/metrics', host), host).toBe(404);
  expect(await statusOf('/api/health', 'rebound.example')).toBe(200);
});
