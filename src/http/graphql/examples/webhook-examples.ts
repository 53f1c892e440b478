import type { Example } from './graphiql-example.ts';

export const WEBHOOKS: readonly Example[] = [
  {
    scope: 'read',
    query: `query Endpoints {
  webhookEndpoints(first: 10) {
    edges { node { id url description events filter payload enabled disabledReason paused circuit { state since reason } } }
    pageInfo { hasNextPage endCursor }
  }
}

query Endpoint($id: Int!) {
  webhookEndpoint(id: $id) {
    url
    enabled
    rateLimit { count perSeconds }
    ordering
    timeoutSeconds
    autoRecover
    deliveries(first: 5, status: failed) {
      edges { node { id event attempt error failureReason } }
    }
  }
}

query EventTypes {
  eventTypes { name description example schema }
}`,
    variables: { id: 1 },
  },
  {
    scope: 'read',
    query: `query Deliveries($status: WebhookDeliveryStatus) {
  webhookDeliveries(first: 10, status: $status) {
    edges { node { id event status attempt nextRetryAt error endpoint { id url } sourceEvent { createdAt } } }
    pageInfo { hasNextPage endCursor }
  }
}

# Set \`id\` in the variables to the id of a delivery.
query Delivery($id: ID!) {
  webhookDelivery(id: $id) {
    event
    status
    payload
    attempts { number at manual probe responseStatus responseBody error durationMs }
  }
}`,
    variables: { status: null, id: '000000000000000000000000' },
  },
  {
    scope: 'read',
    query: `query Events($type: String) {
  webhookEvents(first: 10, type: $type) {
    edges { node { id event conversationId createdAt deliveries(first: 5) { endpointId status error } } }
    pageInfo { hasNextPage endCursor }
  }
}

# Set \`eventId\` in the variables to the id of an event.
query Event($eventId: ID!) {
  webhookEvent(id: $eventId) {
    event
    payload
    deliveries { id endpointId status attempt waitingFor }
  }
}

query ExplainDelivery($eventId: ID!, $endpointId: Int!) {
  explainDelivery(eventId: $eventId, endpointId: $endpointId) {
    reason
    message
    clause
    value
    status
    attempt
    error
    nextRetryAt
  }
}`,
    variables: { type: null, eventId: '000000000000000000000000', endpointId: 1 },
  },
  {
    scope: 'read',
    query: `# Keeps the connection open; send a test webhook in another tab to receive updates.
subscription DeliveryUpdates {
  webhookDeliveryUpdated {
    id
    endpointId
    event
    status
    attempt
    responseStatus
    nextRetryAt
  }
}`,
  },
  {
    scope: 'write',
    query: `mutation CreateEndpoint($endpoint: CreateWebhookEndpointInput!) {
  createWebhookEndpoint(input: $endpoint) {
    # Returned only once.
    secret
    endpoint { id url events enabled headers authentication { oauth2 { tokenUrl } mtls { certificateExpiresAt } } signing publicKey }
  }
}

mutation UpdateEndpoint($id: Int!, $changes: UpdateWebhookEndpointInput!) {
  updateWebhookEndpoint(id: $id, input: $changes) { id description events enabled disabledReason paused rateLimit { count perSeconds } }
}

mutation RotateSecret($id: Int!) {
  rotateWebhookSecret(id: $id, overlapSeconds: 86400) { id secret publicKey previousSecretExpiresAt }
}

mutation SendTest($id: Int!) {
  sendTestWebhook(endpointId: $id, event: "conversion.recorded") { id status }
}

mutation Resend($deliveryId: ID!) {
  resendWebhookDelivery(id: $deliveryId) { id status attempt }
}

# Queues one more round of attempts for each failed and cancelled delivery since the given time.
mutation Recover($id: Int!, $since: DateTime!) {
  recoverWebhookDeliveries(endpointId: $id, since: $since) { queued }
}

# With \`dryRun: false\`, sends the deliveries again, succeeded ones too.
mutation Replay($id: Int!, $since: DateTime!) {
  replayWebhookDeliveries(endpointId: $id, since: $since, dryRun: true) { count }
}

mutation RetryBacklog($id: Int!) {
  retryWebhookBacklog(endpointId: $id, error: "timeout", dryRun: true) { count }
}

mutation CancelBacklog($id: Int!) {
  cancelWebhookBacklog(endpointId: $id) { cancelled }
}

mutation DeleteEndpoint($id: Int!) {
  deleteWebhookEndpoint(id: $id) { id deleted }
}`,
    variables: {
      endpoint: {
        url: 'https://example.com/webhooks',
        events: ['conversion.recorded'],
        filter: { 'data.value': { $gte: 100 } },
        ordering: 'conversation',
        timeoutSeconds: 10,
        autoRecover: true,
      },
      id: 1,
      changes: {
        description: 'Conversions for the data warehouse',
        events: null,
        filter: null,
        rateLimit: { count: 100, perSeconds: 1 },
        paused: false,
      },
      deliveryId: '000000000000000000000000',
      since: '2026-01-01T00:00:00Z',
    },
  },
  {
    scope: 'write',
    query: `# A read of the feed does not move its position.
query EventFeed($name: String!) {
  eventFeed(name: $name, limit: 10, consumer: "graphiql") {
    events { id event payload createdAt }
    cursor
    hasMore
    oldest
  }
}

# Set \`cursor\` in the variables to the cursor of the feed.
mutation AcknowledgeEvents($name: String!, $cursor: String!) {
  ackEventFeed(name: $name, cursor: $cursor, consumer: "graphiql") { cursor heldUntil }
}

mutation SeekEvents($name: String!) {
  seekEventFeed(name: $name, to: "beginning", consumer: "graphiql") { cursor consumer }
}

query EventFeeds {
  eventFeeds { name consumer heldUntil usedAt behind behindSince lost }
}

# Refused until 15 seconds after the last pull of its consumer.
mutation DeleteEventFeed($name: String!) {
  deleteEventFeed(name: $name) { name cursor }
}`,
    variables: { name: 'graphiql', cursor: '' },
  },
];
