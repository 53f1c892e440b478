import { execFile } from 'node:child_process';
import type { LookupAddress } from 'node:dns';
import { connect, type LookupFunction, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkedLookup, createLookup, type Lookup } from '../../src/outbound/dns-lookup.ts';
import { nameServer } from './name-server.ts';
import { delivery, httpReceiver, httpsReceiver, send, testOutbound } from './support.ts';

const v4 = (address: string): LookupAddress => ({ address, family: 4 });

/** A look-up that gives the next answer each time it is asked, and the last one for ever. */
function lookupOf(...answers: LookupAddress[][]): Lookup & { asked: string[] } {
  const asked: string[] = [];
  const lookup = async (hostname: string) => {
    asked.push(hostname);
    return answers[Math.min(asked.length, answers.length) - 1] ?? [];
  };
  return Object.assign(lookup, { asked });
}

describe('a request to a blocked target', () => {
  test('fails as blocked for a literal address, without connecting', async () => {
    const receiver = await httpsReceiver((_req, res) => res.end());
    const outbound = testOutbound({ allowPrivate: false });
    for (const host of ['127.0.0.1', '2130706433', '127.1', '[::ffff:127.0.0.1]', '[::1]', '127.0.0.1.']) {
      const result = await outbound.send(delivery(`https://${host}:${receiver.port}/`));
      expect(result).toMatchObject({ ok: false, error: 'blocked_address' });
    }
    expect(receiver.connections).toHaveLength(0);
  });

  test('fails as blocked for localhost and metadata names, without a look-up', async () => {
    const lookup = lookupOf([v4('8.8.8.8')]);
    const outbound = testOutbound({ allowPrivate: false, lookup });
    for (const host of ['localhost', 'a.localhost.', 'metadata.google.internal', 'metadata.packet.net']) {
      expect(await outbound.send(delivery(`https://${host}/`))).toMatchObject({ error: 'blocked_address' });
    }
    expect(lookup.asked).toEqual([]);
  });

  test('fails for a blocked port, without connecting, where private addresses are allowed as well', async () => {
    const receiver = await httpReceiver((_req, res) => res.end());
    const blockedPorts = new Set([receiver.port]);
    const url = `http://127.0.0.1:${receiver.port}/`;
    const outbound = testOutbound({ allowPrivate: true, blockedPorts });
    expect(await outbound.send(delivery(url))).toMatchObject({ ok: false, error: 'blocked_port' });
    expect(receiver.connections).toHaveLength(0);
    expect(await testOutbound({ allowPrivate: true }).send(delivery(url))).toMatchObject({ ok: true });
  });

  test('fails as blocked for http, without connecting', async () => {
    const receiver = await httpReceiver((_req, res) => res.end());
    const outbound = testOutbound({ allowPrivate: false, lookup: lookupOf([v4('127.0.0.1')]) });
    expect(await outbound.send(delivery(`http://receiver.test:${receiver.port}/`))).toMatchObject({
      error: 'blocked_address',
    });
    expect(receiver.connections).toHaveLength(0);
  });

  test.each([
    ['loopback', [v4('127.0.0.1')]],
    ['cloud metadata', [v4('169.254.169.254')]],
    ['an IPv4-mapped loopback address', [{ address: '::ffff:127.0.0.1', family: 6 }]],
    [
      'public addresses and a private one',
      [v4('8.8.8.8'), { address: '2606:4700::1', family: 6 }, v4('10.0.0.1')],
    ],
    ['something that is no address', [v4('example.com')]],
  ])('fails as blocked for a name that resolves to %s', async (_what, answer) => {
    const receiver = await httpsReceiver((_req, res) => res.end());
    const outbound = testOutbound({ allowPrivate: false, lookup: lookupOf(answer) });
    const result = await outbound.send(delivery(`https://receiver.test:${receiver.port}/`));
    expect(result).toMatchObject({ ok: false, error: 'blocked_address', status: undefined });
    expect(receiver.connections).toHaveLength(0);
  });

  test('fails as blocked again when the address is cached', async () => {
    const server = await nameServer(() => ({ a: ['127.0.0.1'], ttl: 60 }));
    const outbound = testOutbound({
      allowPrivate: false,
      lookup: createLookup({ servers: [server.address] }),
    });
    for (let i = 0; i < 3; i++) {
      expect(await outbound.send(delivery('https://receiver.test/'))).toMatchObject({
        error: 'blocked_address',
      });
    }
    expect(server.queries).toHaveLength(2);
  });

  test.each([
    ['rejects', () => Promise.reject(new Error('SERVFAIL'))],
    ['finds nothing', async () => []],
  ])('fails as dns when the look-up %s', async (_what, lookup) => {
    const outbound = testOutbound({ lookup });
    expect(await outbound.send(delivery('http://receiver.test/'))).toMatchObject({ ok: false, error: 'dns' });
  });

  test.each([
    ['rejects', () => Promise.reject(new Error('SERVFAIL'))],
    ['finds nothing', async () => []],
    ['finds a private address', async () => [v4('10.0.0.1')]],
  ])('does not reveal which names exist in the private network: the look-up %s', async (_what, lookup) => {
    const outbound = testOutbound({ allowPrivate: false, lookup });
    expect(await outbound.send(delivery('https://db.internal.test/'))).toEqual(
      expect.objectContaining({ ok: false, error: 'blocked_address' }),
    );
  });

  test('fails as dns when no name server responds', async () => {
    const outbound = testOutbound({ lookup: createLookup({ servers: ['127.0.0.1:9'] }) });
    expect(await outbound.send(delivery('http://receiver.test/'))).toMatchObject({ ok: false, error: 'dns' });
  });

  test.each(['', 'receiver', 'ftp://127.0.0.1/', 'http://'])('fails as network for %j', async (url) => {
    expect(await send(url)).toMatchObject({ ok: false, error: 'network' });
  });
});

