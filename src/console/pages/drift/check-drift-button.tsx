import { IconRefresh } from '@tabler/icons-react';
import { queryKeys } from '../../api/query-keys.ts';
import { useServiceMutation } from '../../api/use-service-mutation.ts';
import { ActionButton } from '../../components/action-button.tsx';
import { graphql } from '../../generated/gql.ts';
import type { CheckDriftMutation } from '../../generated/graphql.ts';
import { useSession } from '../../session.tsx';
import { formatScore } from './drift-format.ts';

const CHECK = graphql(`
  mutation CheckDrift($stage: String) {
    triggerDriftCheck(stage: $stage) {
      success
      driftScore
      isDrifted
      insufficientData
    }
  }
`);

type CheckResult = CheckDriftMutation['triggerDriftCheck'];

/** Returns the notification about a check. */
function describeCheck({ success, driftScore, isDrifted, insufficientData }: CheckResult, subject: string) {
  if (!success)
    return {
      title: 'Drift check failed',
      message: `The ML sidecar could not check ${subject}.`,
      color: 'red',
    };
  // The score 0 of too few rows does not mean that nothing drifted.
  if (insufficientData && !isDrifted)
    return {
      title: 'Too few samples',
      message: `The check of ${subject} has no score.`,
      color: 'gray',
    };
  return {
    title: isDrifted ? 'Drift detected' : 'No drift detected',
    message: `Drift score of ${subject}: ${formatScore(driftScore)}.`,
    color: isDrifted ? 'red' : 'teal',
  };
}

/** Runs a drift check of the selected funnel stage and refetches all drift data. */
export function CheckDriftButton({ stage }: { stage: string | null }) {
  const { call } = useSession();
  const check = useServiceMutation(() => call(CHECK, { stage }), {
    invalidates: [queryKeys.drift],
    notify: ({ triggerDriftCheck }) =>
      describeCheck(triggerDriftCheck, stage === null ? 'all samples' : `stage ${stage}`),
    notifyFailure: true,
  });
  return <ActionButton icon={IconRefresh} label="Check now" action={check} />;
}
