import pino from 'pino';
import { afterAll, beforeAll } from 'vitest';
import type { GraphQLContext } from '../../schema/context.ts';
import type { Scope } from '../../src/features/tenants/scopes.ts';
import { BoundedReads } from '../../src/limits/bounded-reads.ts';
import { KEYS, send as sendTo, startServer } from '../http/support.ts';

export let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** Builds the context of a request by customer 42. */
export async function contextOf(scope: Scope): Promise<GraphQLContext> {
  const tenant = await server.services.tenants.get(42);
  return {
    principal: {
      ...{ keyId: 'k1', keyName: null, keyPrefix: 'eg_r_abcdef', scope, tenant, expiresAt: null },
      ...{ resources: null, networks: null },
    },
    tenant: () => tenant,
    namedTenant: () => tenant,
    services: server.services,
    reads: new BoundedReads(),
    requestId: 'req-1',
    clientAddress: null,
    signal: new AbortController().signal,
    stopping: new AbortController().signal,
    idempotencyKey: null,
    idempotency: null,
    log: pino({ level: 'silent' }),
    expectedRevisions: null,
    revision: null,
    responseHeaders: {},
    subscription: { lastEventId: null, eventId: null },
  };
}

export interface Reply {
  status: number;
  data?: Record<string, unknown> | null;
  errors?: {
    message: string;
    path?: (string | number)[];
    extensions: { code: string; requestId: string; details?: { path: string; message: string }[] };
  }[];
}

/** Sends text as the body of `POST /graphql`, with request ID `req-1`, and reads the JSON of the response. */
export async function sendText(
  raw: string,
  scope: Scope = 'write',
  accept = 'application/json',
): Promise<Reply> {
  const headers = { 'x-request-id': 'req-1', accept };
  const { status, text } = await sendTo(server, 'POST', '/graphql', { key: KEYS[scope], raw, headers });
  return { status, ...JSON.parse(text) };
}

export const send = (body: unknown, scope?: Scope): Promise<Reply> => sendText(JSON.stringify(body), scope);

export const query = (text: string, variables?: Record<string, unknown>, scope?: Scope): Promise<Reply> =>
  send({ query: text, variables }, scope);

/** Returns the code of the first error. */
export const codeOf = (reply: Reply): string | undefined => reply.errors?.[0]?.extensions.code;
