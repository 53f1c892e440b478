import { Button, Group, PasswordInput, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { MAX_TEXT } from '../../../../shared/text-limits.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { useServiceMutation } from '../../../api/use-service-mutation.ts';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session/session.tsx';

const CONNECT = graphql(`
  mutation ConnectRecorder($apiKey: String!) {
    connectRecorder(apiKey: $apiKey) {
      status
    }
  }
`);

interface ProviderKeyFormProps {
  /** Label of the submit button. */
  action: string;
  /** Awaited before the page shows the connection. */
  onConnected?: () => unknown;
  children?: ReactNode;
}

/** Submits an API key of the provider. The key is cleared from the page once the service has stored it. */
export function ProviderKeyForm({ action, onConnected, children }: ProviderKeyFormProps) {
  const { call, customerId } = useSession();
  const [apiKey, setApiKey] = useState('');
  const connect = useServiceMutation((candidate: string) => call(CONNECT, { apiKey: candidate }), {
    invalidates: [queryKeys.recorder(customerId)],
    onSuccess: () => {
      setApiKey('');
      return onConnected?.();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    connect.mutate(apiKey.trim());
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <PasswordInput
          label="Provider API key"
          description="Create an API key in your account with the meeting provider. The service verifies the key with the provider, stores it encrypted, and does not show it again."
          autoComplete="off"
          spellCheck={false}
          maxLength={MAX_TEXT}
          data-autofocus
          required
          value={apiKey}
          onChange={({ currentTarget }) => setApiKey(currentTarget.value)}
        />
        <ErrorAlert error={connect.error} />
        <Group justify="flex-end">
          {children}
          <Button type="submit" loading={connect.isPending} disabled={apiKey.trim() === ''}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
