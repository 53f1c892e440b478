import { Anchor } from '@mantine/core';
import { IconVideo, IconVideoOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { EmptyState } from '../../../components/empty-state.tsx';
import { NotConfigured } from '../recorder-not-configured.tsx';
import { isConnection, isSyncing, type Recorder, useRecorder } from '../use-recorder.ts';

const Settings = ({ children }: { children: ReactNode }) => (
  <Anchor component={Link} href="/meetings/settings" inherit>
    {children}
  </Anchor>
);

/** Why there is nothing yet, and what to do next. */
export function NoMeetings() {
  const { data: recorder } = useRecorder();
  if (recorder === undefined) return null;
  if (recorder === 'not_configured') return <NotConfigured />;
  const { title, next } = reasonFor(recorder);
  return (
    <EmptyState icon={isConnection(recorder) ? IconVideo : IconVideoOff} title={title}>
      {next}
    </EmptyState>
  );
}

function reasonFor(recorder: Exclude<Recorder, 'not_configured'>): { title: string; next: ReactNode } {
  if (!isConnection(recorder)) {
    return {
      title: 'No recorder is connected',
      next: (
        <>
          Meetings come from a recording provider. <Settings>Connect it</Settings> with a key of your account
          there.
        </>
      ),
    };
  }
  if (isSyncing(recorder)) {
    return {
      title: 'A sync is running',
      next: (
        <>
          Meetings appear here as they come. <Settings>See how far it is</Settings>.
        </>
      ),
    };
  }
  if (recorder.lastSyncAt) {
    return {
      title: 'No meetings yet',
      next: 'The last sync found none at the provider. New ones come with the next sync.',
    };
  }
  return {
    title: 'No sync has brought meetings yet',
    next: (
      <>
        The recorder is connected. <Settings>Start a sync</Settings> to fetch the meetings of the last 90
        days.
      </>
    ),
  };
}
