import { z } from 'zod';
import { actorOf } from '../src/features/audit/audit-actor.ts';
import { storedNetwork } from '../src/features/tenants/client-networks.ts';
import { ADMIN_RESOURCES, LAST_ADMIN } from '../src/features/tenants/keys.service.ts';
import { SCOPES, type Scope } from '../src/features/tenants/scopes.ts';
import type { ApiKey as ApiKeyShape, KeyFilter } from '../src/features/tenants/tenants.types.ts';
import { text } from '../src/platform/text-validation.ts';
import type { KEY_STATES } from '../src/shared/key-limits.ts';
import {
  KEY_RESOURCES,
  type KeyResource,
  MAX_KEY_NAME,
  MAX_KEY_NETWORKS,
  MAX_KEY_OVERLAP_SECONDS,
} from '../src/shared/key-limits.ts';
import { AuditActor } from './audit/audit-log.ts';
import { builder, GRAPHQL_AND_V1 } from './builder.ts';
import { withArgumentPaths } from './error-paths.ts';
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
} from './paging.ts';
import { type RestFieldOptions, restField } from './rest-route.ts';
import { customerId } from './tenants.ts';

export const KeyScope = builder.enumType('KeyScope', {
  subGraphs: GRAPHQL_AND_V1,
  description: 'Permission of an API key; each scope includes the preceding ones.',
  values: {
    read: { description: 'Read the data of its customer.' },
    write: { description: 'Read and change the data of its customer.' },
    admin: {
      description:
        'Act for any customer, selected by the `X-Customer-Id` header, and manage customers and API keys.',
    },
  } satisfies Record<Scope, object>,
});

/** As strings: an enumeration of them would repeat the values of others, which generated clients do not compile with. */
export const RESOURCE_NAMES = KEY_RESOURCES.map((name) => `\`${name}\``).join(', ');

/** Returns validated names as resources, in their order of declaration; undefined for no value. */
const resourcesOf = <T extends null | undefined>(names: readonly string[] | T): KeyResource[] | T =>
  names ? KEY_RESOURCES.filter((resource) => names.includes(resource)) : names;

const KeyState = builder.enumType('KeyState', {
  subGraphs: GRAPHQL_AND_V1,
  description: 'State of an API key.',
  values: {
    active: { description: 'The key is accepted.' },
    expired: { description: 'The key has expired.' },
    revoked: { description: 'The key was revoked.' },
  } satisfies Record<(typeof KEY_STATES)[number], object>,
});

const ApiKey = builder.objectRef<ApiKeyShape>('ApiKey').implement({
  subGraphs: GRAPHQL_AND_V1,
  description: 'Metadata of an API key.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'ID of the key.' }),
    name: t.exposeString('name', { nullable: true, description: 'Name of the key; null if it has none.' }),
    state: t.expose('state', { type: KeyState, description: 'State of the key.' }),
    scope: t.expose('scope', { type: KeyScope, description: 'Scope of the key.' }),
    customerId: t.exposeInt('customerId', {
      nullable: true,
      description: 'Customer that the key belongs to; null for an admin key.',
    }),
    prefix: t.exposeString('prefix', {
      description: 'First characters of the key, which identify it in lists.',
    }),
    resources: t.stringList({
      nullable: true,
      description: `Resources that the key is limited to, of ${RESOURCE_NAMES}; null if it is not limited.`,
      resolve: ({ resources }) => resources && [...resources],
    }),
    networks: t.stringList({
      nullable: true,
      description: 'Addresses and CIDR ranges of the clients that may use the key; null if all may.',
      resolve: ({ networks }) => networks && [...networks],
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
    createdBy: t.expose('createdBy', {
      type: AuditActor,
      nullable: true,
      description: 'Who created the key; null if that is not recorded.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Expiry time; null if the key does not expire.',
    }),
    expiresSoon: t.exposeBoolean('expiresSoon', {
      description:
        'True if the key is active, was not rotated, and expires within 30 days, unless the operator has another time.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Approximate time of last use; null if the key has not been used.',
    }),
    lastUsedAddress: t.exposeString('lastUsedAddress', {
      nullable: true,
      description: 'Client address of the last use; null if the key has not been used.',
    }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Revocation time; null if the key is not revoked.',
    }),
  }),
});

