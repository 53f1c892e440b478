import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createFathomHandler, FATHOM_BASE_PATH } from '../../src/demo/provider/fathom-responses.ts';
import type { MeetingJson, Meetings } from '../../src/demo/provider/meeting-json.ts';
import {
  apiKeyOf,
  type ProviderRequest as HandledRequest,
  type ProviderResponse,
} from '../../src/demo/provider/provider-http.ts';
import { createProviderHandler, type ProviderOptions } from '../../src/demo/provider/provider-responses.ts';
import { LIVENESS_TIMEOUT_MS } from './eventually.ts';

/** One request that the provider got. */
export interface ProviderRequest {
  path: string;
  query: Record<string, string>;
  headers: IncomingHttpHeaders;
  /** The key that came with it; null: none. */
  key: string | null;
  /** `performance.now()` of this process when it was there. */
  at: number;
}

/** A page as it goes over the wire. */
export type Page = Record<string, unknown>;

/** Response to a request. */
export type Behaviour =
  /** Normal behaviour. */
  | 'well'
  /** Never answers. */
  | 'hang'
  /** Ends the connection before it answers. */
  | 'reset'
  /** Ends the connection in the middle of a good answer that says how long it is. */
  | 'cut'
  /** Ends the connection in the middle of a good answer whose end is the connection's. */
  | 'cut_unseen'
  | { status: number; headers?: Record<string, string>; body?: string }
  /** A good answer, changed; what it gives back is sent as JSON. */
  | { change: (page: Page) => unknown }
  /** A good answer, so many milliseconds later. */
  | { delayMs: number }
  /** A good answer, made at once and sent once the promise resolves. */
  | { until: Promise<unknown> };

/** Behaviour by request; `index` is its position in the provider's `requests`. */
export type Programme = Behaviour | ((request: ProviderRequest, index: number) => Behaviour);

/** A real HTTP server that plays a meeting provider, well or badly. */
export interface TestProvider {
  url: string;
  requests: ProviderRequest[];
  /** Its meetings, newest first; tests may modify them. */
  meetings: Meetings;
  /** Sets the behaviour for all further requests. */
  behave(programme: Programme): void;
  /** Sets the behaviours of the next requests, one each; normal behaviour follows. */
  script(...behaviours: Behaviour[]): void;
  /** Resolves when so many requests have come. */
  waitFor(count: number, timeoutMs?: number): Promise<ProviderRequest[]>;
  stop(): Promise<void>;
}

export interface TestProviderOptions extends Partial<ProviderOptions> {
  /** Number of generated meetings; 3 by default. */
  count?: number;
  /** Segments of each one's transcript. */
  segments?: number;
  port?: number;
  /** Creates the provider's API; the standard one by default. */
  api?: (options: TestApiOptions) => TestApi;
}

export interface TestApiOptions {
  meetings: Meetings;
  acceptsKey: (key: string) => boolean;
}

export interface TestApi {
  /** Path of `RECORDER_API_URL`. */
  basePath: string;
  respond: (request: HandledRequest) => ProviderResponse;
}

/** Fathom's API. */
export const fathomApi =
  (options: Partial<Parameters<typeof createFathomHandler>[0]> = {}) =>
  (given: TestApiOptions): TestApi => ({
    basePath: FATHOM_BASE_PATH,
    respond: createFathomHandler({ ...given, ...options }),
  });

export const tooMany = (retryAfter?: string): Behaviour => ({
  status: 429,
  headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
});
export const unauthorized: Behaviour = { status: 401, body: '{"error":"invalid api key"}' };
export const html: Behaviour = {
  status: 200,
  headers: { 'content-type': 'text/html' },
  body: '<!doctype html><title>Sign in</title>',
};
/** A page that says that the listing goes on at `next`. */
export const withNext = (next: unknown): Behaviour => ({ change: (page) => ({ ...page, next }) });
/** A page with exactly these meetings. */
export const withMeetings = (...meetings: unknown[]): Behaviour => ({
  change: ({ meetings: _all, data: _too, ...page }) => ({ ...page, meetings }),
});
/** Good until request `k` (from 0), and so from then on. */
export const from =
  (k: number, behaviour: Behaviour): Programme =>
  (_request, index) =>
    index < k ? 'well' : behaviour;

const HOUR = 3_600_000;

