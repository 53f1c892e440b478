import { setImmediate } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import type { Lookup } from '../../src/outbound/dns-lookup.ts';
import { createProxy } from '../../src/outbound/proxy.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { type ConnectProxy, startConnectProxy } from '../support/connect-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { certificate } from './certificate.ts';
import { delivery, httpReceiver, httpsReceiver, tcpReceiver, testOutbound } from './support.ts';

interface Options {
  noProxy?: string;
  dns?: 'service' | 'proxy';
  allowPrivate?: boolean;
  subnets?: string;
  lookup?: Lookup;
}

/** An outbound client behind a proxy, and what the proxy's metric has counted. */
function behind(url: string, { noProxy, dns, allowPrivate = true, subnets, lookup }: Options = {}) {
  const config = loadConfig({
    OUTBOUND_PROXY: url,
    ...(noProxy && { NO_PROXY: noProxy }),
    ...(dns && { OUTBOUND_PROXY_DNS: dns }),
    ...(subnets && { WEBHOOK_ALLOWED_SUBNETS: subnets }),
  });
  const outcomes: string[] = [];
  if (!config.outboundProxy) throw new Error('no proxy is configured');
  const proxy = createProxy({
    settings: config.outboundProxy,
    observer: { onTunnel: (outcome) => outcomes.push(outcome) },
    log: createLogger('silent'),
  });
  const outbound = testOutbound({
    allowPrivate,
    allowedSubnets: config.webhookAllowedSubnets,
    proxy,
    ...(lookup && { lookup }),
  });
  return { outbound, proxy, outcomes };
}

const withCredentials = ({ port }: ConnectProxy, credentials: string): string =>
  `http://${credentials}@127.0.0.1:${port}`;

function trustCertificate(): void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, certificate]);
  onTestFinished(() => setDefaultCACertificates(before));
}

const addresses =
  (...found: string[]): Lookup =>
  async () =>
    found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

describe('a request through a proxy', () => {
  test('reaches an http: target by CONNECT, several times over one tunnel', async () => {
    const proxy = await startConnectProxy();
    const receiver = await httpReceiver((_req, res) => res.end('hello'));
    const { outbound, outcomes } = behind(proxy.url);
    for (let i = 0; i < 3; i += 1) {
      const result = await outbound.send(delivery(receiver.origin));
      expect(result).toMatchObject({ ok: true, status: 200, body: 'hello' });
      await setImmediate();
    }
    expect(proxy.requests).toEqual([{ target: `127.0.0.1:${receiver.port}`, authorization: undefined }]);
    expect(outcomes).toEqual(['opened']);
  });

  test('is encrypted and verified from end to end, for a name that only the proxy resolves', async () => {
    trustCertificate();
    const names: unknown[] = [];
    const receiver = await httpsReceiver((req, res) => {
      names.push('servername' in req.socket && req.socket.servername);
      res.end();
    });
    const proxy = await startConnectProxy({
      names: {
        'receiver.test:443': `127.0.0.1:${receiver.port}`,
        'other.test:443': `127.0.0.1:${receiver.port}`,
      },
    });
    const { outbound } = behind(proxy.url);
    expect(await outbound.send(delivery('https://receiver.test/'))).toMatchObject({ ok: true, status: 200 });
    expect(names).toEqual(['receiver.test']);
    expect(await outbound.send(delivery('https://other.test/'))).toMatchObject({ ok: false, error: 'tls' });
  });

  test('carries the credentials of the URL, decoded', async () => {
    const proxy = await startConnectProxy({ credentials: 'us er:p@ss:w/ord' });
    const receiver = await httpReceiver((_req, res) => res.end());
    const { outbound } = behind(withCredentials(proxy, 'us%20er:p%40ss%3Aw%2Ford'));
    expect(await outbound.send(delivery(receiver.origin))).toMatchObject({ ok: true });
  });

  test('waits for a slow proxy within the time of the request', async () => {
    const proxy = await startConnectProxy({ delayMs: 300 });
    const receiver = await httpReceiver((_req, res) => res.end());
    const { outbound } = behind(proxy.url);
    const result = await outbound.send(delivery(receiver.origin));
    expect(result).toMatchObject({ ok: true });
    expect(result.durationMs).toBeGreaterThanOrEqual(290);
  });

  test('has the size of its response limited', async () => {
    const proxy = await startConnectProxy();
    const receiver = await tcpReceiver((socket) =>
      socket.once('data', () => socket.write(`HTTP/1.1 200 ${'x'.repeat(2_000_000)}`)),
    );
    const { outbound } = behind(proxy.url);
    expect(await outbound.send(delivery(receiver.origin))).toMatchObject({
      ok: false,
      error: 'http_protocol',
    });
  });

  test('reaches an IPv6 target in brackets', async () => {
    const proxy = await startConnectProxy();
    proxy.behave(502);
    await behind(proxy.url).outbound.send(delivery('http://[2001:db8::1]:8080/'));
    expect(proxy.requests.map(({ target }) => target)).toEqual(['[2001:db8::1]:8080']);
  });
});

