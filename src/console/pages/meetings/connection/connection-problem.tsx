import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useSession } from '../../../session.tsx';
import { adviceOn } from '../sync/sync-error-advice.ts';
import type { Connection } from '../use-recorder.ts';

/** What is wrong with a connection, and what to do about it; nothing when it works. */
export function ConnectionTrouble({ connection: { status, lastRun } }: { connection: Connection }) {
  const { canWrite } = useSession();
  if (status === 'connected' || lastRun?.status === 'running') return null;
  if (status === 'key_invalid') {
    return (
      <Alert
        color="red"
        icon={<IconAlertTriangle aria-hidden />}
        title="The provider does not accept the key any more"
      >
        It was revoked or deleted there. Make a new one in your account with the provider, and{' '}
        {canWrite ? 'replace the key here.' : 'have somebody whose key may write replace it here.'} Until then
        no meetings come.
      </Alert>
    );
  }
  return (
    <Alert color="orange" icon={<IconAlertTriangle aria-hidden />} title="The last sync failed">
      {lastRun?.error?.message} {adviceOn(lastRun?.error?.code)}
    </Alert>
  );
}
