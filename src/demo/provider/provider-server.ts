import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listenOnLoopback } from '../../platform/http/listen-on-loopback.ts';
import { standardSignature } from '../../platform/standard-webhooks.ts';
import { demoMeetings } from './demo-meetings.ts';
import { createFathomHandler, FATHOM_BASE_PATH, recordingId } from './fathom-responses.ts';
import type { MeetingJson } from './meeting-json.ts';
import { apiKeyOf, type ProviderRequest, type ProviderResponse, refuse } from './provider-http.ts';
import { createRateLimit } from './provider-rate-limit.ts';
import { createProviderHandler, type ProviderOptions } from './provider-responses.ts';

/** APIs that the demo provider can have: values of `RECORDER_PROVIDER`. */
export const DEMO_APIS = ['standard', 'fathom'] as const;

/** Recipient of the demo provider's webhooks. */
interface WebhookTarget {
  /** Address of the webhook, as `recorderWebhook` of the service returns it. */
  url: string;
  /** Signing secret, `whsec_…`; the service must have the same one. */
  secret: string;
}

interface ServerOptions extends Pick<ProviderOptions, 'pagination' | 'payload'> {
  api: (typeof DEMO_APIS)[number];
  /** Port on 127.0.0.1; 0 for any free port. */
  port: number;
  meetings: number;
  delayMs: number;
  /** Maximum number of requests per minute and key; the rest get HTTP 429. */
  perMinute: number;
  /** Called after each response. */
  onResponse: (response: {
    at: Date;
    method: string;
    path: string;
    status: number;
    /** Number of meetings in the response; null if it is not a list. */
    meetings: number | null;
  }) => void;
  /** Receives a webhook when the newest meeting has its transcript, and when a meeting is deleted; null for none. */
  webhook: WebhookTarget | null;
  /** Called after each webhook; `status` is null if there was no response. */
  onWebhook: (webhook: { at: Date; status: number | null }) => void;
}

/** A key that the demo provider accepts. */
export const DEMO_PROVIDER_KEY = 'rec_demo';

/** Returns true if the demo provider accepts a key. It rejects some, so that users can try a failed connection. */
const isDemoProviderKey = (key: string): boolean => key.startsWith('rec_') && !key.includes('invalid');

/** Returns the body of a webhook about a meeting; null if the provider has no such event. */
function eventOf(
  api: ServerOptions['api'],
  type: 'meeting.updated' | 'meeting.deleted',
  meeting: MeetingJson,
) {
  const { id, created_at } = meeting;
  if (api === 'standard') return { type, data: { id, created_at } };
  return type === 'meeting.updated' ? { recording_id: recordingId(id), created_at } : null;
}

const WEBHOOK_TIMEOUT_MS = 10_000;

/** Sends a signed webhook (Standard Webhooks) once; returns the HTTP status, or null without a response. */
async function sendProviderWebhook(
  { url, secret }: WebhookTarget,
  event: Record<string, unknown>,
): Promise<number | null> {
  const eventId = `msg_${randomUUID()}`;
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const body = JSON.stringify(event);
  try {
    const { status } = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': eventId,
        'webhook-timestamp': timestamp,
        'webhook-signature': standardSignature({ secret, eventId, timestamp, body }),
      },
      body,
      signal: AbortSignal.timeout(WEBHOOK_TIMEOUT_MS),
    });
    return status;
  } catch {
    return null;
  }
}

/**
 * Starts the demo meeting provider with meetings of the last three months. `DELETE /meetings/:id` deletes a meeting, so
 * that users can try the webhook for it.
 */
export async function startDemoProvider({
  port,
  meetings,
  delayMs,
  perMinute,
  onResponse,
  webhook,
  onWebhook,
  api,
  ...options
}: ServerOptions) {
  const now = () => new Date();
  const list = demoMeetings(meetings, now(), now);
  const account = { meetings: list, acceptsKey: isDemoProviderKey };
  const isFathom = api === 'fathom';
  const respond = isFathom ? createFathomHandler(account) : createProviderHandler({ ...options, ...account });
  const listName = isFathom ? 'items' : options.payload;
  const limit = createRateLimit({ limit: perMinute });

  async function notify(type: 'meeting.updated' | 'meeting.deleted', meeting: MeetingJson): Promise<void> {
    const event = eventOf(api, type, meeting);
    if (webhook && event) onWebhook({ at: now(), status: await sendProviderWebhook(webhook, event) });
  }

  function remove(key: string, id: string): ProviderResponse {
    if (!isDemoProviderKey(key)) return refuse(401, 'API key is not valid');
    const removed = list.remove((own) => id === (isFathom ? String(recordingId(own)) : own));
    if (!removed) return refuse(404, 'there is no such meeting');
    void notify('meeting.deleted', removed);
    return { status: 200, body: { id } };
  }

  function responseTo(request: ProviderRequest): ProviderResponse {
    const key = apiKeyOf(request.headers) ?? '';
    const { refused, resetSeconds } = limit.hit(key, now().getTime());
    const deleted = request.method === 'DELETE' ? /\/meetings\/(\w+)$/.exec(request.url.pathname)?.[1] : null;
    if (!refused) return deleted ? remove(key, deleted) : respond(request);
    return { ...refuse(429, 'too many requests'), headers: { 'retry-after': String(resetSeconds) } };
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', headers } = request;
    // `next` uses the host name of the request, which may differ from 127.0.0.1.
    const url = URL.parse(request.url ?? '/', `http://${headers.host}`) ?? new URL('http://127.0.0.1/');
    const { status, headers: more, body } = responseTo({ method, url, headers });
    if (delayMs > 0) await sleep(delayMs, undefined, { ref: false });
    response.writeHead(status, { 'content-type': 'application/json', ...more }).end(JSON.stringify(body));
    const listed = body[listName];
    onResponse({
      at: now(),
      method,
      path: url.pathname + url.search,
      status,
      meetings: Array.isArray(listed) && url.pathname.endsWith('/meetings') ? listed.length : null,
    });
  }

  const server = createServer((request, response) => {
    // The client may close the connection first.
    handle(request, response).catch(() => response.destroy());
  });
  const { url, stop } = await listenOnLoopback(server, port);
  const newest = list.at(0);
  const untilComplete = list.completeAt.getTime() - now().getTime();
  const timer = setTimeout(() => newest && void notify('meeting.updated', newest), untilComplete);

  return {
    url: isFathom ? url + FATHOM_BASE_PATH : url,
    stop(): void {
      clearTimeout(timer);
      stop();
    },
  };
}
