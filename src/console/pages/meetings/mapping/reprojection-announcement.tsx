import { VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import type { ReprojectionQuery } from '../../../generated/graphql.ts';

type Reprojection = NonNullable<ReprojectionQuery['activityReprojection']>;

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

/** Announces start, end and failure to screen readers: the progress itself changes every second. */
export function ReprojectionAnnouncement({ status, finishedAt }: ReprojectionAnnouncementProps) {
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