describe('a failure of the proxy', () => {
  test.each([
    ['requires other credentials', 407, 'proxy_authentication'],
    ['closes the connection', 'close', 'proxy_closed'],
    ['closes the connection in the middle of its response', 'close_mid_response', 'proxy_closed'],
    ['responds with an unexpected status', 500, 'proxy_response'],
    ['does not speak HTTP', { bytes: 'SSH-2.0-OpenSSH\r\n\r\n' }, 'proxy_response'],
    [
      'sends bytes after its response',
      { bytes: 'HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 204 No\r\n\r\n' },
      'proxy_response',
    ],
    ['sends endless headers', { bytes: `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}` }, 'proxy_response'],
  ] as const)('has a code of its own when it %s', async (_what, behaviour, error) => {
    const proxy = await startConnectProxy();
    proxy.behave(behaviour);
    const { outbound, proxy: state, outcomes } = behind(proxy.url);
    expect(await outbound.send(delivery('http://127.0.0.1:9/'))).toMatchObject({
      ok: false,
      error,
      status: undefined,
    });
    expect(outcomes).toEqual([error]);
    expect(state.failure()).toMatchObject({ error });
    await eventually(async () => proxy.open() === 0);
  });

  test('has a code of its own when it refuses connections, or has no address', async () => {
    const proxy = await startConnectProxy();
    await proxy.stop();
    const refused = behind(proxy.url);
    expect(await refused.outbound.send(delivery('http://127.0.0.1:9/'))).toMatchObject({
      error: 'proxy_refused',
    });
    const unknown = behind('http://proxy.invalid:3128');
    expect(await unknown.outbound.send(delivery('http://127.0.0.1:9/', { timeoutMs: 10_000 }))).toMatchObject(
      { error: 'proxy_unreachable' },
    );
    await proxy.restart();
    const receiver = await httpReceiver((_req, res) => res.end());
    expect(await refused.outbound.send(delivery(receiver.origin))).toMatchObject({ ok: true });
    expect(refused.proxy.failure()).toBeNull();
  });

  test('is an unanswered request, unless the proxy answers others meanwhile; its connection is closed', async () => {
    const proxy = await startConnectProxy();
    const receiver = await httpReceiver((_req, res) => res.end());
    proxy.behave('hang');
    const { outbound, outcomes } = behind(proxy.url);
    const hanging = delivery('http://127.0.0.1:9/', { timeoutMs: 3_000 });
    expect(await outbound.send(hanging)).toMatchObject({ error: 'proxy_timeout' });
    await eventually(async () => proxy.open() === 0);

    proxy.behave(({ target }) => (target.endsWith(':9') ? 'hang' : 'tunnel'));
    const [slow, fast] = await Promise.all([
      outbound.send(hanging),
      outbound.send(delivery(receiver.origin)),
    ]);
    expect([slow, fast]).toMatchObject([{ error: 'timeout' }, { ok: true }]);
    expect(outcomes).toEqual(['proxy_timeout', 'opened']);
  });

  test('is not a target that it alone does not answer for, from the second request on', async () => {
    const proxy = await startConnectProxy();
    const target = '127.0.0.1:9';
    proxy.behave((request) => (request.target === target ? 'hang' : 'tunnel'));
    const { outbound, proxy: state, outcomes } = behind(proxy.url);
    const hanging = delivery(`http://${target}/`, { timeoutMs: 3_000 });
    expect(await outbound.send(hanging)).toMatchObject({ error: 'proxy_timeout' });
    await eventually(async () => state.failure() === null);
    for (let repeated = 0; repeated < 3; repeated += 1)
      expect(await outbound.send(hanging)).toMatchObject({ error: 'timeout' });
    expect([state.failure(), outcomes]).toEqual([null, ['proxy_timeout']]);

    // Once the proxy itself hangs, none of its targets is charged, whatever it has answered before.
    proxy.behave('hang');
    for (const hung of [hanging, delivery('http://127.0.0.1:19/', { timeoutMs: 300 })])
      for (let repeated = 0; repeated < 3; repeated += 1)
        expect(await outbound.send(hung)).toMatchObject({ error: 'proxy_timeout' });
    expect(state.failure()).toMatchObject({ error: 'proxy_timeout' });

    proxy.behave((request) => (request.target === target ? 'hang' : 'tunnel'));
    await eventually(async () => {
      const result = await outbound.send(hanging);
      return !result.ok && result.error === 'timeout';
    });
    expect(state.failure()).toBeNull();
  });

  test.each([
    [403, 'blocked_address'],
    [502, 'connection_refused'],
    [503, 'connection_refused'],
    [504, 'timeout'],
  ])('is not HTTP %i, with which it reports on the target', async (status, error) => {
    const proxy = await startConnectProxy();
    proxy.behave(status);
    const { outbound, proxy: state, outcomes } = behind(proxy.url);
    expect(await outbound.send(delivery('http://127.0.0.1:9/'))).toMatchObject({ error });
    expect(state.failure()).toBeNull();
    expect(outcomes).toEqual(['target_failed']);
  });

  test('is not a receiver that disconnects in the TLS handshake', async () => {
    const proxy = await startConnectProxy();
    const receiver = await tcpReceiver((socket) => socket.once('data', () => socket.destroy()));
    const { outbound } = behind(proxy.url);
    expect(await outbound.send(delivery(`https://127.0.0.1:${receiver.port}/`))).toMatchObject({
      error: 'connection_reset',
    });
  });

  test('leaves no connection behind when the request is aborted', async () => {
    const proxy = await startConnectProxy();
    proxy.behave('hang');
    const { outbound, outcomes } = behind(proxy.url);
    const controller = new AbortController();
    const sent = outbound.send(delivery('http://127.0.0.1:9/', { signal: controller.signal }));
    await eventually(async () => proxy.requests.length === 1);
    controller.abort();
    expect(await sent).toMatchObject({ error: 'aborted' });
    await eventually(async () => proxy.open() === 0);
    expect(outcomes).toEqual([]);
  });
});

