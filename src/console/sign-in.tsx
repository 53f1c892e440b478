import { Anchor, Button, Center, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { createCall } from './api/graphql-client.ts';
import { ErrorNote } from './components/error-alert.tsx';
import { graphql } from './generated/gql.ts';
import type { KeyScope } from './generated/graphql.ts';

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

interface SignInProps {
  begin: (kept: { key: string; scope: KeyScope; customerId: number | null }) => void;
}

/** Signing in is pasting an API key: there are no other accounts. */
export function SignIn({ begin }: SignInProps) {
  const [key, setKey] = useState('');
  const check = useMutation({
    mutationFn: (pasted: string) => createCall({ key: pasted, customerId: null }, () => {})(VIEWER),
    onSuccess: ({ viewer }, pasted) =>
      begin({ key: pasted, scope: viewer.scope, customerId: viewer.tenant?.customerId ?? null }),
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
                Paste an API key. It is kept in this tab until you close it or sign out, and shows what it may
                see.
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
            <ErrorNote error={check.error} />
            <Button type="submit" loading={check.isPending} disabled={key.trim() === ''}>
              Sign in
            </Button>
            <Text c="dimmed" size="xs">
              The keys of the demo are in <code>.data/demo.env</code>. Make one with{' '}
              <code>npm run -s engagement -- key create</code>, or look at the{' '}
              <Anchor href="/api/v1/docs" inherit>
                REST documentation
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
