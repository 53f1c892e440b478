import { Button, Text } from '@mantine/core';
import { queryKeys } from '../../api/query-keys.ts';
import { useServiceMutation } from '../../api/use-service-mutation.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
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
  /** True for the key of the current session. */
  isOwn: boolean;
}

/** Revokes a key after confirmation. */
export function RevokeKey({ id, prefix, isOwn }: RevokeKeyProps) {
  const { call } = useSession();
  const revoke = useServiceMutation(() => call(REVOKE, { id }), { invalidates: [queryKeys.apiKeys] });
  return (
    <ConfirmDialog
      title="Revoke this API key?"
      action="Revoke"
      mutation={revoke}
      trigger={(open) => (
        <Button size="compact-sm" variant="default" aria-label={`Revoke ${prefix}…`} onClick={open}>
          Revoke
        </Button>
      )}
    >
      <Text size="sm">
        The service rejects all further requests with <span className="mono">{prefix}…</span>. This cannot be
        undone.
      </Text>
      {isOwn && (
        <Text size="sm" mt="sm" fw={600}>
          You are signed in with this key and will be signed out.
        </Text>
      )}
    </ConfirmDialog>
  );
}