describe('NO_PROXY', () => {
  test.each([
    ['127.0.0.1', true],
    ['127.0.0.0/8', true],
    ['10.0.0.0/8,*', true],
    ['10.0.0.0/8 localhost', false],
    ['127.0.0.1:1', false],
  ])('%s', async (noProxy, isDirect) => {
    const proxy = await startConnectProxy();
    const receiver = await httpReceiver((_req, res) => res.end());
    const { outbound } = behind(proxy.url, { noProxy });
    expect(await outbound.send(delivery(receiver.origin))).toMatchObject({ ok: true });
    expect(proxy.requests).toHaveLength(isDirect ? 0 : 1);
  });

  test('matches names with the names below them, addresses in any spelling, ranges and ports', () => {
    const { proxy } = behind('http://127.0.0.1:1', {
      noProxy: 'example.com, .Internal.test,*.svc.test:8443,[2001:db8::1]:443,fd00::/8,::1,192.0.2.7:80',
    });
    const direct = [
      ['example.com', 443],
      ['a.b.EXAMPLE.com.', 80],
      ['internal.test', 443],
      ['hooks.internal.test', 443],
      ['a.svc.test', 8443],
      ['2001:db8::1', 443],
      ['2001:db8:0::1', 443],
      ['fd12::3', 443],
      ['::1', 9],
      ['192.0.2.7', 80],
      ['::ffff:192.0.2.7', 80],
    ] as const;
    const proxied = [
      ['notexample.com', 443],
      ['a.svc.test', 443],
      ['2001:db8::1', 8443],
      ['192.0.2.7', 443],
    ] as const;
    expect(direct.filter(([host, port]) => !proxy.bypasses(host, port))).toEqual([]);
    expect(proxied.filter(([host, port]) => proxy.bypasses(host, port))).toEqual([]);
  });
});

