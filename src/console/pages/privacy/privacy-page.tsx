import { PageLayout } from '../../components/page-layout.tsx';
import { ErasePersonCard } from './erase-person-card.tsx';
import { ErasuresCard } from './erasures-card.tsx';
import { RetentionCard } from './retention-card.tsx';

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
