import type { Example } from './graphiql-example.ts';

export const ADMINISTRATION: readonly Example[] = [
  {
    scope: 'admin',
    query: `query Administration {
  tenants(first: 10) {
    edges { node { customerId orgId name createdAt } }
  }
  apiKeys(first: 10) {
    edges { node { id scope customerId prefix expiresAt lastUsedAt revokedAt } }
  }
}

mutation CreateTenant($tenant: CreateTenantInput!) {
  createTenant(input: $tenant) { customerId orgId name }
}

mutation CreateKey($key: CreateApiKeyInput!) {
  createApiKey(input: $key) {
    # Returned only once.
    key
    apiKey { id scope customerId prefix }
  }
}

mutation RevokeKey($id: ID!) {
  revokeApiKey(id: $id) { id revokedAt }
}`,
    variables: {
      tenant: { customerId: 7, orgId: 'org_7', name: 'Example Ltd' },
      key: { scope: 'write', customerId: 7 },
      id: '000000000000000000000000',
    },
  },
];
