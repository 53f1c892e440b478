import { PageLayout } from '../../components/page-layout.tsx';
import { ActivityCard } from './activity-card.tsx';
import { HealthCard } from './health-card.tsx';
import { OpenIssuesCard } from './open-issues-card.tsx';

export function OverviewPage() {
  return (
    <PageLayout title="Overview" subtitle="Service health, the last 24 hours, and open issues">
      <HealthCard />
      <OpenIssuesCard />
      <ActivityCard />
    </PageLayout>
  );
}
