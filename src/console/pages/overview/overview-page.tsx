import { PageLayout } from '../../components/page-layout.tsx';
import { type Session, useSession } from '../../session/session.tsx';
import { ActivityCard } from './activity-card.tsx';
import { HealthCard, healthQuery } from './health-card.tsx';
import { OpenIssuesCard } from './open-issues-card.tsx';
import { firstIssueQueries } from './use-open-issues.ts';

export function OverviewPage() {
  const { isLimited } = useSession();
  return (
    <PageLayout
      title="Overview"
      subtitle={
        isLimited
          ? 'Open issues of the parts that the key can read'
          : 'Service health, the last 24 hours, and open issues'
      }
    >
      {!isLimited && <HealthCard />}
      <OpenIssuesCard />
      {!isLimited && <ActivityCard />}
    </PageLayout>
  );
}

OverviewPage.firstQueries = (session: Session) => [healthQuery(session), ...firstIssueQueries(session)];
