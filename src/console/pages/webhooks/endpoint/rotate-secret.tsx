import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { Confirm } from '../../../components/confirm-dialog.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { SecretDialog } from '../endpoints/signing-secret-dialog.tsx';

const ROTATE = graphql(`
  mutation RotateSecret($id: Int!) {
    rotateWebhookSecret(id: $id) {
      secret
    }
  }
`);

/** Replaces the signing secret, after asking, and shows the new one. */
export function RotateSecret({ id }: { id: number }) {
  const { call } = useSession();
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <Confirm
        title="Rotate the signing secret?"
        action="Rotate"
        run={async () => setSecret((await call(ROTATE, { id })).rotateWebhookSecret.secret)}
        trigger={(open) => (
          <Button variant="default" onClick={open}>
            Rotate secret
          </Button>
        )}
      >
        <Text size="sm">
          The old secret signs nothing from then on: until your receiver has the new one, it will refuse what
          it gets. Refused deliveries are tried again for about two and a half hours.
        </Text>
      </Confirm>
      <SecretDialog secret={secret} title="The secret is rotated" close={() => setSecret(null)} />
    </>
  );
}
