import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newGraphiQLToken } from '../../src/demo/graphiql-token.ts';
import { KEYS, rawConnection, send, startServer } from './support.ts';

const TOKEN = 'metrics-token-metrics-token';
let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const page = (path: string) => send(server, 'GET', path, { key: null, headers: { accept: 'text/html' } });

describe.each(['/console', '/api/v1/docs', '/v1/docs', '/api/docs', '/graphql'])('the page %s', (path) => {
  test('permits local files and its own nonce alone', async () => {
    const { headers, text } = await page(path);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none';/);
    expect(policy).not.toMatch(/unsafe-eval|https?:|\*/);
    const scripts = /script-src ([^;]+)/.exec(policy)?.[1] ?? '';
    expect(scripts).not.toContain('unsafe-inline');
    const nonce = /'nonce-([^']+)'/.exec(scripts)?.[1];
    for (const [, attributes] of text.matchAll(/<(?:script|style)([^>]*)>/g)) {
      expect(attributes).toMatch(attributes?.includes('src=') ? /src="\// : `nonce="${nonce}"`);
    }
    expect(text).not.toMatch(/(?:src|href)="https?:/);
    expect(text).not.toMatch(/ on[a-z]+="| style="/);
  });

  test('has a new nonce each time', async () => {
    const [first, second] = [await page(path), await page(path)];
    expect(first.headers.get('content-security-policy')).not.toBe(
      second.headers.get('content-security-policy'),
    );
  });
});

describe.each(['/api/v1/docs', '/v1/docs', '/api/docs'])('the files of %s', (path) => {
  test('are served locally, compressed, cached without expiry, and with their content type', async () => {
    const { text } = await page(path);
    const files = [...text.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map(([, file]) => file as string);
    expect(files).toHaveLength(2);
    for (const file of files) {
      const { status, headers, text: content } = await page(file);
      expect(status).toBe(200);
      expect(headers.get('content-type')).toMatch(file.endsWith('.css') ? /^text\/css/ : /^text\/javascript/);
      expect(headers.get('cache-control')).toContain('immutable');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-encoding')).toBe('gzip');
      const plain = await send(server, 'GET', file, {
        key: null,
        headers: { 'accept-encoding': 'identity' },
      });
      expect(plain.headers.get('content-encoding')).toBeNull();
      expect(plain.text).toBe(content);
      const smaller = await send(server, 'GET', file, {
        key: null,
        headers: { 'accept-encoding': 'br, gzip' },
      });
      expect(smaller.headers.get('content-encoding')).toBe('br');
      expect(smaller.text).toBe(content);
    }
  });

  test('render the document next to it', async () => {
    expect((await page(path)).text).toContain(`"url":"${path.replace('docs', 'openapi.json')}"`);
  });

  test('do not allow path traversal', async () => {
    for (const name of ['../package.json', '%2e%2e/package.json', 'index.html', 'swagger-ui-bundle.js.map']) {
      expect((await page(`/docs/assets/5/${name}`)).status).toBe(404);
    }
  });
});

describe('the console', () => {
  test('is the redirect target of /', async () => {
    const { status, headers } = await page('/');
    expect(status).toBe(302);
    expect(headers.get('location')).toBe('/console');
  });

  test('is the same page at every address below it', async () => {
    for (const path of ['/console/', '/console/deliveries', '/console/meetings/m_1']) {
      const { status, headers, text } = await page(path);
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(text).toContain('<div id="root">');
    }
    const { status } = await send(server, 'POST', '/console/deliveries', { key: null });
    expect(status).toBe(405);
  });

  test('has files that are cached without expiry, and does not allow path traversal', async () => {
    const { text } = await page('/console');
    const files = [...text.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, file]) => file as string);
    expect(files.length).toBeGreaterThanOrEqual(2);
    for (const file of files) {
      const { status, headers } = await page(file);
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toContain('immutable');
      expect(headers.get('content-encoding')).toBe('gzip');
    }
    for (const name of ['..%2findex.html', '%2e%2e%2f%2e%2e%2fpackage.json', 'nothing.js']) {
      expect((await page(`/console/assets/${name}`)).status).toBe(404);
    }
  });
});

describe('GET /api/health', () => {
  test('returns 200 with the report', async () => {
    const { status, body } = await page('/api/health');
    expect(status).toBe(200);
    expect(body).toMatchObject({ database: { status: 'up' } });
  });
});

