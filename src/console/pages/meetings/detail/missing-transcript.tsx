import { Text } from '@mantine/core';

/** So long after a meeting its transcript is asked for again with each sync. */
const AWAITED_MS = 7 * 86_400_000;

/** Why there is nothing to read. */
export function TranscriptAwaited({ startedAt }: { startedAt: string | null | undefined }) {
  const over = startedAt != null && Date.now() - Date.parse(startedAt) > AWAITED_MS;
  return (
    <Text c="dimmed">
      {over
        ? 'There is none. The provider had not processed the recording within a week, after which it is not asked for any more.'
        : 'It is not there yet: the provider is still processing the recording. The next syncs ask for it again, for a week after the meeting.'}
    </Text>
  );
}
