import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type ClientOptions, EngagementClient } from '../../packages/client/src/index.ts';
import type { TestApp, TestTenant } from '../support/app.ts';

/** A client of the running service with the tenant's write key. */
export const clientOf = (
  { url }: Pick<TestApp, 'url'>,
  { customerId, write }: TestTenant,
  options: Partial<ClientOptions> = {},
): EngagementClient => new EngagementClient({ baseUrl: url, apiKey: write, customerId, ...options });

/**
 * Treatment of a request: `pass` forwards it, `cut` closes the connection after the service has responded, `truncate`
 * sends half of the response, `refuse` closes it before the service sees the request, `hang` never responds, and a
 * response is sent instead of the service's.
 */
type Treatment =
  | 'pass'
  | 'cut'
  | 'truncate'
  | 'refuse'
  | 'hang'
  | { status: number; headers?: Record<string, string>; body?: string };

/** A request that the proxy has received. */
interface Proxied {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  /** `performance.now()` of the arrival. */
  at: number;
}

export interface FlakyProxy {
  url: string;
  requests: Proxied[];
}

/** Starts a proxy before the service that treats its requests in this order, and then passes the others. */
export async function startProxy(target: string, treatments: Treatment[] = []): Promise<FlakyProxy> {
  const requests: Proxied[] = [];
  const queue = [...treatments];
  const server = createServer(async (incoming, response) => {
    const { method = '', url: path = '', headers } = incoming;
    requests.push({ method, path, headers, at: performance.now() });
    const treatment = queue.shift() ?? 'pass';
    if (treatment === 'hang') return;
    if (treatment === 'refuse') return void response.socket?.resetAndDestroy();
    if (typeof treatment === 'object') {
      return void response.writeHead(treatment.status, treatment.headers).end(treatment.body);
    }
    const answer = await forward(target, incoming);
    if (treatment === 'cut') return void response.socket?.resetAndDestroy();
    response.writeHead(answer.status, answer.headers);
    if (treatment === 'pass') return void response.end(answer.body);
    response.write(answer.body.subarray(0, answer.body.length / 2), () => response.socket?.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/** Sends a request on to the service and reads the whole response. */
function forward(target: string, incoming: IncomingMessage): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { method, url, headers } = incoming;
    const { host: _, ...others } = headers;
    const outgoing = request(new URL(url ?? '', target), { method, headers: others }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
    });
    outgoing.on('error', reject);
    incoming.pipe(outgoing);
  });
}

/** Returns the rejection of a promise; throws if it is fulfilled. */
export async function rejectionOf(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('The promise was fulfilled.');
}
