import { z } from 'zod';
import { AppError } from '../../src/errors/app-error.ts';
import type {
  ACTOR_TYPES,
  AUDIT_OUTCOMES,
  AuditActor as AuditActorShape,
  AuditEntry as AuditEntryShape,
  AuditTarget,
} from '../../src/features/audit/audit.types.ts';
import type { Tenant } from '../../src/features/tenants/tenants.types.ts';
import { builder, GRAPHQL_AND_V1 } from '../builder.ts';
import type { GraphQLContext } from '../context.ts';
import {
  connectionArgs,
  connectionCost,
  connectionRequest,
  connectionType,
  restPageArgs,
  restPageRequest,
  restPageType,
  toConnection,
  toRestPage,
} from '../paging.ts';
import { type RestFieldOptions, restField } from '../rest-route.ts';

const subGraphs = GRAPHQL_AND_V1.slice();

const ActorType = builder.enumType('AuditActorType', {
  subGraphs,
  description: 'Type of the actor of an act.',
  values: {
    key: { description: 'An API key.' },
    session: { description: 'A console session of an API key.' },
    cli: { description: 'An operator at the command line.' },
    job: { description: 'A recurring job of the service.' },
    anonymous: { description: 'A caller without a valid API key.' },
  } satisfies Record<(typeof ACTOR_TYPES)[number], object>,
});

const Outcome = builder.enumType('AuditOutcome', {
  subGraphs,
  description: 'How an act ended.',
  values: {
    done: { description: 'The act is done.' },
    unknown: {
      description:
        'The process ended, or the database failed, before the outcome was recorded: the act may be done or not. Or it failed after a part was done, which `after` names.',
    },
    refused: {
      description: 'Requests were refused: no valid API key, or not the required scope, resource or network.',
    },
  } satisfies Record<(typeof AUDIT_OUTCOMES)[number], object>,
});

export const AuditActor = builder.objectRef<AuditActorShape>('AuditActor').implement({
  subGraphs,
  description: 'Actor of an act.',
  fields: (t) => ({
    type: t.expose('type', { type: ActorType, description: 'Type of the actor.' }),
    id: t.exposeString('id', {
      nullable: true,
      description:
        "Id of the API key, name of the operator's account, or name of the job; null for an anonymous caller.",
    }),
    name: t.exposeString('name', {
      nullable: true,
      description:
        'Name of the API key at the time of the act; null if it had none, without a key, and in entries of versions that did not record it.',
    }),
    prefix: t.exposeString('prefix', {
      nullable: true,
      description: 'First characters of the API key, as in lists of keys; null without a key.',
    }),
  }),
});

const Target = builder.objectRef<AuditTarget>('AuditTarget').implement({
  subGraphs,
  description: 'What an act changes.',
  fields: (t) => ({
    type: t.exposeString('type', { description: 'Type, such as `webhookEndpoint`.' }),
    id: t.exposeString('id', {
      nullable: true,
      description: 'Identifier; null if the act concerns all of its type.',
    }),
  }),
});

const AuditEntry = builder.objectRef<AuditEntryShape>('AuditEntry').implement({
  subGraphs,
  description:
    'An entry of the audit log. Entries are only appended, each chained to the one before by its hash.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier of the entry.' }),
    sequence: t.exposeInt('sequence', {
      description: 'Position in its log, without gaps, from 1 until retention has removed the beginning.',
    }),
    at: t.expose('at', { type: 'DateTime', description: 'Time at which the act began.' }),
    action: t.exposeString('action', {
      description: 'Name of the operation, such as `updateWebhookEndpoint`.',
    }),
    actor: t.expose('actor', { type: AuditActor, description: 'Actor of the act.' }),
    clientAddress: t.exposeString('clientAddress', {
      nullable: true,
      description: 'Address of the client; null for an act without a request.',
    }),
    requestId: t.exposeString('requestId', {
      nullable: true,
      description: '`X-Request-Id` of the request; null for an act without one, and for refusals.',
    }),
    target: t.expose('target', { type: Target, description: 'What the act changes.' }),
    outcome: t.expose('outcome', { type: Outcome, description: 'How the act ended.' }),
    count: t.exposeInt('count', {
      description: 'Number of acts that the entry stands for: refusals of one caller are counted per minute.',
    }),
    before: t.expose('before', {
      type: 'JSON',
      nullable: true,
      description: 'Members that the act changed, before it, without secrets; null if nothing was there.',
    }),
    after: t.expose('after', {
      type: 'JSON',
      nullable: true,
      description: 'The same members after the act, or the parameters of the act; null if nothing is left.',
    }),
    hash: t.exposeString('hash', {
      description: 'HMAC-SHA256 over the entry and the hash of the one before, in hexadecimal.',
    }),
  }),
});

