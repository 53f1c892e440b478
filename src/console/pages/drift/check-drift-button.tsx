import { IconRefresh } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../../api/query-keys.ts';
import { useServiceMutation } from '../../api/use-service-mutation.ts';
import { ActionButton } from '../../components/action-button.tsx';
import { graphql } from '../../generated/gql.ts';
import { useSession } from '../../session/session.tsx';
import { formatScore } from './drift-format.ts';
import { driftStatusQuery, useModel } from './drift-queries.ts';
import { type DriftStatus, describeMissingRows, listNames, verdictOf } from './drift-verdict.ts';

const CHECK = graphql(`
  mutation CheckDrift($stage: String, $model: String) {
    triggerDriftCheck(stage: $stage, model: $model) {
      success
    }
  }
`);

/** Runs a drift check of the selected funnel stage and refetches all drift data. */
export function CheckDriftButton({ stage }: { stage: string | null }) {
  const { call } = useSession();
  const model = useModel();
  const queries = useQueryClient();
  const subject = stage === null ? 'all samples' : `stage ${stage}`;
  const check = useServiceMutation(
    async () => {
      const { triggerDriftCheck } = await call(CHECK, { stage, model });
      // The result of the check names no features.
      return triggerDriftCheck.success
        ? queries.fetchQuery({ ...driftStatusQuery({ call }, { model, stage }), staleTime: 0 })
        : null;
    },
    {
      invalidates: [queryKeys.drift],
      notify: (status) =>
        status
          ? describeCheck(status, subject)
          : {
              title: 'Drift check failed',
              message: `The ML sidecar could not check ${subject}.`,
              color: 'red',
            },
      notifyFailure: true,
    },
  );
  return <ActionButton icon={IconRefresh} label="Check now" action={check} />;
}

/** Returns the notification about a completed check. */
function describeCheck(status: DriftStatus, subject: string) {
  const verdict = verdictOf(status);
  const score = `Drift score of ${subject}: ${formatScore(status.driftScore)}.`;
  switch (verdict.state) {
    case 'drifted':
      return { title: 'Drift detected', message: score, color: 'red' };
    case 'features drifted':
      return {
        title: 'Features drifted',
        message: `${score} Above their thresholds: ${listNames(verdict.features)}.`,
        color: 'orange',
      };
    case 'unproven':
      return {
        title: 'No proven drift',
        message: `${score} Above the threshold, but within noise: ${listNames(verdict.features)}.`,
        color: 'gray',
      };
    // The score 0 of too few rows does not mean that nothing drifted.
    case 'no samples':
    case 'too few samples':
      return {
        title: 'Too few samples',
        message: `The check of ${subject} has no score. ${describeMissingRows(status)}`,
        color: 'gray',
      };
    case 'no drift':
      return { title: 'No drift detected', message: score, color: 'teal' };
  }
}
