import { Button, Group, PasswordInput, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { messagesByPath } from '../../../api/error-messages.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { recorderQueryKey } from '../use-recorder.ts';

const SET_SECRET = graphql(`
  mutation SetRecorderWebhookSecret($secret: String) {
    setRecorderWebhookSecret(secret: $secret) {
      hasSecret
    }
  }
`);

/** Stores, replaces or removes the signing secret. The secret is cleared from the page once it is stored. */
export function WebhookSecretForm({ hasSecret }: { hasSecret: boolean }) {
  const { call, customerId } = useSession();
  const queries = useQueryClient();
  const [secret, setSecret] = useState('');
  const save = useMutation({
    mutationFn: (candidate: string | null) => call(SET_SECRET, { secret: candidate }),
    onSuccess: async () => {
      setSecret('');
      await queries.invalidateQueries({ queryKey: recorderQueryKey(customerId) });
    },
    gcTime: 0,
  });
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
          maxLength={200}
          value={secret}
          onChange={({ currentTarget }) => {
            save.reset();
            setSecret(currentTarget.value);
          }}
          error={message}
          aria-invalid={message ? true : undefined}
        />
        {/* The dialog shows the error of a removal. */}
        <ErrorAlert error={message || save.variables === null ? null : save.error} />
        <Group justify="flex-end">
          {hasSecret && (
            <ConfirmDialog
              title="Remove the signing secret?"
              action="Remove"
              run={() => save.mutateAsync(null)}
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