/** Connects a bare socket by a look-up, as `send` does; gives the address it ended up at, or the code it failed with. */
function connectBy(lookup: LookupFunction, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket: Socket = connect({ host: 'rebind.test', port, lookup, autoSelectFamily: true });
    onTestFinished(() => {
      socket.destroy();
    });
    socket.on('connect', () => resolve(socket.remoteAddress));
    socket.on('error', (error) =>
      resolve('outboundCode' in error ? String(error.outboundCode) : error.message),
    );
  });
}

describe('a name that is rebound to another address between look-ups', () => {
  // Loopback has to stand in for the internet: 127.0.0.1 is the public address here, 127.0.0.2 the private one.
  const isAllowed = (address: string) => address === '127.0.0.1';

  test('is connected to at the checked address, after one look-up', async () => {
    const receiver = await httpReceiver((_req, res) => res.end());
    const lookup = lookupOf([v4('127.0.0.1')], [v4('127.0.0.2')]);
    expect(await connectBy(checkedLookup(lookup, isAllowed, 'dns'), receiver.port)).toBe('127.0.0.1');
    expect(lookup.asked).toEqual(['rebind.test']);
  });

  test('is blocked at the next connection', async () => {
    const receiver = await httpReceiver((_req, res) => res.end());
    const checked = checkedLookup(lookupOf([v4('127.0.0.1')], [v4('127.0.0.2')]), isAllowed, 'dns');
    expect(await connectBy(checked, receiver.port)).toBe('127.0.0.1');
    expect(await connectBy(checked, receiver.port)).toBe('blocked_address');
  });

  test('is blocked when the result contains both', async () => {
    const receiver = await httpReceiver((_req, res) => res.end());
    const checked = checkedLookup(lookupOf([v4('127.0.0.1'), v4('127.0.0.2')]), isAllowed, 'dns');
    expect(await connectBy(checked, receiver.port)).toBe('blocked_address');
    expect(receiver.connections).toHaveLength(0);
  });

  test('is looked up once per keep-alive connection', async () => {
    const receiver = await httpReceiver((_req, res) => res.end());
    const lookup = lookupOf([v4('127.0.0.1')], [v4('127.0.0.2')]);
    const outbound = testOutbound({ lookup });
    const url = `http://rebind.test:${receiver.port}/`;
    expect(await outbound.send(delivery(url))).toMatchObject({ ok: true });
    await setImmediate(); // undici frees a connection one turn of the event loop after its response
    expect(await outbound.send(delivery(url))).toMatchObject({ ok: true });
    expect(lookup.asked).toEqual(['rebind.test']);
    expect(receiver.connections).toHaveLength(1);
  });
});

describe('a request where private targets are permitted', () => {
  test.each(['127.0.0.1', 'localhost', 'app.localhost', 'localhost.'])('reaches %s', async (host) => {
    const receiver = await httpReceiver((_req, res) => res.end('hello'));
    expect(await send(`http://${host}:${receiver.port}/`)).toMatchObject({
      ok: true,
      status: 200,
      body: 'hello',
    });
  });

  test('tries the next address when the first rejects the connection', async () => {
    const receiver = await httpReceiver((_req, res) => res.end());
    const outbound = testOutbound({ lookup: lookupOf([{ address: '::1', family: 6 }, v4('127.0.0.1')]) });
    expect(await outbound.send(delivery(`http://receiver.test:${receiver.port}/`))).toMatchObject({
      ok: true,
    });
  });
});

test('environment variables enable neither a proxy nor unverified certificates', async () => {
  const proxy = await httpReceiver((_req, res) => res.end());
  const plain = await httpReceiver((_req, res) => res.end('direct'));
  const secure = await httpsReceiver((_req, res) => res.end());
  const script = `
    import { createOutboundClient } from ${JSON.stringify(new URL('../../src/outbound/outbound-client.ts', import.meta.url).href)};
    const outbound = createOutboundClient({ allowPrivate: true });
    const send = (url) => outbound.send({ url, method: 'POST', headers: {}, body: '{}', timeoutMs: 2000 });
    const [plain, secure] = [await send('${plain.origin}'), await send('${secure.origin}')];
    console.log(JSON.stringify([plain.body, secure.error]));
    await outbound.close(0);`;
  const env = Object.fromEntries(
    ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'].map((name) => [
      name,
      proxy.origin,
    ]),
  );
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    env: { ...env, NODE_USE_ENV_PROXY: '1', NODE_TLS_REJECT_UNAUTHORIZED: '0' },
  });
  expect(JSON.parse(stdout)).toEqual(['direct', 'tls']);
  expect(proxy.connections).toHaveLength(0);
});
