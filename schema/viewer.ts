import type { Principal } from '../src/features/tenants/tenants.types.ts';
import { KeyScope } from './api-keys.ts';
import { builder } from './builder.ts';
import { Tenant } from './tenants.ts';

const Viewer = builder.objectRef<Principal>('Viewer').implement({
  description: 'The API key of the request.',
  fields: (t) => ({
    scope: t.expose('scope', { type: KeyScope, description: 'Scope of the key.' }),
    tenant: t.expose('tenant', {
      type: Tenant,
      nullable: true,
      description: 'Customer that the key belongs to; null for an admin key.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Expiry time; null if the key does not expire.',
    }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({
    type: Viewer,
    description: 'The scope and the customer of the API key in the request.',
    scope: 'read',
    resolve: (_root, _args, { principal }) => principal,
  }),
);