const ApiKeyConnection = connectionType('ApiKey', ApiKey, { rows: 'API keys' });
const ApiKeyPage = restPageType('ApiKey', ApiKey, { rows: 'API keys' });

const CreatedApiKey = builder.objectRef<{ apiKey: ApiKeyShape; key: string }>('CreatedApiKey').implement({
  subGraphs: GRAPHQL_AND_V1,
  description: 'A new API key.',
  fields: (t) => ({
    apiKey: t.expose('apiKey', { type: ApiKey, description: 'Metadata of the new key.' }),
    key: t.exposeString('key', {
      description: 'The key itself. It is returned only here and cannot be read again.',
    }),
  }),
});

const name = text({ max: MAX_KEY_NAME }).nullish();
const resources = z
  .array(z.enum(KEY_RESOURCES))
  .min(1, 'Must name at least one resource; omit it or pass null for all.')
  .max(KEY_RESOURCES.length, 'Must name each resource once.')
  .refine((names) => new Set(names).size === names.length, 'Must name each resource once.')
  .meta({ uniqueItems: true })
  .nullish();
const network = z
  .string()
  .max(50)
  .refine(
    (entry) => storedNetwork(entry) !== null,
    'Must be an IP address or a CIDR range, such as 192.0.2.0/24 or 2001:db8::/32, not of all addresses.',
  );
const networks = z
  .array(network)
  .min(1, 'Must have at least one address or range; omit it or pass null for all clients.')
  .max(MAX_KEY_NETWORKS)
  .nullish();

const createApiKeyInput = z
  .object({
    scope: z.enum(SCOPES),
    customerId: customerId.nullish(),
    expiresAt: z.date().nullish(),
    ...{ name, resources, networks },
  })
  .refine((key) => (key.scope === 'admin') === (key.customerId == null), {
    path: ['customerId'],
    message: 'Required for the scopes read and write; must be absent for the scope admin.',
  })
  .refine(({ scope, resources }) => scope !== 'admin' || resources == null, {
    path: ['resources'],
    message: ADMIN_RESOURCES,
  });

const CreateApiKeyInput = builder.inputType('CreateApiKeyInput', {
  subGraphs: GRAPHQL_AND_V1,
  description: 'Properties of a new API key.',
  validate: { schema: createApiKeyInput },
  fields: (t) => ({
    scope: t.field({ type: KeyScope, required: true, description: 'Scope of the key.' }),
    customerId: t.int({ description: 'Customer that the key belongs to; absent or null for an admin key.' }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'Expiry time; null if the key does not expire, absent for the default of the service.',
    }),
    name: t.string({ description: 'Name of the key, at most 100 characters.' }),
    resources: t.stringList({
      description: `Resources that the key is limited to, of ${RESOURCE_NAMES}; absent or null for no limit.`,
    }),
    networks: t.stringList({
      description: 'Addresses and CIDR ranges of the clients that may use the key; absent or null for all.',
    }),
  }),
});

const UpdateApiKeyInput = builder.inputType('UpdateApiKeyInput', {
  subGraphs: GRAPHQL_AND_V1,
  description: 'Changes of an API key; absent properties stay as they are.',
  validate: { schema: z.object({ expiresAt: z.date().nullish(), name, resources, networks }) },
  fields: (t) => ({
    name: t.string({ description: 'Name of the key; null removes it.' }),
    resources: t.stringList({
      description: `Resources that the key is limited to, of ${RESOURCE_NAMES}; null for no limit.`,
    }),
    networks: t.stringList({
      description: 'Addresses and CIDR ranges of the clients that may use the key; null for all.',
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'Expiry time; null if the key does not expire.',
    }),
  }),
});

const filterArgs = () =>
  builder.args((t) => ({
    customerId: t.int({ description: 'Only keys of this customer.', validate: { schema: customerId } }),
    scope: t.field({ type: KeyScope, description: 'Only keys of this scope.' }),
    state: t.field({ type: KeyState, description: 'Only keys in this state.' }),
    text: t.string({
      description: 'Only keys whose name or first characters contain this text, in upper or lower case.',
      validate: { schema: text({ max: 100 }) },
    }),
  }));