/** A meeting with nothing wrong; every third has an e-mail in upper case, every fifth none. */
export function meetingJson(index: number, { segments = 2, newest = new Date() } = {}): MeetingJson {
  const email = index % 3 === 1 ? `GUEST.${index}@Example.COM` : `guest.${index}@example.com`;
  const at = new Date(newest.getTime() - index * HOUR).toISOString();
  return {
    id: `m${index}`,
    title: `Meeting ${index}`,
    created_at: at,
    started_at: at,
    duration_seconds: 1_800 + index,
    participants: [
      { name: `Guest ${index}`, role: 'guest', ...(index % 5 === 4 ? {} : { email }) },
      { name: 'Host', email: index % 5 === 4 ? null : 'host@example.com', role: 'host' },
    ],
    transcript: Array.from({ length: segments }, (_, n) => ({
      speaker: n % 2 === 0 ? 'Host' : `Guest ${index}`,
      text: `What was said as number ${n} of meeting ${index}.`,
      start_time: n * 5,
      end_time: n * 5 + 4.5,
    })),
    summary: `They met as number ${index}.`,
    recording_url: `https://recordings.example.com/m${index}`,
  };
}

/** Many meetings, created on demand and not kept: one an hour, back from now. */
export const manyMeetings = (count: number, segments: number, newest = new Date()): Meetings => ({
  length: count,
  at: (index) => (index < count ? meetingJson(index, { segments, newest }) : undefined),
});

/** Accepts every key that does not have `invalid` in it. */
export async function startProvider({
  count = 3,
  segments = 2,
  port = 0,
  meetings = Array.from({ length: count }, (_, index) => meetingJson(index, { segments })),
  api = (given) => ({
    basePath: '',
    respond: createProviderHandler({ pagination: 'next', payload: 'meetings', ...options, ...given }),
  }),
  acceptsKey = (key) => !key.includes('invalid'),
  ...options
}: TestProviderOptions = {}): Promise<TestProvider> {
  let programme: Programme = 'well';
  const { basePath, respond: answer } = api({ meetings, acceptsKey });
  const requests: ProviderRequest[] = [];
  const sockets = new Set<Socket>();
  const waiting = new Set<() => void>();

  function respond(what: Behaviour, good: () => ProviderResponse, response: ServerResponse): void {
    if (what === 'hang') return;
    if (what === 'reset') {
      response.socket?.resetAndDestroy();
      return;
    }
    if (typeof what === 'object' && 'status' in what) {
      response.writeHead(what.status, { 'content-type': 'application/json', ...what.headers }).end(what.body);
      return;
    }
    const { status, headers, body } = good();
    const changed = typeof what === 'object' && 'change' in what ? what.change(body) : body;
    const text = Buffer.from(JSON.stringify(changed));
    const json = { 'content-type': 'application/json', ...headers };
    if (what === 'cut' || what === 'cut_unseen') {
      const length = what === 'cut' ? { 'content-length': text.length } : { connection: 'close' };
      response.writeHead(status, { ...json, ...length });
      response.write(text.subarray(0, text.length >> 1), () =>
        what === 'cut' ? response.socket?.destroy() : response.end(),
      );
      return;
    }
    const delayMs = typeof what === 'object' && 'delayMs' in what ? what.delayMs : 0;
    const until = typeof what === 'object' && 'until' in what ? what.until : Promise.resolve();
    void until.then(() => setTimeout(() => response.writeHead(status, json).end(text), delayMs));
  }

  const server = createServer((request, response) => {
    const at = performance.now();
    const { method = 'GET', headers } = request;
    const url = new URL(request.url ?? '/', `http://${headers.host}`);
    const entry: ProviderRequest = {
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers,
      key: apiKeyOf(headers),
      at,
    };
    requests.push(entry);
    const what = typeof programme === 'function' ? programme(entry, requests.length - 1) : programme;
    respond(what, () => answer({ method, url, headers }), response);
    for (const check of waiting) check();
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${basePath}`,
    requests,
    meetings,
    behave(next) {
      programme = next;
    },
    script(...behaviours) {
      const start = requests.length;
      programme = (_request, index) => behaviours[index - start] ?? 'well';
    },
    waitFor(wanted, timeoutMs = LIVENESS_TIMEOUT_MS) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(check);
          reject(new Error(`${requests.length} of ${wanted} requests came within ${timeoutMs} ms`));
        }, timeoutMs);
        const check = () => {
          if (requests.length < wanted) return;
          clearTimeout(timer);
          waiting.delete(check);
          resolve(requests);
        };
        waiting.add(check);
        check();
      });
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
