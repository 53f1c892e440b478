import { Button, Group, PasswordInput, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ErrorNote } from '../../../components/error-alert.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { recorderKey } from '../use-recorder.ts';

const CONNECT = graphql(`
  mutation ConnectRecorder($apiKey: String!) {
    connectRecorder(apiKey: $apiKey) {
      status
    }
  }
`);

interface ConnectFormProps {
  /** Words on the button. */
  action: string;
  /** Waited for before the page shows the connection. */
  onConnected?: () => unknown;
  /** More buttons. */
  children?: ReactNode;
}

/** Asks for the provider's key. It leaves the page when the service has taken it, and does not come back. */
export function ConnectForm({ action, onConnected, children }: ConnectFormProps) {
  const { call, customerId } = useSession();
  const queries = useQueryClient();
  const [apiKey, setApiKey] = useState('');
  const connect = useMutation({
    mutationFn: (pasted: string) => call(CONNECT, { apiKey: pasted }),
    onSuccess: async () => {
      setApiKey('');
      await onConnected?.();
      await queries.invalidateQueries({ queryKey: recorderKey(customerId) });
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
          label="Provider key"
          description="An API key that you have made in your account with the meeting provider. It is checked there first, then kept encrypted, and never shown again."
          autoComplete="off"
          spellCheck={false}
          maxLength={500}
          data-autofocus
          required
          value={apiKey}
          onChange={({ currentTarget }) => setApiKey(currentTarget.value)}
        />
        <ErrorNote error={connect.error} />
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