type KeyFilterArgs = { [Name in keyof KeyFilter]?: KeyFilter[Name] | undefined };

const filterOf = ({ customerId, scope, state, text }: KeyFilterArgs) => ({
  customerId: customerId ?? null,
  scope: scope ?? null,
  state: state ?? null,
  text: text ?? null,
});

const KEY_EXAMPLE = {
  id: '665f1c2ab8e4d3a1f0c9b700',
  name: 'CRM sync',
  state: 'active',
  scope: 'write',
  customerId: 42,
  prefix: 'eg_w_3fK9aQ',
  resources: ['webhooks', 'events'],
  networks: ['192.0.2.0/24'],
  createdAt: '2026-01-31T09:30:00.000Z',
  createdBy: { type: 'key', id: '665f1c01b8e4d3a1f0c9b6f0', name: 'On-call', prefix: 'eg_a_7hT2xY' },
  expiresAt: '2027-01-31T09:30:00.000Z',
  expiresSoon: false,
  lastUsedAt: '2026-02-01T08:00:00.000Z',
  lastUsedAddress: '192.0.2.7',
  revokedAt: null,
};
const CREATED_EXAMPLE = {
  apiKey: { ...KEY_EXAMPLE, lastUsedAt: null, lastUsedAddress: null },
  key: 'eg_w_3fK9aQ0123456789abcdefghijklmnopqrstuvwxyzABCDEF',
};

const NO_CUSTOMER = { customerId: null, resources: null };

/** Declares a route below the collection of API keys; `path` is relative to it. */
const keyRoute = (
  route: Pick<RestFieldOptions, 'method' | 'path' | 'summary' | 'example'> & Partial<RestFieldOptions>,
) =>
  restField({
    mount: 'v1',
    scope: 'admin',
    resource: 'account',
    tag: 'API keys',
    ...route,
    path: `/api-keys${route.path}`,
  });

const REVOKED = 'The key is revoked.';
const UNLESS_OTHER_ADMIN =
  'unless another admin key that was not rotated stays valid for at least 24 hours, or until this key would have expired';
/** Fields of `input` that the service checks. */
const INPUT_PATHS = { expiresAt: 'input.expiresAt', resources: 'input.resources' };
const createdId = (response: unknown) => (response as { apiKey: ApiKeyShape }).apiKey.id;

builder.queryFields((t) => ({
  apiKeys: t.field({
    type: ApiKeyConnection,
    description: 'API keys of all customers and admins, newest first. Requires an admin key.',
    scope: 'admin',
    resource: 'account',
    args: { ...connectionArgs(), ...filterArgs() },
    complexity: connectionCost,
    resolve: (_root, args, { services }) =>
      toConnection(services.keys.list(connectionRequest(args), filterOf(args)), args),
  }),
  apiKey: t.field({
    ...keyRoute({
      graphql: true,
      method: 'GET',
      path: '/:keyId',
      params: { keyId: 'id' },
      summary: 'Get an API key',
      example: { response: KEY_EXAMPLE },
    }),
    type: ApiKey,
    description: 'An API key by its ID. `NOT_FOUND` if there is none. Requires an admin key.',
    args: { id: t.arg.id({ required: true, description: 'ID of the key.' }) },
    resolve: (_root, { id }, { services }) => services.keys.get(id),
  }),
  listApiKeys: t.field({
    ...keyRoute({
      method: 'GET',
      path: '',
      summary: 'List API keys',
      example: {
        query: { state: 'active' },
        response: { data: [KEY_EXAMPLE], nextCursor: null, hasMore: false },
      },
    }),
    type: ApiKeyPage,
    description: 'API keys of all customers and admins, newest first.',
    args: { ...restPageArgs(), ...filterArgs() },
    resolve: async (_root, args, { services }) =>
      toRestPage(await services.keys.list(restPageRequest(args), filterOf(args))),
  }),
}));

