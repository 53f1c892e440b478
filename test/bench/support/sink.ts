import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerCalls } from '../../support/child-process.ts';
import { sharedNow } from './time.ts';

/** A customer's receiver: bare `node:http`, 200 with an empty body. Below `/hang` it never answers, below `/slow` late, below `/fail` with a 500. */
export interface Arrivals {
  /** When each expected event came first, on the shared clock; `NaN`: never. */
  arrivedAt: Float64Array;
  /** Different delivery ids among the requests for expected events. */
  deliveries: number;
  /** Requests for expected events, repetitions included. */
  requests: number;
}

/** Text before the event's number in a body: the goal of its conversion. */
const MARK = Buffer.from('"conversionType":"n');
const QUOTE = 0x22;
const BEHAVIOURS = ['/hang', '/slow', '/fail'];
/** Just within the timeout of a delivery. */
const SLOW_MS = 4_500;

let first = 0;
let missing = 0;
let requests = 0;
let arrivedAt = new Float64Array(0);
const deliveries = new Set<string>();
const open = new Set<ServerResponse>();
let complete = () => {};

function numberOf(body: Buffer): number {
  const start = body.indexOf(MARK) + MARK.length;
  return start < MARK.length ? -1 : Number(body.toString('latin1', start, body.indexOf(QUOTE, start)));
}

function count(body: Buffer, deliveryId: string): void {
  const index = numberOf(body) - first;
  const before = arrivedAt[index];
  if (before === undefined) return;
  requests += 1;
  deliveries.add(deliveryId);
  if (!Number.isNaN(before)) return;
  arrivedAt[index] = sharedNow();
  missing -= 1;
  if (missing === 0) complete();
}

/** Keeps an open request, so that `release` can cut it off. */
function hold(response: ServerResponse): void {
  open.add(response);
  response.once('close', () => open.delete(response));
}

function receive(request: IncomingMessage, response: ServerResponse): void {
  const behaviour = BEHAVIOURS.find((path) => request.url?.startsWith(path));
  if (behaviour) {
    request.resume();
    if (behaviour === '/fail') response.writeHead(500).end();
    else hold(response);
    if (behaviour === '/slow') setTimeout(() => response.writeHead(200).end(), SLOW_MS);
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const [only = Buffer.alloc(0)] = chunks;
    count(chunks.length > 1 ? Buffer.concat(chunks) : only, String(request.headers['x-svc-delivery-id']));
    response.writeHead(200).end();
  });
}

const handlers = {
  /** Returns the address. */
  async listen(): Promise<string> {
    const server = createServer(receive);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4096, resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },

  /** From now on counts the events with these numbers, and no others. */
  expect(expected: { first: number; count: number }): void {
    first = expected.first;
    missing = expected.count;
    requests = 0;
    deliveries.clear();
    arrivedAt = new Float64Array(expected.count).fill(Number.NaN);
  },

  /** Resolves when all expected events have come, or the time is up. */
  async arrivals({ timeoutMs }: { timeoutMs: number }): Promise<Arrivals> {
    if (missing > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        complete = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return { arrivedAt, deliveries: deliveries.size, requests };
  },

  /** Cuts off the open requests. */
  release(): void {
    for (const response of open) response.destroy();
  },
};
export type SinkCalls = typeof handlers;
answerCalls(handlers);
