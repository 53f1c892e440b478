import { Button, Card, Code, Stack, Text } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { EmptyState } from '../../components/empty-state.tsx';

/** Replaces the page content while the ML sidecar is unavailable. */
export function SidecarUnavailable({ retry, retrying }: { retry: () => void; retrying: boolean }) {
  return (
    <Card withBorder role="alert">
      <EmptyState icon={IconPlugConnectedX} title="ML sidecar unavailable">
        <Stack align="center" gap="sm">
          <Text inherit>
            The ML sidecar computes drift, so no drift data is available right now. The rest of the service is
            not affected.
          </Text>
          <Text inherit>
            In embedded mode, the service restarts its sidecar within seconds. Otherwise, check that the
            sidecar at <Code>ML_SIDECAR_URL</Code> is running. Run{' '}
            <Code>npm run -s engagement -- doctor</Code> to diagnose the problem.
          </Text>
          <Button onClick={retry} loading={retrying}>
            Try again
          </Button>
        </Stack>
      </EmptyState>
    </Card>
  );
}