describe('the policy for addresses behind a proxy', () => {
  test('blocks private targets before the proxy is asked, by address, name and resolution', async () => {
    const proxy = await startConnectProxy();
    const { outbound } = behind(proxy.url, { allowPrivate: false, lookup: addresses('8.8.8.8', '10.0.0.1') });
    for (const url of [
      'https://127.0.0.1/',
      'https://[::ffff:10.0.0.1]/',
      'https://localhost/',
      'https://metadata.google.internal/',
      'https://receiver.test/',
      'http://8.8.8.8/',
    ])
      expect(await outbound.send(delivery(url))).toMatchObject({ error: 'blocked_address' });
    expect(proxy.requests).toEqual([]);
    expect(proxy.open()).toBe(0);
  });

  test('asks the proxy for the address that was checked, so that it cannot be rebound', async () => {
    const proxy = await startConnectProxy();
    proxy.behave(502);
    const lookup = addresses('2606:4700::1', '8.8.8.8');
    const { outbound } = behind(proxy.url, { allowPrivate: false, lookup });
    expect(await outbound.send(delivery('https://receiver.test/'))).toMatchObject({
      error: 'connection_refused',
    });
    expect(proxy.requests.map(({ target }) => target)).toEqual(['8.8.8.8:443']);
  });

  test('fails closed for a name that does not resolve here, unless the proxy resolves names', async () => {
    const proxy = await startConnectProxy();
    proxy.behave(502);
    const lookup = addresses();
    const checked = behind(proxy.url, { allowPrivate: false, lookup });
    expect(await checked.outbound.send(delivery('https://receiver.test/'))).toMatchObject({
      error: 'blocked_address',
    });
    expect(proxy.requests).toEqual([]);

    const { outbound } = behind(proxy.url, { allowPrivate: false, lookup, dns: 'proxy' });
    await outbound.send(delivery('https://receiver.test./'));
    expect(proxy.requests.map(({ target }) => target)).toEqual(['receiver.test:443']);
    for (const url of ['https://10.0.0.1/', 'https://localhost/', 'http://receiver.test/'])
      expect(await outbound.send(delivery(url))).toMatchObject({ error: 'blocked_address' });
    expect(proxy.requests).toHaveLength(1);
  });
});

describe('WEBHOOK_ALLOWED_SUBNETS', () => {
  const policy = (subnets: string, lookup?: Lookup) => ({
    allowPrivate: false,
    allowedSubnets: loadConfig({ WEBHOOK_ALLOWED_SUBNETS: subnets }).webhookAllowedSubnets,
    ...(lookup && { lookup }),
  });

  test('opens its addresses in every spelling, with http: as well, and no others', async () => {
    const receiver = await httpReceiver((_req, res) => res.end());
    const outbound = testOutbound(policy('127.0.0.0/30'));
    for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '127.0.0.1.', 'localhost'])
      expect(await outbound.send(delivery(`http://${host}:${receiver.port}/`))).toMatchObject({ ok: true });
    for (const host of ['127.0.0.4', '127.1.0.0', '[::1]', '10.0.0.1', '8.8.8.8', 'metadata'])
      expect(await outbound.send(delivery(`http://${host}:${receiver.port}/`))).toMatchObject({
        error: 'blocked_address',
      });
  });

  test.each([
    ['only allowed addresses', ['127.0.0.1'], true],
    ['an allowed and a private address', ['127.0.0.1', '10.0.0.1'], false],
    ['a public address', ['8.8.8.8'], false],
  ])('decides about a name with http: by its addresses: %s', async (_what, found, isReached) => {
    const receiver = await httpReceiver((_req, res) => res.end());
    const outbound = testOutbound(policy('127.0.0.1,fd00::/8', addresses(...found)));
    expect(await outbound.send(delivery(`http://receiver:${receiver.port}/`))).toMatchObject(
      isReached ? { ok: true } : { error: 'blocked_address' },
    );
  });
});