const AuditConnection = connectionType('AuditEntry', AuditEntry, { rows: 'audit entries' });
const AuditPage = restPageType('AuditEntry', AuditEntry, { rows: 'audit entries' });

const operationName = z
  .string()
  .regex(/^[A-Za-z]{1,100}$/, 'Must be the name of an operation, such as updateWebhookEndpoint.');
const actorId = z
  .string()
  .regex(/^[\w.@+-]{1,200}$/, 'Must be the id of an API key, or the name of an account or a job.');

const filterArgs = () =>
  builder.args((t) => ({
    action: t.string({
      description: 'Only entries of this operation, such as `updateWebhookEndpoint`.',
      validate: { schema: operationName },
    }),
    actor: t.string({
      description: "Only entries of this actor: id of an API key, name of an operator's account or of a job.",
      validate: { schema: actorId },
    }),
  }));

const filterOf = ({ action, actor }: { action?: string | null; actor?: string | null }) => ({
  action: action ?? null,
  actor: actor ?? null,
});

/** Returns the customer whose log a request reads; null for the log of the service, if an admin key names no customer. */
const logOf = ({ namedTenant }: GraphQLContext): Tenant['customerId'] | null =>
  namedTenant()?.customerId ?? null;

async function entryOf(context: GraphQLContext, id: string): Promise<AuditEntryShape> {
  const entry = await context.services.audit.find(logOf(context), id);
  if (!entry) throw new AppError('NOT_FOUND', `Audit entry ${id} does not exist.`);
  return entry;
}

const ENTRY_EXAMPLE = {
  id: '665f1d52b8e4d3a1f0c9b8a1',
  sequence: 12,
  at: '2026-01-31T09:30:00.000Z',
  action: 'updateWebhookEndpoint',
  actor: { type: 'key', id: '665f1d40b8e4d3a1f0c9b810', name: 'CRM', prefix: 'eg_w_3fK9aQ' },
  clientAddress: '203.0.113.7',
  requestId: '72091e99-4f92-4408-88d8-b2fb107aa234',
  target: { type: 'webhookEndpoint', id: '7' },
  outcome: 'done',
  count: 1,
  before: { paused: false },
  after: { paused: true },
  hash: '9f2c6f0d1b8f4e6f3a5d7c9b1e2f4a6c8d0e1f2a3b4c5d6e7f8091a2b3c4d5e6',
};

const auditRoute = (route: Pick<RestFieldOptions, 'path' | 'summary' | 'example'>) =>
  restField({
    mount: 'v1',
    method: 'GET',
    scope: 'read',
    resource: 'account',
    tag: 'Audit log',
    ...route,
    path: `/customers/:customerId/audit-log${route.path}`,
  });

builder.queryFields((t) => ({
  auditLog: t.field({
    type: AuditConnection,
    description:
      'The audit log of the customer, newest first. An admin key without `X-Customer-Id` reads the log of the service: acts that concern no customer.',
    scope: 'read',
    resource: 'account',
    args: { ...connectionArgs(), ...filterArgs() },
    complexity: connectionCost,
    resolve: (_root, args, context) =>
      toConnection(
        context.services.audit.list(logOf(context), { ...connectionRequest(args), ...filterOf(args) }),
        args,
      ),
  }),
  auditEntry: t.field({
    type: AuditEntry,
    nullable: true,
    description: 'An entry of the audit log by its id; null if the log has none with that id.',
    scope: 'read',
    resource: 'account',
    args: { id: t.arg.id({ required: true, description: 'Identifier of the entry.' }) },
    resolve: (_root, { id }, context) => context.services.audit.find(logOf(context), id),
  }),
  listAuditEntries: t.field({
    ...auditRoute({
      path: '',
      summary: 'List audit entries',
      example: { response: { data: [ENTRY_EXAMPLE], nextCursor: null, hasMore: false } },
    }),
    type: AuditPage,
    description: 'The audit log of the customer, newest first.',
    args: { ...restPageArgs(), ...filterArgs() },
    resolve: async (_root, args, { services, tenant }) =>
      toRestPage(
        await services.audit.list(tenant().customerId, { ...restPageRequest(args), ...filterOf(args) }),
      ),
  }),
  getAuditEntry: t.field({
    ...auditRoute({ path: '/:id', summary: 'Get an audit entry', example: { response: ENTRY_EXAMPLE } }),
    type: AuditEntry,
    description: 'An entry of the audit log of the customer.',
    args: { id: t.arg.id({ required: true, description: 'Identifier of the entry.' }) },
    resolve: (_root, { id }, context) => entryOf(context, id),
  }),
}));
