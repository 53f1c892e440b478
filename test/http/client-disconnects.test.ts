import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { endpointsPath, postConversion } from '../webhooks/support.ts';

interface Line {
  level: number;
  msg: string;
  requestId?: string;
  [name: string]: unknown;
}

const DEBUG = 20;
const WARN = 40;
const lines: Line[] = [];
const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) });

let app: TestApp;
let tenant: TestTenant;
beforeAll(async () => {
  app = await startApp({}, { log });
  tenant = await app.newTenant();
  for (let index = 0; index < 20; index += 1) await postConversion(app, tenant);
});
afterAll(() => app.stop());

/** Times after which the client disconnects: while the request is read, authenticated, executed, and answered. */
const AFTER_MS = [0, 1, 2, 3, 5, 8, 12, 20, 40];

/** Sends the bytes of a request and disconnects; a part of the body is left out where `isCut` is true. */
async function disconnecting(
  { method, path, body, accept = 'application/json', isCut = false }: Sent,
  afterMs: number,
): Promise<void> {
  const { hostname, port } = new URL(app.url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  await new Promise((resolve) => socket.once('connect', resolve));
  const text = body ? JSON.stringify(body) : '';
  const head = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    `Authorization: Bearer ${tenant.write}`,
    `Accept: ${accept}`,
    ...(text ? ['Content-Type: application/json', `Content-Length: ${text.length}`] : []),
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${isCut ? text.slice(0, text.length / 2) : text}`);
  await sleep(afterMs);
  if (afterMs % 2 === 0) socket.resetAndDestroy();
  else socket.destroy();
}

interface Sent {
  method: string;
  path: string;
  body?: object;
  accept?: string;
  isCut?: boolean;
}

const conversion = { type: 'conversion', goal: 'demo_booked', visitor_id: 'v_1' };
const graphql = (query: string) => ({ method: 'POST', path: '/graphql', body: { query } });

const requests = (): Record<string, Sent> => ({
  'GET over REST': { method: 'GET', path: `/api/v1/customers/${tenant.customerId}/events?limit=100` },
  'POST over REST': { method: 'POST', path: '/v1/events', body: conversion },
  'POST with a part of its body': { method: 'POST', path: '/v1/events', body: conversion, isCut: true },
  'creation of an endpoint': {
    method: 'POST',
    path: endpointsPath(tenant.customerId),
    body: { url: 'http://127.0.0.1:9/' },
  },
  query: graphql('{ webhookEvents(first: 100) { edges { node { id } } } }'),
  mutation: graphql('mutation { createWebhookEndpoint(input: { url: "http://127.0.0.1:9/" }) { secret } }'),
  subscription: {
    ...graphql('subscription { webhookDeliveryUpdated { delivery { id } } }'),
    accept: 'text/event-stream',
  },
  'long poll of a feed': {
    method: 'GET',
    path: `/api/v1/customers/${tenant.customerId}/event-feeds/disconnected?wait=5&start=end`,
  },
});

test.each([
  'GET over REST',
  'POST over REST',
  'POST with a part of its body',
  'creation of an endpoint',
  'query',
  'mutation',
  'subscription',
  'long poll of a feed',
])('a client that disconnects during a %s is no error of the service', async (name) => {
  const request = requests()[name];
  if (!request) throw new Error('unknown');
  const before = lines.length;
  for (const afterMs of AFTER_MS) {
    await Promise.all(Array.from({ length: 3 }, () => disconnecting(request, afterMs)));
  }
  await sleep(300);
  await eventually(async () => (await app.request('GET', '/api/health')).status === 200);
  const logged = lines.slice(before);
  const aborted = logged.filter(({ msg }) => msg === 'connection closed before the response was complete');
  expect(aborted.length).toBeGreaterThan(0);
  expect(new Set(aborted.map(({ level }) => level))).toEqual(new Set([DEBUG]));
  expect(logged.filter(({ level }) => level >= WARN)).toEqual([]);
});

test('the line of a request has the id of its key and of its customer, and no key', async () => {
  const { keyId } = await app.services.keys.authenticate(`Bearer ${tenant.write}`);
  const requestId = 'who-asked';
  const path = endpointsPath(tenant.customerId);
  await app.request('GET', path, { key: tenant.write, headers: { 'x-request-id': requestId } });
  const line = await eventually(() => lines.find((logged) => logged.requestId === requestId));
  expect(line).toMatchObject({ msg: 'request completed', customerId: tenant.customerId, keyId });
  expect(JSON.stringify(lines)).not.toContain(tenant.write);
});
