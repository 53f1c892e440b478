import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { Dialog } from '../../../components/dialog.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { CREATED_STATE } from './created-state.ts';
import { EndpointForm, type EndpointInput } from './endpoint-form.tsx';
import { SigningSecretDialog } from './signing-secret-dialog.tsx';

const CREATE = graphql(`
  mutation CreateEndpoint($input: CreateWebhookEndpointInput!) {
    createWebhookEndpoint(input: $input) {
      secret
      endpoint {
        id
      }
    }
  }
`);

/** Creates an endpoint, shows its signing secret and then opens its page. */
export function CreateEndpoint() {
  const { call, customerId } = useSession();
  const queries = useQueryClient();
  const [opened, { open, close }] = useDisclosure(false);
  const [, navigate] = useLocation();
  const [created, setCreated] = useState<{ id: number; secret: string } | null>(null);

  const create = async (input: EndpointInput): Promise<void> => {
    const { createWebhookEndpoint } = await call(CREATE, { input });
    close();
    const { secret, endpoint } = createWebhookEndpoint;
    setCreated({ id: endpoint.id, secret });
    void queries.invalidateQueries({ queryKey: ['endpoints', customerId] });
  };
  return (
    <>
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
        Create endpoint
      </Button>
      <Dialog opened={opened} onClose={close} title="Create endpoint" size="lg">
        <EndpointForm action="Create" save={create} cancel={close} />
      </Dialog>
      <SigningSecretDialog
        secret={created?.secret ?? null}
        title="Endpoint created"
        close={() => {
          setCreated(null);
          if (created) navigate(`/webhooks/${created.id}`, { state: CREATED_STATE });
        }}
      />
    </>
  );
}
