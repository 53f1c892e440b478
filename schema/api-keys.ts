import { z } from 'zod';
import { type ApiKey as ApiKeyShape, SCOPES } from '../src/features/tenants/tenants.types.ts';
import { builder } from './builder.ts';
import { connectionArgs, connectionCost, connectionRequest, connectionType, toConnection } from './paging.ts';
import { customerId } from './tenants.ts';

export const KeyScope = builder.enumType('KeyScope', {
  description: 'What an API key may do; each scope includes the ones before it.',
  values: {
    read: { description: 'Read what its tenant has.' },
    write: { description: 'Change it, too.' },
    admin: { description: 'Act for any tenant, named by `X-Customer-Id`, and manage tenants and keys.' },
  } satisfies Record<(typeof SCOPES)[number], object>,
});

const ApiKey = builder.objectRef<ApiKeyShape>('ApiKey').implement({
  description: 'An API key as it may be shown: everything but the key.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its identifier.' }),
    scope: t.expose('scope', { type: KeyScope, description: 'What it may do.' }),
    customerId: t.exposeInt('customerId', {
      nullable: true,
      description: 'The tenant that it belongs to; null for an admin key.',
    }),
    prefix: t.exposeString('prefix', { description: 'Its first characters, to recognise it by.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it stops working; null: never of itself.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'About when it was last used; null: never.',
    }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was revoked; null while it is not.',
    }),
  }),
});

const ApiKeyConnection = connectionType('ApiKey', ApiKey, { rows: 'API keys' });

const CreatedApiKey = builder.objectRef<{ apiKey: ApiKeyShape; key: string }>('CreatedApiKey').implement({
  description: 'An API key just created.',
  fields: (t) => ({
    apiKey: t.expose('apiKey', { type: ApiKey, description: 'What is known of it from now on.' }),
    key: t.exposeString('key', { description: 'The key. Shown once: it cannot be read again.' }),
  }),
});

const createApiKeyInput = z
  .object({ scope: z.enum(SCOPES), customerId: customerId.nullish(), expiresAt: z.date().nullish() })
  .refine((key) => (key.scope === 'admin') === (key.customerId == null), {
    path: ['customerId'],
    message: 'Must name a tenant for a key of scope read or write, and none for one of scope admin.',
  });

const CreateApiKeyInput = builder.inputType('CreateApiKeyInput', {
  description: 'An API key to create.',
  validate: { schema: createApiKeyInput },
  fields: (t) => ({
    scope: t.field({ type: KeyScope, required: true, description: 'What it may do.' }),
    customerId: t.int({ description: 'The tenant that it belongs to; none for an admin key.' }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When it stops working; null or nothing: never of itself.',
    }),
  }),
});

builder.queryField('apiKeys', (t) =>
  t.field({
    type: ApiKeyConnection,
    description: 'All API keys, newest first. Needs an admin key.',
    authScopes: { admin: true },
    args: connectionArgs(),
    complexity: connectionCost,
    resolve: (_root, args, { services }) => toConnection(services.keys.list(connectionRequest(args)), args),
  }),
);

builder.mutationFields((t) => ({
  createApiKey: t.field({
    type: CreatedApiKey,
    description: 'Creates an API key. Needs an admin key.',
    authScopes: { admin: true },
    args: { input: t.arg({ type: CreateApiKeyInput, required: true, description: 'The key to create.' }) },
    resolve: (_root, { input }, { services }) =>
      services.keys.create({
        scope: input.scope,
        customerId: input.customerId ?? null,
        expiresAt: input.expiresAt ?? null,
      }),
  }),
  revokeApiKey: t.field({
    type: ApiKey,
    description: 'Revokes an API key: nothing that begins from now on may use it. Needs an admin key.',
    authScopes: { admin: true },
    args: { id: t.arg.id({ required: true, description: 'The key to revoke.' }) },
    resolve: (_root, { id }, { services }) => services.keys.revoke(id),
  }),
}));
