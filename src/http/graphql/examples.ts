/** An operation that GraphiQL opens with: one for every feature. */
export interface Example {
  query: string;
  variables?: Record<string, unknown>;
}

const WRITE = '# Needs a key of scope `write` in the Authorization header.\n';
const ADMIN = '# Needs an admin key in the Authorization header.\n';

export const EXAMPLES: readonly Example[] = [
  {
    query: `query Overview {
  viewer {
    scope
    tenant { customerId orgId name }
  }
  health {
    status
    database { status latencyMs }
    sidecar { status modelVersion }
  }
  activity(since: "2026-01-01T00:00:00Z") {
    events { event count }
    deliveries { status count }
  }
}`,
  },
  {
    query: `query Endpoints {
  webhookEndpoints(first: 10) {
    edges {
      node {
        id
        url
        events
        enabled
        disabledReason
        deliveries(first: 5) {
          edges { node { id event status attempt nextRetryAt } }
        }
      }
    }
    pageInfo { hasNextPage endCursor }
  }
}`,
  },
  {
    query: `query Deliveries($status: WebhookDeliveryStatus) {
  webhookDeliveries(first: 10, status: $status) {
    edges {
      node {
        id
        event
        status
        attempt
        nextRetryAt
        payload
        attempts { number at responseStatus error durationMs }
      }
    }
    pageInfo { hasNextPage endCursor }
  }
}`,
    variables: { status: null },
  },
  {
    query: `# Stays open: make something happen in another tab and watch.
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
    query: `query EventTypes {
  eventTypes { name description example schema }
}`,
  },
  {
    query: `${WRITE}mutation CreateEndpoint($input: CreateWebhookEndpointInput!) {
  createWebhookEndpoint(input: $input) {
    secret
    endpoint { id url events enabled }
  }
}`,
    variables: { input: { url: 'https://example.com/webhooks', events: ['conversion.recorded'] } },
  },
  {
    query: `${WRITE}mutation SendTest($endpointId: Int!) {
  sendTestWebhook(endpointId: $endpointId, event: "conversion.recorded") {
    id
    status
  }
}`,
    variables: { endpointId: 1 },
  },
  {
    query: `${WRITE}mutation RecordConversion($input: RecordEventInput!) {
  recordEvent(input: $input) {
    id
    type
    goal
    conversationId
    value
    occurredAt
  }
}`,
    variables: { input: { type: 'conversion', visitorId: 'v_8f3a', goal: 'demo_booked', value: 250 } },
  },
  {
    query: `${ADMIN}query Administration {
  tenants(first: 10) {
    edges { node { customerId orgId name } }
  }
  apiKeys(first: 10) {
    edges { node { id scope customerId prefix lastUsedAt revokedAt } }
  }
}`,
  },
];
