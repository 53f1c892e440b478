import { Alert, Anchor } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from 'wouter';
import { isConnection, useRecorder } from '../use-recorder.ts';

/** Why no new meetings come, for those who wonder; nothing when they do, or when the empty list says it. */
export function RecorderNote() {
  const { data: recorder } = useRecorder();
  if (!isConnection(recorder) || recorder.status === 'connected') return null;
  const why =
    recorder.status === 'key_invalid'
      ? 'The provider does not accept the key any more.'
      : (recorder.lastRun?.error?.message ?? 'The last sync failed.');
  return (
    <Alert color="orange" icon={<IconAlertTriangle aria-hidden />} title="New meetings may be missing">
      {why}{' '}
      <Anchor component={Link} href="/meetings/settings" c="inherit" inherit>
        Look at the recorder settings
      </Anchor>
    </Alert>
  );
}
