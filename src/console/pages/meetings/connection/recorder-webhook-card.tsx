import { Button, Card, Group, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { CopyValue } from '../../../components/copy-value.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { recorderQueryKey } from '../use-recorder.ts';

const WEBHOOK = graphql(`
  query RecorderWebhook {
    recorderWebhook {
      path
      hasSecret
    }
  }
`);
const SET_SECRET = graphql(`
  mutation SetRecorderWebhookSecret($secret: String) {
    setRecorderWebhookSecret(secret: $secret) {
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

/** Address and signing secret of the provider's webhooks. The secret is cleared from the page once it is stored. */
export function RecorderWebhookCard() {
  const { call, customerId } = useSession();
  const queries = useQueryClient();
  const [secret, setSecret] = useState('');
  const { data: webhook, error } = useQuery({
    queryKey: [...recorderQueryKey(customerId), 'webhook'],
    queryFn: async () => (await call(WEBHOOK)).recorderWebhook ?? null,
  });
  const refresh = () => queries.invalidateQueries({ queryKey: recorderQueryKey(customerId) });
  const save = useMutation({
    mutationFn: (candidate: string) => call(SET_SECRET, { secret: candidate }),
    onSuccess: async () => {
      setSecret('');
      await refresh();
    },
    gcTime: 0,
  });
  const rotate = async (): Promise<void> => {
    await call(ROTATE);
    await refresh();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate(secret.trim());
  };
  return (
    <Card withBorder>
      <form onSubmit={submit}>
        <Stack>
          <Group justify="space-between">
            <Title order={2} size="h4">
              Webhook of the provider
            </Title>
            <ConfirmDialog
              title="Replace the webhook address?"
              action="Replace"
              run={rotate}
              trigger={(open) => (
                <Button variant="default" onClick={open}>
                  Replace address
                </Button>
              )}
            >
              Webhooks to the current address are refused at once. Enter the new address at the provider.
            </ConfirmDialog>
          </Group>
          <Text size="sm">
            Create a webhook at the provider with this address, and enter the signing secret that the provider
            shows. New meetings and transcripts then appear without waiting for the next sync.
          </Text>
          <ErrorAlert error={error ?? save.error} />
          {webhook?.path && (
            <CopyValue label="Webhook address" value={window.location.origin + webhook.path} />
          )}
          <PasswordInput
            label="Signing secret"
            description={
              webhook?.hasSecret
                ? 'A secret is stored. A new one replaces it.'
                : 'No secret is stored: every webhook is refused.'
            }
            placeholder="whsec_…"
            autoComplete="off"
            spellCheck={false}
            maxLength={200}
            value={secret}
            onChange={({ currentTarget }) => setSecret(currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button type="submit" loading={save.isPending} disabled={secret.trim() === ''}>
              Store secret
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}
