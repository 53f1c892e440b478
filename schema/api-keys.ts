import { z } from 'zod';
import { SCOPES, type Scope } from '../src/features/tenants/scopes.ts';
import type { ApiKey as ApiKeyShape } from '../src/features/tenants/tenants.types.ts';
import { builder } from './builder.ts';
import { connectionArgs, connectionCost, connectionRequest, connectionType, toConnection } from './paging.ts';
import { customerId } from './tenants.ts';

export const KeyScope = builder.enumType('KeyScope', {
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

const ApiKey = builder.objectRef<ApiKeyShape>('ApiKey').implement({
  description: 'Metadata of an API key.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier of the key.' }),
    scope: t.expose('scope', { type: KeyScope, description: 'Scope of the key.' }),
    customerId: t.exposeInt('customerId', {
      nullable: true,
      description: 'Customer that the key belongs to; null for an admin key.',
    }),
    prefix: t.exposeString('prefix', {
      description: 'First characters of the key, which identify it in lists.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Expiry time; null if the key does not expire.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Approximate time of last use; null if the key has not been used.',
    }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Revocation time; null if the key is not revoked.',
    }),
  }),
});

const ApiKeyConnection = connectionType('ApiKey', ApiKey, { rows: 'API keys' });

const CreatedApiKey = builder.objectRef<{ apiKey: ApiKeyShape; key: string }>('CreatedApiKey').implement({
  description: 'A new API key.',
  fields: (t) => ({
    apiKey: t.expose('apiKey', { type: ApiKey, description: 'Metadata of the new key.' }),
    key: t.exposeString('key', {
      description: 'The key itself. It is returned only here and cannot be read again.',
    }),
  }),
});

const createApiKeyInput = z
  .object({ scope: z.enum(SCOPES), customerId: customerId.nullish(), expiresAt: z.date().nullish() })
  .refine((key) => (key.scope === 'admin') === (key.customerId == null), {
    path: ['customerId'],
    message: 'Required for the scopes read and write; must be absent for the scope admin.',
  });

const CreateApiKeyInput = builder.inputType('CreateApiKeyInput', {
  description: 'Properties of a new API key.',
  validate: { schema: createApiKeyInput },
  fields: (t) => ({
    scope: t.field({ type: KeyScope, required: true, description: 'Scope of the key.' }),
    customerId: t.int({ description: 'Customer that the key belongs to; absent or null for an admin key.' }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'Expiry time; absent or null if the key does not expire.',
    }),
  }),
});

builder.queryField('apiKeys', (t) =>
  t.field({
    type: ApiKeyConnection,
    description: 'All API keys, newest first. Requires an admin key.',
    scope: 'admin',
    args: connectionArgs(),
    complexity: connectionCost,
    resolve: (_root, args, { services }) => toConnection(services.keys.list(connectionRequest(args)), args),
  }),
);

builder.mutationFields((t) => ({
  createApiKey: t.field({
    type: CreatedApiKey,
    description: 'Creates an API key. Requires an admin key.',
    scope: 'admin',
    args: {
      input: t.arg({ type: CreateApiKeyInput, required: true, description: 'Properties of the key.' }),
    },
    resolve: (_root, { input }, { services }) =>
      services.keys.create({
        scope: input.scope,
        customerId: input.customerId ?? null,
        expiresAt: input.expiresAt ?? null,
      }),
  }),
  revokeApiKey: t.field({
    type: ApiKey,
    description: 'Revokes an API key; all later requests with it fail. Requires an admin key.',
    scope: 'admin',
    args: { id: t.arg.id({ required: true, description: 'Identifier of the key.' }) },
    resolve: (_root, { id }, { services }) => services.keys.revoke(id),
  }),
}));
