import { Alert, Anchor, Button, Tabs } from '@mantine/core';
import { IconAlertTriangle, IconSettings } from '@tabler/icons-react';
import { Link } from 'wouter';
import { firstPageQuery } from '../../../api/use-paged-list.ts';
import { PageLayout } from '../../../components/page-layout.tsx';
import { NO_PARAMS } from '../../../search-params.ts';
import type { Session } from '../../../session/session.tsx';
import { isConnection, recorderQuery, useRecorder } from '../use-recorder.ts';
import { MeetingActivityList } from './meeting-activity-list.tsx';
import { MeetingList, meetingList } from './meeting-list.tsx';
import { type MeetingsTab, readMeetingsView, useMeetingsView } from './use-meetings-view.ts';

export default function MeetingsPage() {
  const view = useMeetingsView();
  return (
    <PageLayout
      title="Meetings"
      subtitle="Recorded meetings with transcripts and summaries."
      actions={
        <Button
          component={Link}
          href="/meetings/settings"
          variant="default"
          leftSection={<IconSettings size={16} aria-hidden />}
        >
          Recorder settings
        </Button>
      }
    >
      <RecorderAlert />
      <Tabs value={view.tab} onChange={(tab) => view.selectTab(tab as MeetingsTab)} keepMounted={false}>
        <Tabs.List mb="lg">
          <Tabs.Tab value="meetings">Meetings</Tabs.Tab>
          <Tabs.Tab value="activities">Activities</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="meetings">
          <MeetingList {...view} />
        </Tabs.Panel>
        <Tabs.Panel value="activities">
          <MeetingActivityList {...view} />
        </Tabs.Panel>
      </Tabs>
    </PageLayout>
  );
}

MeetingsPage.firstQueries = (session: Session) => [
  recorderQuery(session),
  firstPageQuery(meetingList(session, { ...readMeetingsView(NO_PARAMS), search: null })),
];

/** Warns that the last sync failed; renders nothing while the connection works or does not exist. */
function RecorderAlert() {
  const { data: recorder } = useRecorder();
  if (!isConnection(recorder) || recorder.status === 'connected') return null;
  const reason =
    recorder.status === 'key_invalid'
      ? 'The provider rejected the API key.'
      : (recorder.lastRun?.error?.message ?? 'The last sync failed.');
  return (
    <Alert color="orange" icon={<IconAlertTriangle aria-hidden />} title="New meetings may be missing">
      {reason}{' '}
      <Anchor component={Link} href="/meetings/settings" c="inherit" inherit>
        Open recorder settings
      </Anchor>
    </Alert>
  );
}
