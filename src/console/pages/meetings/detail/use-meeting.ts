import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../../api/query-keys.ts';
import { graphql } from '../../../generated/gql.ts';
import type { MeetingQuery, MeetingTranscriptQuery } from '../../../generated/graphql.ts';
import { useSession } from '../../../session/session.tsx';

const MEETING = graphql(`
  query Meeting($id: String!) {
    meeting(recorderMeetingId: $id) {
      recorderMeetingId
      title
      startedAt
      endedAt
      participantsJson {
        name
        email
        role
      }
      summaryText
      sentimentScore
      storedAt
      deletedAt
      warnings {
        path
        reason
      }
    }
  }
`);

const TRANSCRIPT = graphql(`
  query MeetingTranscript($id: String!) {
    meeting(recorderMeetingId: $id) {
      transcriptJson {
        speaker
        text
        startTime
        endTime
      }
    }
  }
`);

type TranscriptJson = NonNullable<NonNullable<MeetingTranscriptQuery['meeting']>['transcriptJson']>;

export type Segment = TranscriptJson[number] & {
  /** Position in the transcript from 0; segments have no ID. */
  index: number;
};

export type MeetingDetail = NonNullable<MeetingQuery['meeting']>;

/** Refetch interval until the meeting has a transcript. */
const REFRESH_MS = 30_000;

/** Loads a meeting without its transcript; null if it does not exist. */
export function useMeeting(id: string) {
  const { call, customerId } = useSession();
  return useQuery({
    queryKey: queryKeys.meeting(customerId, id),
    queryFn: async () => (await call(MEETING, { id })).meeting ?? null,
  });
}

/** Loads the transcript, which can have thousands of segments; null if the provider has not returned one. */
export function useMeetingTranscript(id: string) {
  const { call, customerId } = useSession();
  return useQuery({
    queryKey: queryKeys.meetingTranscript(customerId, id),
    queryFn: async (): Promise<Segment[] | null> => {
      const segments = (await call(TRANSCRIPT, { id })).meeting?.transcriptJson;
      return segments?.map((segment, index) => ({ ...segment, index })) ?? null;
    },
    refetchInterval: ({ state }) => (state.data === null ? REFRESH_MS : false),
  });
}
