import { z } from 'zod';
import type { Tenant as TenantShape } from '../src/features/tenants/tenants.types.ts';
import { builder } from './builder.ts';
import { connectionArgs, connectionCost, connectionRequest, connectionType, toConnection } from './paging.ts';

/** Largest 32-bit integer: what an `Int` can be. */
const INT_MAX = 2 ** 31 - 1;

/** A tenant's number. */
export const customerId = z.int().min(1, 'Must be a positive integer.').max(INT_MAX);
const text = z.string().trim().min(1, 'Must not be empty.').max(500, 'Must be at most 500 characters long.');

export const Tenant = builder.objectRef<TenantShape>('Tenant').implement({
  description: 'One customer of the service; everything stored belongs to exactly one.',
  fields: (t) => ({
    customerId: t.exposeInt('customerId', { description: 'Its number, `data.customerId` of every webhook.' }),
    orgId: t.exposeString('orgId', { description: "Its organisation's id, `data.orgId` of every webhook." }),
    name: t.exposeString('name', { description: 'What it is called.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
  }),
});

const TenantConnection = connectionType('Tenant', Tenant, { rows: 'tenants' });

const createTenantInput = z.object({ customerId, orgId: text, name: text });

const CreateTenantInput = builder.inputType('CreateTenantInput', {
  description: 'A tenant to create.',
  validate: { schema: createTenantInput },
  fields: (t) => ({
    customerId: t.int({ required: true, description: 'A positive number that no other tenant has.' }),
    orgId: t.string({
      required: true,
      description: "Its organisation's id, which no other tenant has; 500 characters at most.",
    }),
    name: t.string({ required: true, description: 'What to call it; 500 characters at most.' }),
  }),
});

builder.queryField('tenants', (t) =>
  t.field({
    type: TenantConnection,
    description: 'All tenants, newest first. Needs an admin key.',
    authScopes: { admin: true },
    args: connectionArgs(),
    complexity: connectionCost,
    resolve: (_root, args, { services }) =>
      toConnection(services.tenants.list(connectionRequest(args)), args),
  }),
);

builder.mutationField('createTenant', (t) =>
  t.field({
    type: Tenant,
    description: 'Creates a tenant. Needs an admin key.',
    authScopes: { admin: true },
    args: { input: t.arg({ type: CreateTenantInput, required: true, description: 'The tenant to create.' }) },
    resolve: (_root, { input }, { services }) => services.tenants.create(input),
  }),
);
