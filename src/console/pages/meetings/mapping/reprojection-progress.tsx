import { Alert, Progress, Text, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queryKeys } from '../../../api/query-keys.ts';
import { RelativeTime } from '../../../components/time.tsx';
import { formatCount, formatDuration, formatNumber } from '../../../format.ts';
import { graphql } from '../../../generated/gql.ts';
import type { ReprojectionQuery } from '../../../generated/graphql.ts';
import { useSession } from '../../../session/session.tsx';

const REPROJECTION = graphql(`
  query Reprojection {
    activityReprojection {
      status
      total
      done
      withoutRecord
      skipped
      finishedAt
      estimatedRemainingSeconds
    }
  }
`);

type Reprojection = NonNullable<ReprojectionQuery['activityReprojection']>;

/** Milliseconds; false stops the refresh. */
const REFRESH_MS = { running: 1_000, failed: 30_000, succeeded: false } as const;

/** Progress of the re-projection that a change of the mapping starts; renders nothing without one. */
export function ReprojectionProgress() {
  const { call, customerId } = useSession();
  const { data } = useQuery({
    queryKey: queryKeys.reprojection(customerId),
    queryFn: async () => (await call(REPROJECTION)).activityReprojection ?? null,
    refetchInterval: ({ state }) => (state.data ? REFRESH_MS[state.data.status] : false),
  });
  if (data === undefined) return null;
  return (
    <>
      <ReprojectionAnnouncement status={data?.status ?? null} finishedAt={data?.finishedAt ?? null} />
      {data && <ReprojectionState {...data} />}
    </>
  );
}

function ReprojectionState(reprojection: Reprojection) {
  const { status, withoutRecord } = reprojection;
  if (status === 'failed')
    return (
      <Alert color="orange" title="The re-projection of activities failed" role="group">
        It was interrupted too often, and is attempted again within an hour. Activities that it has not
        reached keep their content until then, or until their meetings are synced.
      </Alert>
    );
  return (
    <div>
      {status === 'running' ? <Running {...reprojection} /> : <Finished {...reprojection} />}
      {withoutRecord > 0 && (
        <Text size="sm" mt={4}>
          {formatCount(withoutRecord, 'activity', 'activities')} without values from the provider's record,
          which is not stored. A full resync stores it.
        </Text>
      )}
    </div>
  );
}

function Running({ total, done, skipped, estimatedRemainingSeconds }: Reprojection) {
  const finishedCount = done + skipped;
  return (
    <>
      <Progress
        value={total ? (100 * finishedCount) / total : 0}
        aria-label="Re-projection of activities"
        mb={6}
      />
      <Text size="sm">
        Applying the mapping to all activities
        {total != null && `: ${formatNumber(finishedCount)} of ${formatNumber(total)}`}
        {estimatedRemainingSeconds != null &&
          `, about ${formatDuration(estimatedRemainingSeconds * 1_000)} remaining`}
        . It continues if you leave this page.
      </Text>
    </>
  );
}

const Finished = ({ done, skipped, finishedAt }: Reprojection) => (
  <Text size="sm">
    The mapping was applied to {formatCount(done, 'stored activity', 'stored activities')}{' '}
    <RelativeTime at={finishedAt} />.
    {skipped > 0 &&
      ` ${formatCount(skipped, 'activity keeps its', 'activities keep their')} content, since the meeting is not stored.`}
  </Text>
);

const ANNOUNCEMENTS: Record<Reprojection['status'], string> = {
  running: 'The re-projection of activities has started.',
  succeeded: 'The re-projection of activities has finished.',
  failed: 'The re-projection of activities failed.',
};

interface ReprojectionAnnouncementProps {
  /** Null if there was none. */
  status: Reprojection['status'] | null;
  finishedAt: Reprojection['finishedAt'];
}

/** Announces start, end and failure to screen readers, not the progress, which changes every second. */
function ReprojectionAnnouncement({ status, finishedAt }: ReprojectionAnnouncementProps) {
  const [last, setLast] = useState({ status, finishedAt, hasChanged: false });
  if (last.status !== status || last.finishedAt !== finishedAt)
    setLast({ status, finishedAt, hasChanged: true });
  return (
    <VisuallyHidden role="status">
      {/* A new element, because screen readers ignore a text that stays the same. */}
      <span key={last.finishedAt}>
        {last.hasChanged && last.status !== null && ANNOUNCEMENTS[last.status]}
      </span>
    </VisuallyHidden>
  );
}
