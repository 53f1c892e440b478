import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { delivery, httpReceiver, rawReceiver, send, tcpReceiver, testOutbound } from './support.ts';

const text = async (req: IncomingMessage) => Buffer.concat(await req.toArray()).toString();

describe('the outbound client', () => {
  test('returns status, headers and body of the response, and sends its input unchanged', async () => {
    const requests: object[] = [];
    const receiver = await httpReceiver(async (req, res) => {
      const { method, url, httpVersion } = req;
      requests.push({
        method,
        url,
        httpVersion,
        signature: req.headers['x-svc-signature'],
        body: await text(req),
      });
      res.writeHead(202, { 'content-type': 'text/plain', 'x-other': 'y' }).end('thanks');
    });
    const result = await send(`${receiver.origin}/hooks/1?a=b%20c#part`, {
      headers: { 'x-svc-signature': 't=1,v1=ab' },
      body: Buffer.from('{"grüße":1}'),
    });
    expect(result).toEqual({
      ok: true,
      status: 202,
      headers: { contentType: 'text/plain', retryAfter: undefined },
      body: 'thanks',
      allHeaders: expect.objectContaining({ 'content-type': 'text/plain', 'x-other': 'y' }),
      truncated: false,
      durationMs: expect.any(Number),
    });
    expect(requests).toEqual([
      {
        method: 'POST',
        url: '/hooks/1?a=b%20c',
        httpVersion: '1.1',
        signature: 't=1,v1=ab',
        body: '{"grüße":1}',
      },
    ]);
  });

  test.each<[number, string[], string | undefined]>([
    [204, [], undefined],
    [410, [], undefined],
    [429, ['120'], '120'],
    [503, ['7', '8'], '7'],
    [500, ['Wed, 21 Oct 2026 07:28:00 GMT'], 'Wed, 21 Oct 2026 07:28:00 GMT'],
  ])('is ok with a %i, and returns its Retry-After %j', async (status, sent, retryAfter) => {
    const receiver = await httpReceiver((_req, res) => {
      if (sent.length > 0) res.setHeader('retry-after', sent);
      res.writeHead(status).end();
    });
    expect(await send(receiver.origin)).toMatchObject({
      ok: true,
      status,
      headers: { retryAfter },
      body: '',
    });
  });

  test.each([301, 302, 303, 307, 308])('does not follow a %i', async (status) => {
    const paths: (string | undefined)[] = [];
    const receiver = await httpReceiver((req, res) => {
      paths.push(req.url);
      res.writeHead(status, { location: '/elsewhere' }).end();
    });
    expect(await send(`${receiver.origin}/hooks`)).toMatchObject({ ok: true, status });
    expect(paths).toEqual(['/hooks']);
  });

  test('has neither an Expect nor an Accept-Encoding header, and does not decompress', async () => {
    const seen: IncomingMessage['headers'][] = [];
    const receiver = await httpReceiver((req, res) => {
      seen.push(req.headers);
      res.setHeader('content-encoding', 'gzip').end('not gzip at all');
    });
    expect(await send(receiver.origin)).toMatchObject({ ok: true, body: 'not gzip at all' });
    expect(Object.keys(seen[0] ?? {}).toSorted()).toEqual([
      'connection',
      'content-length',
      'content-type',
      'host',
    ]);
  });

  test('sends 200 requests at the same time, each with its own response', async () => {
    const receiver = await httpReceiver(async (req, res) => res.end(await text(req)));
    const outbound = testOutbound();
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, i) => outbound.send(delivery(receiver.origin, { body: `body ${i}` }))),
    );
    expect(results.map((result) => result.ok && result.body)).toEqual(results.map((_, i) => `body ${i}`));
  });

  test('reads the body of the final response after interim ones', async () => {
    const receiver = await rawReceiver(
      'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok',
    );
    expect(await send(receiver.origin)).toMatchObject({ ok: true, status: 200, body: 'ok' });
  });

  test('accepts a response that arrives before the request is sent completely', async () => {
    const receiver = await tcpReceiver((socket) => {
      socket.once('data', () =>
        socket.end('HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno'),
      );
    });
    const result = await send(receiver.origin, { body: 'x'.repeat(1_000_000) });
    expect(result).toMatchObject({ ok: true, status: 413, body: 'no' });
  });

  test('reports the start of the request after connecting and before its response', async () => {
    const order: string[] = [];
    const receiver = await httpReceiver((_req, res) => {
      order.push('request');
      res.end();
    });
    const lookup = async () => {
      order.push('look-up');
      return [{ address: '127.0.0.1', family: 4 as const }];
    };
    const outbound = testOutbound({ lookup });
    const onStart = () => order.push('start');
    await outbound.send(delivery(`http://receiver.test:${receiver.port}/`, { onStart }));
    expect(order).toEqual(['look-up', 'start', 'request']);
  });

  test('does not report a start without a connection', async () => {
    let started = false;
    const onStart = () => {
      started = true;
    };
    expect(await send('http://127.0.0.1:1/', { onStart })).toMatchObject({ ok: false });
    expect(started).toBe(false);
  });
});