describe('the demo key in GraphiQL', () => {
  const DEMO = 'eg_r_demo';
  const keys = { read: DEMO, write: `${DEMO}_w`, admin: `${DEMO}_a` };
  let demo: typeof server;
  let token = '';
  beforeEach(async () => {
    token = newGraphiQLToken();
    demo = await startServer({ demo: { keys, token } });
  });
  afterEach(() => demo.stop());

  /** The page as a request with this `Host` gets it; `fetch` does not let one choose. */
  async function pageFor(host: string, query: string, method = 'GET'): Promise<string> {
    const { socket, received, closed } = await rawConnection(demo.port);
    const head = `Host: ${host}\r\nAccept: text/html\r\nConnection: close`;
    socket.write(`${method} /graphql${query} HTTP/1.1\r\n${head}\r\n\r\n`);
    await closed;
    return received();
  }

  test('is on no page without the token of the printed address', async () => {
    for (const query of ['', '?demo=', '?demo=x', `?demo=${newGraphiQLToken()}`, `?token=${token}`]) {
      const page = await pageFor('127.0.0.1', query);
      expect(page, query).toContain('HTTP/1.1 200');
      expect(page, query).not.toContain(DEMO);
    }
  });

  test.each(['localhost', 'LOCALHOST:4000', '127.0.0.1', '127.0.0.1:4000', '[::1]', '[::1]:4000'])(
    'is prefilled for %s in exchange for the token, once',
    async (host) => {
      expect(await pageFor(host, `?demo=${token}`, 'HEAD')).toContain('HTTP/1.1 200');
      const page = await pageFor(host, `?demo=${token}`);
      for (const key of Object.values(keys)) expect(page).toContain(key);
      expect(page).toMatch(/\r\ncache-control: no-store\r\n/i);
      expect(await pageFor(host, `?demo=${token}`)).not.toContain(DEMO);
    },
  );

  test('is given to one of several requests with the token at a time', async () => {
    const pages = await Promise.all(Array.from({ length: 10 }, () => pageFor('localhost', `?demo=${token}`)));
    expect(pages.filter((page) => page.includes(DEMO))).toHaveLength(1);
  });

  test.each([
    'attacker.example',
    'attacker.example:4000',
    'localhost.attacker.example',
    '127.0.0.1.attacker.example:4000',
    '10.0.0.1:4000',
    '0.0.0.0:4000',
    '::1',
    '[::1].attacker.example',
    'localhost:80:attacker.example',
    '',
  ])('is not prefilled for "%s"', async (host) => {
    const page = await pageFor(host, `?demo=${token}`);
    expect(page).toContain('HTTP/1.1 200');
    expect(page).not.toContain(DEMO);
    expect(await pageFor('localhost', `?demo=${token}`)).toContain(DEMO);
  });
});

describe('GET /metrics', () => {
  test('does not exist if metrics are off', async () => {
    const off = await startServer({ env: { METRICS: 'off' } });
    expect((await send(off, 'GET', '/metrics', { key: null })).status).toBe(404);
    await off.stop();
  });

  test('requires its token on loopback if one is set', async () => {
    const local = await startServer({ env: { METRICS_TOKEN: TOKEN } });
    const statuses = await Promise.all(
      [null, 'wrong', TOKEN].map(async (key) => (await send(local, 'GET', '/metrics', { key })).status),
    );
    expect(statuses).toEqual([401, 401, 200]);
    await local.stop();
  });

  test('requires no token on loopback if none is set', async () => {
    const { status, text, headers } = await page('/metrics');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    expect(text).toContain('engagement_');
  });

  test('requires its token elsewhere, and does not exist if none is set', async () => {
    const open = await startServer({ env: { HOST: '0.0.0.0', METRICS_TOKEN: TOKEN } });
    for (const key of [null, KEYS.admin, TOKEN.slice(1), `${TOKEN}2`]) {
      expect((await send(open, 'GET', '/metrics', { key })).status).toBe(401);
    }
    expect((await send(open, 'GET', '/metrics', { key: TOKEN })).status).toBe(200);
    await open.stop();
    const without = await startServer({ env: { HOST: '0.0.0.0' } });
    expect((await send(without, 'GET', '/metrics', { key: TOKEN })).status).toBe(404);
    await without.stop();
  });
});
