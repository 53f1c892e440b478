import { notifications } from '@mantine/notifications';
import { IconRefresh } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { toReadableError } from '../../api/error-messages.ts';
import { ActionButton } from '../../components/action-button.tsx';
import { graphql } from '../../generated/gql.ts';
import type { CheckDriftMutation } from '../../generated/graphql.ts';
import { useSession } from '../../session.tsx';
import { formatScore } from './drift-format.ts';
import { DRIFT_QUERY_KEY } from './use-drift.ts';

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
  const queries = useQueryClient();
  const check = useMutation({
    mutationFn: () => call(CHECK, { stage }),
    onSuccess: ({ triggerDriftCheck }) =>
      notifications.show(describeCheck(triggerDriftCheck, stage === null ? 'all samples' : `stage ${stage}`)),
    onError: (error) => {
      const { title, message } = toReadableError(error);
      notifications.show({ title, message, color: 'red' });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: [DRIFT_QUERY_KEY] }),
  });
  return <ActionButton icon={IconRefresh} label="Check now" action={check} />;
}
