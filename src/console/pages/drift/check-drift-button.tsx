import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconRefresh } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { readable } from '../../api/error-messages.ts';
import { graphql } from '../../generated/gql.ts';
import { useSession } from '../../session.tsx';
import { DRIFT_KEY } from './use-drift.ts';

const CHECK = graphql(`
  mutation CheckDrift($stage: String) {
    triggerDriftCheck(stage: $stage) {
      success
      driftScore
      isDrifted
    }
  }
`);

/** Makes a check, of the stage that is looked at, and reads everything about drift anew. */
export function CheckNow({ stage }: { stage: string | null }) {
  const { call } = useSession();
  const queries = useQueryClient();
  const check = useMutation({
    mutationFn: () => call(CHECK, { stage }),
    onSuccess: ({ triggerDriftCheck: { success, driftScore, isDrifted } }) => {
      const of = stage === null ? 'all stages' : `stage ${stage}`;
      notifications.show(
        success
          ? {
              title: isDrifted ? 'The model has drifted' : 'The model fits',
              message: `The check of ${of} scored ${driftScore.toFixed(2)}.`,
              color: isDrifted ? 'red' : 'teal',
            }
          : { title: 'No check was made', message: `The sidecar could not check ${of}.`, color: 'red' },
      );
    },
    onError: (error) => {
      const { title, message } = readable(error);
      notifications.show({ title, message, color: 'red' });
    },
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: [DRIFT_KEY] });
      // What else on other pages tells of it.
      void queries.invalidateQueries({ queryKey: ['attention'] });
    },
  });
  return (
    <Button
      leftSection={<IconRefresh size={16} aria-hidden />}
      loading={check.isPending}
      onClick={() => check.mutate()}
    >
      Check now
    </Button>
  );
}
