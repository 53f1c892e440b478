/* eslint-disable */
import * as types from './graphql.ts';



/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "\n  query Viewer {\n    viewer {\n      scope\n      expiresAt\n      tenant {\n        customerId\n        orgId\n      }\n    }\n  }\n": typeof types.ViewerDocument,
    "\n  mutation CreateEndpoint($input: CreateWebhookEndpointInput!) {\n    createWebhookEndpoint(input: $input) {\n      secret\n      endpoint {\n        id\n        customerId\n        url\n        description\n        events\n        enabled\n        disabledReason\n        createdAt\n      }\n    }\n  }\n": typeof types.CreateEndpointDocument,
    "\n  mutation UpdateEndpoint($id: Int!, $input: UpdateWebhookEndpointInput!) {\n    updateWebhookEndpoint(id: $id, input: $input) {\n      description\n      events\n      enabled\n      disabledReason\n    }\n  }\n": typeof types.UpdateEndpointDocument,
    "\n  mutation DeleteEndpoint($id: Int!) {\n    deleteWebhookEndpoint(id: $id) {\n      id\n      deleted\n    }\n  }\n": typeof types.DeleteEndpointDocument,
    "\n  mutation RotateSecret($id: Int!) {\n    rotateWebhookSecret(id: $id) {\n      id\n      secret\n    }\n  }\n": typeof types.RotateSecretDocument,
    "\n  query Endpoints($first: Int, $after: String) {\n    webhookEndpoints(first: $first, after: $after) {\n      edges {\n        cursor\n        node {\n          id\n        }\n      }\n      pageInfo {\n        hasNextPage\n        hasPreviousPage\n        startCursor\n        endCursor\n      }\n    }\n  }\n": typeof types.EndpointsDocument,
    "\n  query Endpoint($id: Int!) {\n    webhookEndpoint(id: $id) {\n      id\n      deliveries(first: 5) {\n        edges {\n          node {\n            id\n            event\n            payload\n            attempts {\n              number\n              manual\n            }\n          }\n        }\n      }\n    }\n  }\n": typeof types.EndpointDocument,
    "\n  query Deliveries($endpointId: Int, $status: WebhookDeliveryStatus, $event: String, $after: String) {\n    webhookDeliveries(endpointId: $endpointId, status: $status, event: $event, after: $after) {\n      edges {\n        node {\n          id\n          endpointId\n          status\n          event\n        }\n      }\n    }\n  }\n": typeof types.DeliveriesDocument,
    "\n  mutation RecordEvent($input: RecordEventInput!) {\n    recordEvent(input: $input) {\n      id\n      type\n      goal\n      visitorId\n      conversationId\n      value\n      occurredAt\n    }\n  }\n": typeof types.RecordEventDocument,
    "\n  query Overview($since: DateTime!) {\n    health {\n      status\n      database {\n        status\n      }\n    }\n    activity(since: $since) {\n      events {\n        event\n        count\n      }\n    }\n    eventTypes {\n      name\n    }\n  }\n": typeof types.OverviewDocument,
    "\n  mutation CreateTenant($input: CreateTenantInput!) {\n    createTenant(input: $input) {\n      customerId\n      orgId\n      name\n    }\n  }\n": typeof types.CreateTenantDocument,
    "\n  mutation CreateApiKey($input: CreateApiKeyInput!) {\n    createApiKey(input: $input) {\n      key\n      apiKey {\n        id\n        scope\n        customerId\n        prefix\n        revokedAt\n      }\n    }\n  }\n": typeof types.CreateApiKeyDocument,
    "\n  mutation RevokeApiKey($id: ID!) {\n    revokeApiKey(id: $id) {\n      revokedAt\n    }\n  }\n": typeof types.RevokeApiKeyDocument,
    "\n  query Administration {\n    tenants(first: 100) {\n      edges {\n        node {\n          customerId\n        }\n      }\n    }\n    apiKeys(first: 1) {\n      edges {\n        node {\n          id\n        }\n      }\n      pageInfo {\n        hasNextPage\n      }\n    }\n  }\n": typeof types.AdministrationDocument,
    "\n  subscription DeliveryUpdated($endpointId: Int) {\n    webhookDeliveryUpdated(endpointId: $endpointId) {\n      endpointId\n      event\n      status\n    }\n  }\n": typeof types.DeliveryUpdatedDocument,
};
const documents: Documents = {
    "\n  query Viewer {\n    viewer {\n      scope\n      expiresAt\n      tenant {\n        customerId\n        orgId\n      }\n    }\n  }\n": types.ViewerDocument,
    "\n  mutation CreateEndpoint($input: CreateWebhookEndpointInput!) {\n    createWebhookEndpoint(input: $input) {\n      secret\n      endpoint {\n        id\n        customerId\n        url\n        description\n        events\n        enabled\n        disabledReason\n        createdAt\n      }\n    }\n  }\n": types.CreateEndpointDocument,
    "\n  mutation UpdateEndpoint($id: Int!, $input: UpdateWebhookEndpointInput!) {\n    updateWebhookEndpoint(id: $id, input: $input) {\n      description\n      events\n      enabled\n      disabledReason\n    }\n  }\n": types.UpdateEndpointDocument,
    "\n  mutation DeleteEndpoint($id: Int!) {\n    deleteWebhookEndpoint(id: $id) {\n      id\n      deleted\n    }\n  }\n": types.DeleteEndpointDocument,
    "\n  mutation RotateSecret($id: Int!) {\n    rotateWebhookSecret(id: $id) {\n      id\n      secret\n    }\n  }\n": types.RotateSecretDocument,
    "\n  query Endpoints($first: Int, $after: String) {\n    webhookEndpoints(first: $first, after: $after) {\n      edges {\n        cursor\n        node {\n          id\n        }\n      }\n      pageInfo {\n        hasNextPage\n        hasPreviousPage\n        startCursor\n        endCursor\n      }\n    }\n  }\n": types.EndpointsDocument,
    "\n  query Endpoint($id: Int!) {\n    webhookEndpoint(id: $id) {\n      id\n      deliveries(first: 5) {\n        edges {\n          node {\n            id\n            event\n            payload\n            attempts {\n              number\n              manual\n            }\n          }\n        }\n      }\n    }\n  }\n": types.EndpointDocument,
    "\n  query Deliveries($endpointId: Int, $status: WebhookDeliveryStatus, $event: String, $after: String) {\n    webhookDeliveries(endpointId: $endpointId, status: $status, event: $event, after: $after) {\n      edges {\n        node {\n          id\n          endpointId\n          status\n          event\n        }\n      }\n    }\n  }\n": types.DeliveriesDocument,
    "\n  mutation RecordEvent($input: RecordEventInput!) {\n    recordEvent(input: $input) {\n      id\n      type\n      goal\n      visitorId\n      conversationId\n      value\n      occurredAt\n    }\n  }\n": types.RecordEventDocument,
    "\n  query Overview($since: DateTime!) {\n    health {\n      status\n      database {\n        status\n      }\n    }\n    activity(since: $since) {\n      events {\n        event\n        count\n      }\n    }\n    eventTypes {\n      name\n    }\n  }\n": types.OverviewDocument,
    "\n  mutation CreateTenant($input: CreateTenantInput!) {\n    createTenant(input: $input) {\n      customerId\n      orgId\n      name\n    }\n  }\n": types.CreateTenantDocument,
    "\n  mutation CreateApiKey($input: CreateApiKeyInput!) {\n    createApiKey(input: $input) {\n      key\n      apiKey {\n        id\n        scope\n        customerId\n        prefix\n        revokedAt\n      }\n    }\n  }\n": types.CreateApiKeyDocument,
    "\n  mutation RevokeApiKey($id: ID!) {\n    revokeApiKey(id: $id) {\n      revokedAt\n    }\n  }\n": types.RevokeApiKeyDocument,
    "\n  query Administration {\n    tenants(first: 100) {\n      edges {\n        node {\n          customerId\n        }\n      }\n    }\n    apiKeys(first: 1) {\n      edges {\n        node {\n          id\n        }\n      }\n      pageInfo {\n        hasNextPage\n      }\n    }\n  }\n": types.AdministrationDocument,
    "\n  subscription DeliveryUpdated($endpointId: Int) {\n    webhookDeliveryUpdated(endpointId: $endpointId) {\n      endpointId\n      event\n      status\n    }\n  }\n": types.DeliveryUpdatedDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Viewer {\n    viewer {\n      scope\n      expiresAt\n      tenant {\n        customerId\n        orgId\n      }\n    }\n  }\n"): typeof import('./graphql.ts').ViewerDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreateEndpoint($input: CreateWebhookEndpointInput!) {\n    createWebhookEndpoint(input: $input) {\n      secret\n      endpoint {\n        id\n        customerId\n        url\n        description\n        events\n        enabled\n        disabledReason\n        createdAt\n      }\n    }\n  }\n"): typeof import('./graphql.ts').CreateEndpointDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UpdateEndpoint($id: Int!, $input: UpdateWebhookEndpointInput!) {\n    updateWebhookEndpoint(id: $id, input: $input) {\n      description\n      events\n      enabled\n      disabledReason\n    }\n  }\n"): typeof import('./graphql.ts').UpdateEndpointDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DeleteEndpoint($id: Int!) {\n    deleteWebhookEndpoint(id: $id) {\n      id\n      deleted\n    }\n  }\n"): typeof import('./graphql.ts').DeleteEndpointDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RotateSecret($id: Int!) {\n    rotateWebhookSecret(id: $id) {\n      id\n      secret\n    }\n  }\n"): typeof import('./graphql.ts').RotateSecretDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Endpoints($first: Int, $after: String) {\n    webhookEndpoints(first: $first, after: $after) {\n      edges {\n        cursor\n        node {\n          id\n        }\n      }\n      pageInfo {\n        hasNextPage\n        hasPreviousPage\n        startCursor\n        endCursor\n      }\n    }\n  }\n"): typeof import('./graphql.ts').EndpointsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Endpoint($id: Int!) {\n    webhookEndpoint(id: $id) {\n      id\n      deliveries(first: 5) {\n        edges {\n          node {\n            id\n            event\n            payload\n            attempts {\n              number\n              manual\n            }\n          }\n        }\n      }\n    }\n  }\n"): typeof import('./graphql.ts').EndpointDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Deliveries($endpointId: Int, $status: WebhookDeliveryStatus, $event: String, $after: String) {\n    webhookDeliveries(endpointId: $endpointId, status: $status, event: $event, after: $after) {\n      edges {\n        node {\n          id\n          endpointId\n          status\n          event\n        }\n      }\n    }\n  }\n"): typeof import('./graphql.ts').DeliveriesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RecordEvent($input: RecordEventInput!) {\n    recordEvent(input: $input) {\n      id\n      type\n      goal\n      visitorId\n      conversationId\n      value\n      occurredAt\n    }\n  }\n"): typeof import('./graphql.ts').RecordEventDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Overview($since: DateTime!) {\n    health {\n      status\n      database {\n        status\n      }\n    }\n    activity(since: $since) {\n      events {\n        event\n        count\n      }\n    }\n    eventTypes {\n      name\n    }\n  }\n"): typeof import('./graphql.ts').OverviewDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreateTenant($input: CreateTenantInput!) {\n    createTenant(input: $input) {\n      customerId\n      orgId\n      name\n    }\n  }\n"): typeof import('./graphql.ts').CreateTenantDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreateApiKey($input: CreateApiKeyInput!) {\n    createApiKey(input: $input) {\n      key\n      apiKey {\n        id\n        scope\n        customerId\n        prefix\n        revokedAt\n      }\n    }\n  }\n"): typeof import('./graphql.ts').CreateApiKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RevokeApiKey($id: ID!) {\n    revokeApiKey(id: $id) {\n      revokedAt\n    }\n  }\n"): typeof import('./graphql.ts').RevokeApiKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Administration {\n    tenants(first: 100) {\n      edges {\n        node {\n          customerId\n        }\n      }\n    }\n    apiKeys(first: 1) {\n      edges {\n        node {\n          id\n        }\n      }\n      pageInfo {\n        hasNextPage\n      }\n    }\n  }\n"): typeof import('./graphql.ts').AdministrationDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription DeliveryUpdated($endpointId: Int) {\n    webhookDeliveryUpdated(endpointId: $endpointId) {\n      endpointId\n      event\n      status\n    }\n  }\n"): typeof import('./graphql.ts').DeliveryUpdatedDocument;


export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}
