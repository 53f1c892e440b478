import { Button, Card, Code, Stack, Text } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { EmptyState } from '../../components/empty-state.tsx';

/** Stands for all of the page while the sidecar cannot be asked: what that means, and what to do. */
export function SidecarDown({ retry, retrying }: { retry: () => void; retrying: boolean }) {
  return (
    <Card withBorder role="alert">
      <EmptyState icon={IconPlugConnectedX} title="The ML sidecar does not answer">
        <Stack align="center" gap="sm">
          <Text inherit>
            Drift is computed by the ML sidecar, so nothing can be said of it just now. Everything else goes
            on working.
          </Text>
          <Text inherit>
            See that it runs and that <Code>ML_SIDECAR_URL</Code> is its address;{' '}
            <Code>npm run -s engagement -- doctor</Code> tells what is wrong.
          </Text>
          <Button onClick={retry} loading={retrying}>
            Try again
          </Button>
        </Stack>
      </EmptyState>
    </Card>
  );
}
