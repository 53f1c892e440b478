import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { queryKeys } from '../../../api/query-keys.ts';
import { useServiceMutation } from '../../../api/use-service-mutation.ts';
import { Dialog } from '../../../components/dialog.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session/session.tsx';
import { EndpointForm, type EndpointInput } from './endpoint-form.tsx';
import { SigningSecretDialog } from './signing-secret-dialog.tsx';
import { CREATED_STATE } from './use-endpoints.ts';

const CREATE = graphql(`
  mutation CreateEndpoint($input: CreateWebhookEndpointInput!) {
    createWebhookEndpoint(input: $input) {
      secret
      endpoint {
        id
        publicKey
      }
    }
  }
`);

/** Creates an endpoint, shows its signing secret and then opens its page. */
export function CreateEndpoint() {
  const { call, customerId } = useSession();
  const [opened, { open, close }] = useDisclosure(false);
  const [, navigate] = useLocation();
  const [created, setCreated] = useState<{ id: number; secret: string; publicKey: string | null } | null>(
    null,
  );

  const create = useServiceMutation((input: EndpointInput) => call(CREATE, { input }), {
    invalidates: [queryKeys.endpoints(customerId)],
    onSuccess: ({ createWebhookEndpoint: { secret, endpoint } }) => {
      close();
      setCreated({ ...endpoint, secret });
    },
  });
  return (
    <>
      <Button
        leftSection={<IconPlus size={16} aria-hidden />}
        onClick={() => {
          create.reset();
          open();
        }}
      >
        Create endpoint
      </Button>
      <Dialog opened={opened} onClose={close} title="Create endpoint" size="lg">
        <EndpointForm
          action="Create"
          save={create.mutate}
          saving={create.isPending}
          error={create.error}
          cancel={close}
        />
      </Dialog>
      <SigningSecretDialog
        secret={created?.secret ?? null}
        publicKey={created?.publicKey}
        title="Endpoint created"
        close={() => {
          setCreated(null);
          // The response has the secret as well.
          create.reset();
          if (created) navigate(`/webhooks/${created.id}`, { state: CREATED_STATE });
        }}
      />
    </>
  );
}
