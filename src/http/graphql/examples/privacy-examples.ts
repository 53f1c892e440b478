import type { Example } from './graphiql-example.ts';

const NO_ID = '000000000000000000000000';

export const PRIVACY: readonly Example[] = [
  {
    scope: 'read',
    query: `query AuditLog($action: String) {
  auditLog(first: 10, action: $action) {
    edges { node { at action outcome actor { type name } target { type id } before after } }
    pageInfo { hasNextPage endCursor }
  }
}

# Set \`id\` in the variables to the id of an entry.
query AuditEntry($id: ID!) {
  auditEntry(id: $id) { at action actor { type id name prefix } clientAddress requestId }
}

query Erasures {
  erasures(first: 10) { edges { node { id status dryRun counts { kind count } finishedAt } } }
}

query Erasure($id: ID!) {
  erasure(id: $id) { status counts { kind count } error }
}

query Suppressions {
  suppressions(first: 10) { edges { node { id type createdBy createdAt } } }
}

query Retention {
  retention { conversations transcripts meetings previewEvents eventsAndDeliveries auditLog lastRunAt failed }
}

query RetentionPreview {
  retentionPreview(conversations: 365) { conversations transcripts meetings previewEvents eventsAndDeliveries }
}`,
    variables: { action: null, id: NO_ID },
  },
  {
    scope: 'write',
    query: `# With \`dryRun: true\`, the person's data is only counted.
mutation ErasePerson($person: ErasePersonInput!) {
  erasePerson(input: $person) { id status counts { kind count } }
}

mutation ErasePeople($people: ErasePeopleInput!) {
  erasePeople(input: $people) { erasureIds }
}

# For the following mutations, set \`id\` in the variables.
mutation LiftSuppression($id: ID!) {
  liftSuppression(id: $id) { id }
}

mutation DeleteConversation($id: ID!) {
  deleteConversation(id: $id) { id }
}

# With \`suppress: false\`, the next sync stores the meeting again.
mutation DeleteMeeting($id: ID!) {
  deleteMeeting(id: $id, suppress: true) { id suppressionId }
}

# Days until data is removed; null for no time.
mutation UpdateRetention($times: UpdateRetentionInput!) {
  updateRetention(input: $times) { conversations eventsAndDeliveries updatedAt }
}`,
    variables: {
      times: { conversations: null },
      person: { email: 'ada@example.com', dryRun: true },
      people: { people: [{ email: 'ada@example.com' }, { visitorId: 'v_17' }], dryRun: true },
      id: NO_ID,
    },
  },
];
