import { Button, Group, PasswordInput, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { messagesByPath } from '../../../api/error-messages.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { useServiceMutation } from '../../../api/use-service-mutation.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';

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
          maxLength={200}
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
