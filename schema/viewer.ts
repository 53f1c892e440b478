import type { Principal } from '../src/features/tenants/tenants.types.ts';
import { KeyScope } from './api-keys.ts';
import { builder } from './builder.ts';
import { Tenant } from './tenants.ts';

const Viewer = builder.objectRef<Principal>('Viewer').implement({
  description: 'Who is calling.',
  fields: (t) => ({
    scope: t.expose('scope', { type: KeyScope, description: 'What the key may do.' }),
    tenant: t.expose('tenant', {
      type: Tenant,
      nullable: true,
      description: 'The tenant that the key belongs to; null for an admin key.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the key stops working; null: never of itself.',
    }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({
    type: Viewer,
    description: 'Who is calling: the scope of the key, and its tenant.',
    authScopes: { read: true },
    resolve: (_root, _args, { principal }) => principal,
  }),
);
