import { useQuery } from '@tanstack/react-query';
import { graphql } from '../../../generated/gql.ts';
import type { MeetingQuery, MeetingTranscriptQuery } from '../../../generated/graphql.ts';
import { useSession } from '../../../session.tsx';

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

type TranscriptSegment = NonNullable<
  NonNullable<MeetingTranscriptQuery['meeting']>['transcriptJson']
>[number];

/** Something that was said. */
export interface Segment extends TranscriptSegment {
  /** Its place in the transcript, from 0: nothing else tells it from the others. */
  place: number;
}

export type MeetingDetail = NonNullable<MeetingQuery['meeting']>;

/** How often it is looked whether a transcript has come. Milliseconds. */
const REFRESH_MS = 30_000;

/** A meeting without what was said; null: there is none. */
export function useMeeting(id: string) {
  const { call, customerId } = useSession();
  return useQuery({
    queryKey: ['meetings', customerId, 'one', id],
    queryFn: async () => (await call(MEETING, { id })).meeting ?? null,
  });
}

/** What was said, on its own: it may be thousands of segments. Null: nothing has come yet. */
export function useTranscript(id: string) {
  const { call, customerId } = useSession();
  return useQuery({
    queryKey: ['meetings', customerId, 'transcript', id],
    queryFn: async (): Promise<Segment[] | null> => {
      const segments = (await call(TRANSCRIPT, { id })).meeting?.transcriptJson;
      return segments?.map((segment, place) => ({ ...segment, place })) ?? null;
    },
    refetchInterval: ({ state }) => (state.data === null ? REFRESH_MS : false),
  });
}
