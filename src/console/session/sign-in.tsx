import { Alert, Anchor, Button, Center, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useServiceMutation } from '../api/use-service-mutation.ts';
import { ErrorAlert } from '../components/error-alert.tsx';
import type { StoredSession } from './session.tsx';
import { startSession } from './session-client.ts';

interface SignInProps {
  /** Why the previous session ended; null without one, and after a sign-out. */
  reason: string | null;
  onSignIn: (session: StoredSession) => void;
}

/** Path of the file with the demo keys; empty if the service has none. */
const demoKeysFile = document.querySelector<HTMLMetaElement>('meta[name="demo-keys-file"]')?.content ?? '';

/** Sign-in page. An API key is the only credential; there are no user accounts. */
export function SignIn({ reason, onSignIn }: SignInProps) {
  const [key, setKey] = useState('');
  const start = useServiceMutation(startSession, { onSuccess: onSignIn });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    start.mutate(key.trim());
  };
  return (
    <Center mih="100vh" p="md">
      <Paper withBorder shadow="sm" p="xl" w="100%" maw={440} component="main">
        <form onSubmit={submit}>
          <Stack>
            <div>
              <Title order={1} size="h3">
                Engagement console
              </Title>
              <Text c="dimmed" size="sm" mt={4}>
                Sign in with an API key. The session is valid in all tabs of this browser for 12 hours; the
                key is not stored.
              </Text>
            </div>
            {reason && !start.error && (
              <Alert color="yellow" title="Your session has ended" role="status">
                {reason} Sign in to return to this page.
              </Alert>
            )}
            <PasswordInput
              label="API key"
              placeholder="eg_…"
              autoComplete="off"
              spellCheck={false}
              value={key}
              onChange={(event) => setKey(event.currentTarget.value)}
              data-autofocus
              autoFocus
              required
            />
            <ErrorAlert error={start.error} />
            <Button type="submit" loading={start.isPending} disabled={key.trim() === ''}>
              Sign in
            </Button>
            <Text c="dimmed" size="xs">
              {demoKeysFile && (
                <>
                  Demo keys are in <code>{demoKeysFile}</code>.{' '}
                </>
              )}
              Create a key with <code>npm run -s engagement -- key create</code>. See also the{' '}
              <Anchor href="/api/v1/docs" inherit>
                REST documentation
              </Anchor>
              ,{' '}
              <Anchor href="/v1/docs" inherit>
                REST preview
              </Anchor>
              ,{' '}
              <Anchor href="/api/docs" inherit>
                drift procedures
              </Anchor>{' '}
              and{' '}
              <Anchor href="/graphql" inherit>
                GraphiQL
              </Anchor>
              .
            </Text>
          </Stack>
        </form>
      </Paper>
    </Center>
  );
}
