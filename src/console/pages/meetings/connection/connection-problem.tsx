import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useSession } from '../../../session.tsx';
import { syncErrorAdvice } from '../sync/sync-error-advice.ts';
import type { Connection } from '../use-recorder.ts';

/** Problem of the connection and how to fix it; renders nothing while the connection works. */
export function ConnectionProblem({ connection: { status, lastRun } }: { connection: Connection }) {
  const { canWrite } = useSession();
  if (status === 'connected' || lastRun?.status === 'running') return null;
  if (status === 'key_invalid') {
    return (
      <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title="The provider rejected the API key">
        Meetings are not synced until the key is replaced. Create a new key in your account with the provider
        {canWrite ? ' and replace the key here.' : '. Replacing the key here requires write scope.'}
      </Alert>
    );
  }
  return (
    <Alert color="orange" icon={<IconAlertTriangle aria-hidden />} title="The last sync failed">
      {lastRun?.error?.message} {syncErrorAdvice(lastRun?.error?.code)}
    </Alert>
  );
}
