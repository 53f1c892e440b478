import { PassThrough } from 'node:stream';
import pino from 'pino';
import type { GraphQLContext } from '../../../schema/context.ts';
import { buildSchemas } from '../../../schema/index.ts';
import type { Services } from '../../../src/features/services.ts';
import type { Scope } from '../../../src/features/tenants/scopes.ts';
import type { Tenant } from '../../../src/features/tenants/tenants.types.ts';
import { createGraphQL } from '../../../src/http/graphql/graphql-endpoint.ts';
import { BoundedReads } from '../../../src/limits/bounded-reads.ts';
import { createTenantTurns } from '../../../src/limits/tenant-turns.ts';

export const schema = buildSchemas().graphql;
export const endpoint = createGraphQL({ schema, turns: createTenantTurns() });

export const TENANT: Tenant = {
  customerId: 42,
  orgId: 'org_42',
  name: 'Example Ltd',
  createdAt: new Date('2026-01-31T09:30:00Z'),
};

/** Mutations of these tests run while the database accepts writes. */
export const guardWrite: Services['guardWrite'] = (work) => work();

/** The only service that checks of an input consult. */
const endpoints = { inputIssues: () => [] };

/** Refused scopes are counted in the audit log. */
const audit = { countRefusal: () => {} };

/** Fails the test on access: the tested checks run before any other service is called. */
const unreachable = new Proxy({ guardWrite, endpoints, audit } as unknown as Services, {
  get: (services, name) => {
    if (name in services) return services[name as keyof Services];
    throw new Error(`The service ${String(name)} was reached.`);
  },
});

/** A caller's context, and the lines that its log got. */
export function caller(scope: Scope = 'write', services: Services = unreachable) {
  const lines = new PassThrough();
  const context: GraphQLContext = {
    principal: {
      keyId: 'k1',
      keyName: null,
      keyPrefix: 'eg_r_abcdef',
      resources: null,
      networks: null,
      scope,
      tenant: scope === 'admin' ? null : TENANT,
      expiresAt: null,
    },
    tenant: () => TENANT,
    namedTenant: () => TENANT,
    services,
    reads: new BoundedReads(),
    requestId: 'req-1',
    clientAddress: null,
    signal: new AbortController().signal,
    stopping: new AbortController().signal,
    log: pino({}, lines),
    idempotencyKey: null,
    idempotency: null,
    expectedRevisions: null,
    revision: null,
    responseHeaders: {},
    subscription: { lastEventId: null, eventId: null },
  };
  return { context, logged: () => String(lines.read() ?? '') };
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

/** Sends a body as it is, and reads the JSON of the answer. */
export async function send(body: unknown, scope?: Scope): Promise<Reply> {
  const answer = await endpoint.handle({ body, accept: 'application/json' }, caller(scope).context);
  if (typeof answer.body !== 'string') throw new Error('A stream came where JSON was expected.');
  return { status: answer.status, ...JSON.parse(answer.body) };
}

export const query = (text: string, variables?: Record<string, unknown>, scope?: Scope): Promise<Reply> =>
  send({ query: text, variables }, scope);

/** The code of the first error. */
export const codeOf = (reply: Reply): string | undefined => reply.errors?.[0]?.extensions.code;
