import { VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import type { ReprojectionQuery } from '../../../generated/graphql.ts';

type ReprojectionStatus = NonNullable<ReprojectionQuery['activityReprojection']>['status'];

const ANNOUNCEMENTS: Record<ReprojectionStatus, string> = {
  running: 'The re-projection of activities has started.',
  succeeded: 'The re-projection of activities has finished.',
  failed: 'The re-projection of activities failed.',
};

/** Announces start, end and failure to screen readers: the progress itself changes every second. */
export function ReprojectionAnnouncement({ status }: { status: ReprojectionStatus | null }) {
  const [last, setLast] = useState({ status, hasChanged: false });
  if (last.status !== status) setLast({ status, hasChanged: true });
  return (
    <VisuallyHidden role="status">
      {last.hasChanged && last.status !== null && ANNOUNCEMENTS[last.status]}
    </VisuallyHidden>
  );
}