builder.mutationFields((t) => ({
  createApiKey: t.field({
    ...keyRoute({
      graphql: true,
      method: 'POST',
      path: '',
      responseStatus: 201,
      createdId,
      body: 'input',
      summary: 'Create an API key',
      example: {
        body: { scope: 'admin', name: 'On-call', networks: ['192.0.2.0/24'] },
        response: {
          ...CREATED_EXAMPLE,
          apiKey: { ...CREATED_EXAMPLE.apiKey, name: 'On-call', scope: 'admin', ...NO_CUSTOMER },
        },
      },
    }),
    type: CreatedApiKey,
    description: 'Creates an API key. Requires an admin key.',
    args: {
      input: t.arg({ type: CreateApiKeyInput, required: true, description: 'Properties of the key.' }),
    },
    resolve: (_root, { input }, { services, principal }) =>
      withArgumentPaths(
        services.keys.create({
          ...input,
          resources: resourcesOf(input.resources),
          customerId: input.customerId ?? null,
          createdBy: actorOf(principal),
        }),
        INPUT_PATHS,
      ),
  }),
  updateApiKey: t.field({
    ...keyRoute({
      graphql: true,
      method: 'PATCH',
      path: '/:keyId',
      params: { keyId: 'id' },
      body: 'input',
      summary: 'Change an API key',
      errors: { CONFLICT: `${REVOKED} Or: ${LAST_ADMIN}` },
      example: { body: { networks: ['192.0.2.0/24'] }, response: KEY_EXAMPLE },
    }),
    type: ApiKey,
    description: `Changes an API key. If it permits less than before, its console sessions and subscriptions end. \`CONFLICT\` if it is revoked, or if an admin key would expire earlier than before and within 24 hours, ${UNLESS_OTHER_ADMIN}. Requires an admin key.`,
    args: {
      id: t.arg.id({ required: true, description: 'ID of the key.' }),
      input: t.arg({ type: UpdateApiKeyInput, required: true, description: 'Changes of the key.' }),
    },
    resolve: (_root, { id, input }, { services }) =>
      withArgumentPaths(
        services.keys.update(id, { ...input, resources: resourcesOf(input.resources) }),
        INPUT_PATHS,
      ),
  }),
  rotateApiKey: t.field({
    ...keyRoute({
      graphql: true,
      method: 'POST',
      path: '/:keyId/rotate',
      params: { keyId: 'id' },
      summary: 'Rotate an API key',
      errors: {
        CONFLICT: 'The key is revoked, has expired or was rotated, or another change of it is in progress.',
      },
      example: { body: { overlapSeconds: 86_400 }, response: CREATED_EXAMPLE },
    }),
    type: CreatedApiKey,
    description:
      'Creates a key with the same properties, an ID of its own and, if the key expires, as long a validity. The previous key stays valid for the overlap; without one it is revoked. `CONFLICT` if it is not active or was rotated. Requires an admin key.',
    args: {
      id: t.arg.id({ required: true, description: 'ID of the key.' }),
      overlapSeconds: t.arg.int({
        defaultValue: 0,
        description:
          'Seconds for which the previous key stays valid, at most 30 days, unless it expires before.',
        validate: { schema: z.int().min(0).max(MAX_KEY_OVERLAP_SECONDS) },
      }),
    },
    resolve: (_root, { id, overlapSeconds }, { services, principal }) =>
      services.keys.rotate(id, { overlapSeconds: overlapSeconds ?? 0, createdBy: actorOf(principal) }),
  }),
  revokeApiKey: t.field({
    ...keyRoute({
      graphql: true,
      method: 'DELETE',
      path: '/:keyId',
      params: { keyId: 'id' },
      summary: 'Revoke an API key',
      errors: { CONFLICT: LAST_ADMIN },
      example: { response: { ...KEY_EXAMPLE, state: 'revoked', revokedAt: '2026-02-01T09:30:00.000Z' } },
    }),
    type: ApiKey,
    description: `Revokes an API key; all later requests with it fail. \`CONFLICT\` for an admin key, ${UNLESS_OTHER_ADMIN}. Requires an admin key.`,
    args: { id: t.arg.id({ required: true, description: 'ID of the key.' }) },
    resolve: (_root, { id }, { services }) => services.keys.revoke(id),
  }),
}));
