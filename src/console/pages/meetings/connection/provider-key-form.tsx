import { Button, Group, PasswordInput, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { recorderQueryKey } from '../use-recorder.ts';

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
  /** Additional buttons. */
  children?: ReactNode;
}

/** Submits an API key of the provider. The key is cleared from the page once the service has stored it. */
export function ProviderKeyForm({ action, onConnected, children }: ProviderKeyFormProps) {
  const { call, customerId } = useSession();
  const queries = useQueryClient();
  const [apiKey, setApiKey] = useState('');
  const connect = useMutation({
    mutationFn: (candidate: string) => call(CONNECT, { apiKey: candidate }),
    onSuccess: async () => {
      setApiKey('');
      await onConnected?.();
      await queries.invalidateQueries({ queryKey: recorderQueryKey(customerId) });
    },
    gcTime: 0,
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
          maxLength={500}
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
