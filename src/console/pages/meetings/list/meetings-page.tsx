import { Button, Tabs } from '@mantine/core';
import { IconSettings } from '@tabler/icons-react';
import { Link } from 'wouter';
import { Page } from '../../../components/page.tsx';
import { ActivityList } from '../activities/meeting-activity-list.tsx';
import { MeetingList } from './meeting-list.tsx';
import { RecorderNote } from './recorder-alert.tsx';
import { useView, type View } from './use-meetings-view.ts';

/** The tenant's recorded meetings, and the lean records that are made of them. */
export default function MeetingsPage() {
  const choice = useView();
  return (
    <Page
      title="Meetings"
      subtitle="What was recorded and said in calls with customers."
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
      <RecorderNote />
      <Tabs value={choice.view} onChange={(view) => choice.show(view as View)} keepMounted={false}>
        <Tabs.List mb="lg">
          <Tabs.Tab value="meetings">Meetings</Tabs.Tab>
          <Tabs.Tab value="activities">Activities</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="meetings">
          <MeetingList {...choice} />
        </Tabs.Panel>
        <Tabs.Panel value="activities">
          <ActivityList {...choice} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
