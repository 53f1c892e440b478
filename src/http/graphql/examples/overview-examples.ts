import type { Example } from './graphiql-example.ts';

export const OVERVIEW: readonly Example[] = [
  {
    scope: 'read',
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
    conversations { status count }
  }
}`,
  },
  {
    scope: 'write',
    query: `query Sessions {
  consoleSessions { id startedAt lastUsedAt address isCurrent }
}

# Set \`id\` in the variables to the id of a session.
mutation EndSession($id: ID!) {
  endConsoleSession(id: $id) { id }
}`,
    variables: { id: 'unknown' },
  },
  {
    scope: 'read',
    query: `query Usage {
  usage {
    storedEvents { used limit }
    conversations { used limit }
    meetings { used limit }
    customEvents { used limit }
    endpoints { used limit }
  }
}`,
  },
];
