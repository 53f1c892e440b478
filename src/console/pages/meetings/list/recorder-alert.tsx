import { Alert, Anchor } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from 'wouter';
import { isConnection, useRecorder } from '../use-recorder.ts';

/** Warns that the last sync failed; renders nothing while the connection works or does not exist. */
export function RecorderAlert() {
  const { data: recorder } = useRecorder();
  if (!isConnection(recorder) || recorder.status === 'connected') return null;
  const reason =
    recorder.status === 'key_invalid'
      ? 'The provider rejected the API key.'
      : (recorder.lastRun?.error?.message ?? 'The last sync failed.');
  return (
    <Alert color="orange" icon={<IconAlertTriangle aria-hidden />} title="New meetings may be missing">
      {reason}{' '}
      <Anchor component={Link} href="/meetings/settings" c="inherit" inherit>
        Open recorder settings
      </Anchor>
    </Alert>
  );
}
