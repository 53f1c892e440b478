import type { Principal } from '../src/features/tenants/tenants.types.ts';
import { KeyScope, RESOURCE_NAMES } from './api-keys.ts';
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
    resources: t.stringList({
      nullable: true,
      description: `Resources that the key is limited to, of ${RESOURCE_NAMES}; null if it is not limited.`,
      resolve: ({ resources }) => resources && [...resources],
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
    resource: 'any',
    resolve: (_root, _args, { principal }) => principal,
  }),
);
