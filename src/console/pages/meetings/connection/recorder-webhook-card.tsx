import { Button, Card, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../../api/query-keys.ts';
import { useServiceMutation } from '../../../api/use-service-mutation.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { CopyValue } from '../../../components/copy-value.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { WebhookSecretForm } from './webhook-secret-form.tsx';

const WEBHOOK = graphql(`
  query RecorderWebhook {
    recorderWebhook {
      path
      hasSecret
    }
  }
`);
const ROTATE = graphql(`
  mutation RotateRecorderWebhook {
    rotateRecorderWebhook {
      path
    }
  }
`);

/** Address and signing secret of the provider's webhooks. */
export function RecorderWebhookCard() {
  const { call, customerId } = useSession();
  const { data: webhook, error } = useQuery({
    queryKey: queryKeys.recorderWebhook(customerId),
    queryFn: async () => (await call(WEBHOOK)).recorderWebhook ?? null,
  });
  const rotate = useServiceMutation(() => call(ROTATE), { invalidates: [queryKeys.recorder(customerId)] });
  return (
    <Card withBorder>
      <Stack>
        <Group justify="space-between">
          <Title order={2} size="h4">
            Provider webhook
          </Title>
          {webhook?.path && (
            <ConfirmDialog
              title="Replace the webhook address?"
              action="Replace"
              mutation={rotate}
              trigger={(open) => (
                <Button variant="default" onClick={open}>
                  Replace address
                </Button>
              )}
            >
              The service refuses webhooks to the current address at once. Enter the new address at the
              provider.
            </ConfirmDialog>
          )}
        </Group>
        <Text size="sm">
          Create a webhook at the provider with this address, and enter the signing secret that the provider
          shows. New meetings and transcripts then appear without waiting for the next sync.
        </Text>
        <ErrorAlert error={error ?? (webhook?.path ? null : rotate.error)} />
        {webhook === undefined && !error && <Skeleton h={120} aria-label="Loading the webhook" />}
        {webhook &&
          (webhook.path ? (
            <CopyValue label="webhook address" value={window.location.origin + webhook.path} />
          ) : (
            <Group>
              <Text size="sm">This connection has no webhook address yet.</Text>
              <Button variant="default" loading={rotate.isPending} onClick={() => rotate.mutate()}>
                Create address
              </Button>
            </Group>
          ))}
        {webhook && <WebhookSecretForm hasSecret={webhook.hasSecret} />}
      </Stack>
    </Card>
  );
}
