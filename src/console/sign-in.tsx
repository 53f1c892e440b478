import { Anchor, Button, Center, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { createCall } from './api/graphql-client.ts';
import { ErrorAlert } from './components/error-alert.tsx';
import { graphql } from './generated/gql.ts';
import type { StoredSession } from './session.tsx';

const VIEWER = graphql(`
  query SignIn {
    viewer {
      scope
      tenant {
        customerId
      }
    }
  }
`);

/** Sign-in page. An API key is the only credential; there are no user accounts. */
export function SignIn({ onSignIn }: { onSignIn: (session: StoredSession) => void }) {
  const [key, setKey] = useState('');
  const check = useMutation({
    mutationFn: (candidate: string) => createCall({ key: candidate, customerId: null }, () => {})(VIEWER),
    onSuccess: ({ viewer }, candidate) =>
      onSignIn({ key: candidate, scope: viewer.scope, customerId: viewer.tenant?.customerId ?? null }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    check.mutate(key.trim());
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
                Sign in with an API key. The key stays in this browser tab until you close it or sign out.
              </Text>
            </div>
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
            <ErrorAlert error={check.error} />
            <Button type="submit" loading={check.isPending} disabled={key.trim() === ''}>
              Sign in
            </Button>
            <Text c="dimmed" size="xs">
              Demo keys are in <code>.data/demo.env</code>. Create a key with{' '}
              <code>npm run -s engagement -- key create</code>. See also the{' '}
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
