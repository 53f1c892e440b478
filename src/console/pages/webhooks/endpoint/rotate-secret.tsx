import { Button, Text } from '@mantine/core';
import { useServiceMutation } from '../../../api/use-service-mutation.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { SigningSecretDialog } from '../endpoints/signing-secret-dialog.tsx';

const ROTATE = graphql(`
  mutation RotateSecret($id: Int!) {
    rotateWebhookSecret(id: $id) {
      secret
    }
  }
`);

/** Replaces the signing secret after confirmation and shows the new one. */
export function RotateSecret({ id }: { id: number }) {
  const { call } = useSession();
  const rotate = useServiceMutation(() => call(ROTATE, { id }));
  return (
    <>
      <ConfirmDialog
        title="Rotate the signing secret?"
        action="Rotate"
        mutation={rotate}
        trigger={(open) => (
          <Button variant="default" onClick={open}>
            Rotate secret
          </Button>
        )}
      >
        <Text size="sm">
          The old secret stops signing deliveries immediately. Your receiver rejects deliveries until you
          configure the new secret there; rejected deliveries are retried on the normal schedule.
        </Text>
      </ConfirmDialog>
      <SigningSecretDialog
        secret={rotate.data?.rotateWebhookSecret.secret ?? null}
        title="Secret rotated"
        close={rotate.reset}
      />
    </>
  );
}
