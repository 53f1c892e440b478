import type { Example } from './graphiql-example.ts';

export const ADMINISTRATION: readonly Example[] = [
  {
    scope: 'admin',
    query: `query Administration {
  tenants(first: 10) {
    edges { node { customerId orgId name createdAt suspendedAt } }
  }
  apiKeys(first: 10) {
    edges { node { id name state scope customerId prefix resources networks expiresAt lastUsedAt revokedAt } }
  }
}

query Key($id: ID!) {
  apiKey(id: $id) { name state createdBy { type id name } lastUsedAt lastUsedAddress }
}

mutation CreateTenant($tenant: CreateTenantInput!) {
  createTenant(input: $tenant) { customerId orgId name }
}

# Its requests are refused, and its deliveries wait.
mutation Suspend($customer: Int!) {
  suspendTenant(customerId: $customer) { customerId suspendedAt }
}

mutation Resume($customer: Int!) {
  resumeTenant(customerId: $customer) { customerId suspendedAt }
}

# Everything of the customer. With \`dryRun: true\`, it is only counted.
mutation Delete($customer: Int!, $deletion: DeleteTenantInput!) {
  deleteTenant(customerId: $customer, input: $deletion) { id status counts { collection count } }
}

query Deletion($customer: Int!) {
  tenantDeletion(customerId: $customer) { status counts { collection count } finishedAt }
}

mutation CreateKey($key: CreateApiKeyInput!) {
  createApiKey(input: $key) {
    # Returned only once.
    key
    apiKey { id scope customerId prefix }
  }
}

mutation UpdateKey($id: ID!, $changes: UpdateApiKeyInput!) {
  updateApiKey(id: $id, input: $changes) { id name resources networks }
}

mutation RotateKey($id: ID!) {
  # The previous key stays valid for a day.
  rotateApiKey(id: $id, overlapSeconds: 86400) { key apiKey { id } }
}

mutation RevokeKey($id: ID!) {
  revokeApiKey(id: $id) { id revokedAt }
}`,
    variables: {
      tenant: { customerId: 7, orgId: 'org_7', name: 'Example Ltd' },
      key: { scope: 'write', customerId: 7, name: 'CRM sync', resources: ['webhooks', 'events'] },
      changes: { networks: ['192.0.2.0/24'] },
      id: '000000000000000000000000',
      customer: 7,
      deletion: { orgId: 'org_7', dryRun: true },
    },
  },
];
