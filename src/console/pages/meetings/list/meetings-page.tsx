import { Button, Tabs } from '@mantine/core';
import { IconSettings } from '@tabler/icons-react';
import { Link } from 'wouter';
import { PageLayout } from '../../../components/page-layout.tsx';
import { MeetingActivityList } from '../activities/meeting-activity-list.tsx';
import { MeetingList } from './meeting-list.tsx';
import { RecorderAlert } from './recorder-alert.tsx';
import { type MeetingsTab, useMeetingsView } from './use-meetings-view.ts';

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
