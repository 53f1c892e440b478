import { Page } from '../../components/page.tsx';
import { ActivityCard } from './activity-card.tsx';
import { HealthCard } from './health-card.tsx';
import { AttentionCard } from './open-issues-card.tsx';

/** How everything is, what the last day brought, and what needs attention. */
export function OverviewPage() {
  return (
    <Page
      title="Overview"
      subtitle="How the service is, what the last day brought, and what needs attention."
    >
      <AttentionCard />
      <HealthCard />
      <ActivityCard />
    </Page>
  );
}
