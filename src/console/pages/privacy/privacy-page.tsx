import { PageLayout } from '../../components/page-layout.tsx';
import type { Session } from '../../session/session.tsx';
import { ErasePersonCard } from './erase-person-card.tsx';
import { ErasuresCard, erasuresQuery } from './erasures-card.tsx';
import { RetentionCard, retentionQuery } from './retention-card.tsx';

/** A customer's retention times, and the erasure of people. */
export default function PrivacyPage() {
  return (
    <PageLayout title="Privacy" subtitle="How long data is kept, and the erasure of a person's data.">
      <RetentionCard />
      <ErasePersonCard />
      <ErasuresCard />
    </PageLayout>
  );
}

PrivacyPage.firstQueries = (session: Session) => [retentionQuery(session), erasuresQuery(session)];
