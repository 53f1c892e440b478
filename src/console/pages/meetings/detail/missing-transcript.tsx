import { Text } from '@mantine/core';
import { DAY_MS } from '../../../format.ts';
import type { MeetingDetail } from './use-meeting.ts';

/** Age up to which syncs fetch a meeting without a transcript again. */
const REFETCH_WINDOW_MS = 7 * DAY_MS;

/** Reason why a meeting has no transcript. */
export function MissingTranscript({ startedAt, deletedAt }: MeetingDetail) {
  if (deletedAt) return <Text c="dimmed">The provider returned no transcript before the deletion.</Text>;
  const isFinal = startedAt != null && Date.now() - Date.parse(startedAt) > REFETCH_WINDOW_MS;
  return (
    <Text c="dimmed">
      {isFinal
        ? 'The provider returned no transcript. Syncs check for one until seven days after the meeting.'
        : 'No transcript yet: the provider may still be processing the recording. Syncs check for one until seven days after the meeting.'}
    </Text>
  );
}
