import { setTimeout as sleep } from 'node:timers/promises';
import { answerCalls } from '../../support/child-process.ts';
import { Connection } from './connection.ts';
import { sharedNow } from './time.ts';

/** Requests that are all alike, but for their number. */
export interface Load {
  method: 'GET' | 'POST';
  url: string;
  /** API key. */
  key: string;
  /** JSON in which `#` stands for the number of the request, and `#%500` for its remainder; null: none. */
  body: string | null;
  /** Number of the first request. */
  first: number;
  count: number;
  /** Each sends its next request as soon as it has the answer to the last. */
  clients: number;
  /** Requests a second, whether or not answers come; as many connections as that takes. Null: as `clients` can. */
  rate: number | null;
  /** Number of requests, sent together, that share an `Idempotency-Key`; none has one by default. */
  sharedKey?: number;
}

/** Moments of each request on the shared clock, in milliseconds, in the order of their numbers. */
export interface LoadResult {
  sentAt: Float64Array;
  /** `NaN` where the answer was no 2xx, or the request was not sent. */
  answeredAt: Float64Array;
}

/** Connections that wait for a request, by port. */
const idle = new Map<number, Connection[]>();

async function withConnection<T>(port: number, use: (connection: Connection) => Promise<T>): Promise<T> {
  const free = idle.get(port) ?? [];
  idle.set(port, free);
  let connection = free.pop();
  while (connection && !connection.isOpen()) connection = free.pop();
  connection ??= await Connection.open(port);
  const result = await use(connection);
  free.push(connection);
  return result;
}

let stopped = false;

async function run(load: Load): Promise<LoadResult> {
  stopped = false;
  const { port, pathname, search } = new URL(load.url);
  const head = [
    `${load.method} ${pathname}${search} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    `authorization: Bearer ${load.key}`,
    ...(load.body === null ? [] : ['content-type: application/json']),
  ].join('\r\n');
  const sentAt = new Float64Array(load.count);
  const answeredAt = new Float64Array(load.count).fill(Number.NaN);

  async function send(connection: Connection, index: number): Promise<void> {
    const number = load.first + index;
    const body =
      load.body?.replace(/#(?:%(\d+))?/g, (_, divisor) => String(number % Number(divisor ?? Infinity))) ?? '';
    const idempotencyKey = load.sharedKey
      ? `\r\nidempotency-key: k${Math.floor(number / load.sharedKey)}`
      : '';
    const length = load.body === null ? '' : `\r\ncontent-length: ${Buffer.byteLength(body)}`;
    sentAt[index] = sharedNow();
    const status = await connection.send(`${head}${idempotencyKey}${length}\r\n\r\n${body}`);
    if (status >= 200 && status < 300) answeredAt[index] = sharedNow();
  }

  if (load.rate === null) {
    let next = 0;
    const client = () =>
      withConnection(Number(port), async (connection) => {
        while (next < load.count && !stopped) await send(connection, next++);
      });
    await Promise.all(Array.from({ length: load.clients }, client));
  } else {
    const sent: Promise<void>[] = [];
    const startedAt = sharedNow();
    const { sharedKey = 1 } = load;
    while (sent.length < load.count && !stopped) {
      const groups = Math.ceil((((sharedNow() - startedAt) / 1000) * load.rate) / sharedKey);
      const due = Math.min(load.count, groups * sharedKey);
      while (sent.length < due) {
        const index = sent.length;
        sent.push(withConnection(Number(port), (connection) => send(connection, index)));
      }
      await sleep(1);
    }
    await Promise.all(sent);
  }
  return { sentAt, answeredAt };
}

/** Ends the run: sends no further request. */
function stop(): void {
  stopped = true;
}

const handlers = { run, stop };
export type LoadCalls = typeof handlers;
answerCalls(handlers);
