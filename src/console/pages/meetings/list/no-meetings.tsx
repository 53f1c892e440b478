import { Anchor } from '@mantine/core';
import { IconVideo, IconVideoOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { EmptyState } from '../../../components/empty-state.tsx';
import { RecorderNotConfigured } from '../recorder-not-configured.tsx';
import { isConnection, isSyncing, type Recorder, useRecorder } from '../use-recorder.ts';

const SettingsLink = ({ children }: { children: ReactNode }) => (
  <Anchor component={Link} href="/meetings/settings" inherit>
    {children}
  </Anchor>
);

/** Reason why there are no meetings, and the next step. */
export function NoMeetings() {
  const { data: recorder } = useRecorder();
  if (recorder === undefined) return null;
  if (recorder === 'not_configured') return <RecorderNotConfigured />;
  const { title, nextStep } = emptyStateOf(recorder);
  return (
    <EmptyState icon={isConnection(recorder) ? IconVideo : IconVideoOff} title={title}>
      {nextStep}
    </EmptyState>
  );
}

function emptyStateOf(recorder: Exclude<Recorder, 'not_configured'>): { title: string; nextStep: ReactNode } {
  if (!isConnection(recorder)) {
    return {
      title: 'No recorder connected',
      nextStep: (
        <>
          Meetings come from a recording provider. <SettingsLink>Connect the recorder</SettingsLink> with an
          API key from your provider account.
        </>
      ),
    };
  }
  if (isSyncing(recorder)) {
    return {
      title: 'Sync in progress',
      nextStep: (
        <>
          Meetings appear here as they are synced. <SettingsLink>View progress</SettingsLink>.
        </>
      ),
    };
  }
  if (recorder.lastSyncAt) {
    return {
      title: 'No meetings yet',
      nextStep: 'No sync has stored any meetings. New meetings appear after the next sync.',
    };
  }
  return {
    title: 'No meetings yet',
    nextStep: (
      <>
        No sync has succeeded yet. <SettingsLink>Start a sync</SettingsLink> to fetch the meetings of the last
        90 days.
      </>
    ),
  };
}
