import { Text } from '@mantine/core';
import { formatDuration, formatNumber } from '../../../format.ts';
import { useTimeFormat } from '../../../time-format.ts';
import { isUnfinished, type SyncRun } from '../use-recorder.ts';

/** Position, speed and remaining time of an unfinished sync, as far as they are known. */
export function SyncEstimate({ run }: { run: SyncRun }) {
  const { oldestMeetingAt, meetingsPerMinute, estimatedRemainingSeconds } = run;
  const { formatDate } = useTimeFormat();
  if (!isUnfinished(run)) return null;
  const known = [
    oldestMeetingAt && `Oldest meeting read: ${formatDate(oldestMeetingAt)}`,
    meetingsPerMinute && `${formatNumber(Math.round(meetingsPerMinute))} meetings per minute`,
    estimatedRemainingSeconds !== null &&
      estimatedRemainingSeconds !== undefined &&
      `about ${formatDuration(estimatedRemainingSeconds * 1_000)} remaining`,
  ].filter(Boolean);
  if (known.length === 0) return null;
  return <Text size="sm">{known.join(', ')}</Text>;
}
