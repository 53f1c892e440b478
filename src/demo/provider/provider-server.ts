import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { demoMeetings } from './demo-meetings.ts';
import { createRateLimit } from './provider-rate-limit.ts';
import { createAnswers, keyOf, type ProviderAnswer, type ProviderOptions } from './provider-responses.ts';

interface ServerOptions extends Pick<ProviderOptions, 'pagination' | 'payload'> {
  /** On 127.0.0.1; 0: any free one. */
  port: number;
  /** How many meetings it has. */
  meetings: number;
  /** Milliseconds before each answer. */
  delayMs: number;
  /** Requests of one key in a minute; more are answered with 429. */
  perMinute: number;
  /** Told of each answer. Never of the key. */
  onAnswer: (answered: {
    at: Date;
    method: string;
    path: string;
    status: number;
    meetings: number | null;
  }) => void;
}

/** Keys that the stand-in knows, so that both outcomes of connecting can be tried. */
export const isDemoProviderKey = (key: string): boolean => key.startsWith('rec_') && !key.includes('invalid');

/** A stand-in for the meeting provider with three months of meetings, for those who have no account. */
export async function startDemoProvider({
  port,
  meetings,
  delayMs,
  perMinute,
  onAnswer,
  ...options
}: ServerOptions) {
  const now = () => new Date();
  const answer = createAnswers({
    ...options,
    meetings: demoMeetings(meetings, now(), now),
    acceptsKey: isDemoProviderKey,
  });
  const limit = createRateLimit(perMinute);

  function answerTo(method: string, url: URL, authorization: string | undefined): ProviderAnswer {
    const seconds = limit.hit(keyOf(authorization) ?? '', now().getTime());
    if (seconds === null) return answer({ method, url, authorization });
    return { status: 429, headers: { 'retry-after': String(seconds) }, body: { error: 'too many requests' } };
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', headers } = request;
    // `next` leads to where the caller has found us, under whatever name.
    const url = URL.parse(request.url ?? '/', `http://${headers.host}`) ?? new URL('http://127.0.0.1/');
    const { status, headers: more, body } = answerTo(method, url, headers.authorization);
    if (delayMs > 0) await sleep(delayMs, undefined, { ref: false });
    response.writeHead(status, { 'content-type': 'application/json', ...more }).end(JSON.stringify(body));
    const listed = body[options.payload];
    onAnswer({
      at: now(),
      method,
      path: url.pathname + url.search,
      status,
      meetings: Array.isArray(listed) ? listed.length : null,
    });
  }

  const server = createServer((request, response) => {
    // A caller that hangs up is no failure of the provider.
    handle(request, response).catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}
