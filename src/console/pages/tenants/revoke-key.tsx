import { Button, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Confirm } from '../../components/confirm-dialog.tsx';
import { graphql } from '../../generated/gql.ts';
import { useSession } from '../../session.tsx';

const REVOKE = graphql(`
  mutation RevokeApiKey($id: ID!) {
    revokeApiKey(id: $id) {
      id
    }
  }
`);

interface RevokeKeyProps {
  id: string;
  prefix: string;
  /** Whether it is the one that is signed in with. */
  isOwn: boolean;
}

/** Takes a key out of use, once that was confirmed. */
export function RevokeKey({ id, prefix, isOwn }: RevokeKeyProps) {
  const { call } = useSession();
  const queries = useQueryClient();
  const revoke = async (): Promise<void> => {
    await call(REVOKE, { id });
    await queries.invalidateQueries({ queryKey: ['api-keys'] });
  };
  return (
    <Confirm
      title="Revoke this key?"
      action="Revoke"
      run={revoke}
      trigger={(ask) => (
        <Button size="compact-sm" variant="default" aria-label={`Revoke ${prefix}…`} onClick={ask}>
          Revoke
        </Button>
      )}
    >
      <Text size="sm">
        Nothing that begins from then on can use <span className="mono">{prefix}…</span>, and that cannot be
        undone.
      </Text>
      {isOwn && (
        <Text size="sm" mt="sm" fw={600}>
          It is the key that you are signed in with: you will be signed out.
        </Text>
      )}
    </Confirm>
  );
}
