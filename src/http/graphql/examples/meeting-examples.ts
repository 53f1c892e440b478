import type { Example } from './graphiql-example.ts';

export const MEETINGS: readonly Example[] = [
  {
    scope: 'read',
    query: `query Meetings($search: String, $since: DateTime) {
  meetings(first: 10, search: $search, since: $since) {
    edges { node { recorderMeetingId title startedAt endedAt } }
    pageInfo { hasNextPage endCursor }
  }
}

query MeetingSearch($query: String!) {
  meetingSearch(query: $query, first: 10) {
    edges {
      node {
        score
        meeting { recorderMeetingId title startedAt }
        matches { field snippet highlights { start end } segment { index speaker startTime } }
      }
    }
    pageInfo { hasNextPage endCursor }
  }
}

query MeetingSearchBacklog {
  meetingSearchBacklog
}

query MeetingSyncRun($run: ID!) {
  meetingSyncRun(id: $run) { status pages fetched stored warnings startedAt finishedAt }
}

query Meeting($id: String!) {
  meeting(recorderMeetingId: $id) {
    title
    participantsJson { name email role }
    transcriptJson { speaker text startTime endTime }
    summaryText
  }
}

query MeetingActivities($person: String) {
  meetingActivities(first: 10, personExternalId: $person) {
    edges { node { externalId occurredAt personExternalId properties } }
  }
}`,
    variables: {
      search: null,
      query: 'pricing',
      since: null,
      id: 'm_1',
      person: null,
      run: '665f1d40b8e4d3a1f0c9b822',
    },
  },
  {
    scope: 'read',
    query: `query Recorder {
  recorderConnection {
    status
    connectedAt
    lastSyncAt
    nextSyncAt
    lastRun { status stored updated error { code message } }
  }
  recorderFieldMapping { sourcePointer targetField transform required }
  meetingSyncRuns(first: 5) {
    edges { node { id status since startedAt finishedAt pages fetched stored updated rejected rateLimited } }
  }
}

query Reprojection {
  activityReprojection { mappingVersion status total done withoutRecord skipped finishedAt estimatedRemainingSeconds }
}`,
  },
  {
    scope: 'write',
    query: `mutation ConnectRecorder($apiKey: String!) {
  connectRecorder(apiKey: $apiKey) { status connectedAt nextSyncAt }
}

mutation SyncMeetings {
  syncMeetings { id status since pages fetched }
}

mutation Backfill($since: DateTime!, $until: DateTime) {
  syncMeetings(since: $since, until: $until) { id status scope since until }
}

mutation PauseMeetingSync {
  pauseMeetingSync { id status pages estimatedRemainingSeconds }
}

mutation ResumeMeetingSync {
  resumeMeetingSync { id status }
}

mutation CancelMeetingSync {
  cancelMeetingSync { id status finishedAt }
}

# Sent by the provider to this address, signed with the secret that the provider shows.
query RecorderWebhook {
  recorderWebhook { path hasSecret }
}

mutation SetRecorderWebhookSecret($secret: String) {
  setRecorderWebhookSecret(secret: $secret) { path hasSecret }
}

mutation RotateRecorderWebhook {
  rotateRecorderWebhook { path hasSecret }
}

query FieldMappingPreview($candidate: [FieldMappingInput!]!) {
  recorderFieldMappingPreview(mappings: $candidate) {
    recorderMeetingId
    hasRecord
    fields { sourcePointer targetField value warnings }
    activity { occurredAt personExternalId properties }
  }
}

mutation UpdateFieldMapping($mappings: [FieldMappingInput!]!) {
  updateRecorderFieldMapping(mappings: $mappings) { sourcePointer targetField transform required }
}

mutation DisconnectRecorder {
  disconnectRecorder
}`,
    variables: {
      apiKey: 'rec_demo',
      secret: null,
      since: '2025-01-01T00:00:00Z',
      until: null,
      candidate: [
        { sourceField: '/@meeting/id', targetField: 'externalId' },
        { sourceField: '/@meeting/created_at', targetField: 'occurredAt' },
        { sourceField: '/recording_url', targetField: 'properties.recordingUrl' },
      ],
      mappings: [
        { sourceField: '/@meeting/id', targetField: 'externalId', required: true },
        { sourceField: '/@meeting/created_at', targetField: 'occurredAt', required: true },
        { sourceField: '/@meeting/title', targetField: 'properties.title', transform: 'trim' },
        {
          sourceField: '/@meeting/participant_email',
          targetField: 'personExternalId',
          transform: 'lowercase',
        },
      ],
    },
  },
  {
    scope: 'read',
    query: `# Keeps the connection open; start a sync in another tab to receive updates.
subscription SyncProgress {
  meetingSyncProgress {
    id status pages fetched stored updated rejected rateLimited oldestMeetingAt estimatedRemainingSeconds
  }
}

# Update the field mapping in another tab to receive updates.
subscription ReprojectionProgress {
  activityReprojectionProgress { mappingVersion status total done estimatedRemainingSeconds }
}`,
  },
];
