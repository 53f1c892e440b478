import { Button, Card, Group, PasswordInput, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { MAX_TEXT } from '../../../../shared/text-limits.ts';
import { messagesByPath } from '../../../api/error-messages.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { useServiceMutation } from '../../../api/use-service-mutation.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { CopyValue } from '../../../components/copy-value.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session/session.tsx';

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

const SET_SECRET = graphql(`
  mutation SetRecorderWebhookSecret($secret: String) {
    setRecorderWebhookSecret(secret: $secret) {
      hasSecret
    }
  }
`);

/** Stores, replaces or removes the signing secret. The secret is cleared from the page once it is stored. */
function WebhookSecretForm({ hasSecret }: { hasSecret: boolean }) {
  const { call, customerId } = useSession();
  const [secret, setSecret] = useState('');
  const options = {
    invalidates: [queryKeys.recorder(customerId)],
    onSuccess: () => setSecret(''),
  };
  const save = useServiceMutation((candidate: string) => call(SET_SECRET, { secret: candidate }), options);
  const remove = useServiceMutation(() => call(SET_SECRET, { secret: null }), options);
  const { secret: message } = messagesByPath(save.error);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate(secret.trim());
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <PasswordInput
          label="Signing secret"
          description={
            hasSecret
              ? 'A secret is stored encrypted and is not shown again. A new secret replaces it.'
              : 'No secret is stored: the service refuses every webhook.'
          }
          placeholder="whsec_…"
          autoComplete="off"
          spellCheck={false}
          maxLength={MAX_TEXT}
          value={secret}
          onChange={({ currentTarget }) => {
            save.reset();
            setSecret(currentTarget.value);
          }}
          error={message}
          aria-invalid={message ? true : undefined}
        />
        <ErrorAlert error={message ? null : save.error} />
        <Group justify="flex-end">
          {hasSecret && (
            <ConfirmDialog
              title="Remove the signing secret?"
              action="Remove"
              mutation={remove}
              trigger={(open) => (
                <Button variant="default" onClick={open}>
                  Remove secret
                </Button>
              )}
            >
              The service refuses every webhook of the provider until a secret is stored again. New meetings
              then appear with the next sync.
            </ConfirmDialog>
          )}
          <Button type="submit" loading={save.isPending} disabled={secret.trim() === ''}>
            Store secret
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
