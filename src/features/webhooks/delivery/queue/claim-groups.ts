import type { Lease } from '../../../../platform/mongo/lease.ts';
import type { DeliveryDoc } from '../delivery.model.ts';
import { type ClaimOutcome, claim } from '../state/delivery-state.ts';
import { claimUpdate, type DeliveryUpdate } from '../state/delivery-updates.ts';

/** A due delivery as a claim reads it. */
export type Candidate = Omit<DeliveryDoc, 'attempts'>;

/** Candidates in the same state, and the update that claims them. */
export interface ClaimGroup {
  candidates: Candidate[];
  claimed: ClaimOutcome;
  update: DeliveryUpdate;
}

/** Groups candidates whose claim is the same update under the same condition. */
export function claimGroups(candidates: Candidate[], lease: Lease, now: Date): ClaimGroup[] {
  const alike = Map.groupBy(
    candidates,
    ({ status, attempt, error, manual }) =>
      `${status} ${attempt} ${error === null} ${manual && String(manual.resumeAt?.getTime())}`,
  );
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { attempt, error, manual = null } = first;
    const claimed = claim({ attempt, manual });
    return [
      { candidates: group, claimed, update: claimUpdate(claimed, { hasError: error !== null, now, lease }) },
    ];
  });
}
