import { Button, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { EndpointForm, type EndpointInput } from './endpoint-form.tsx';
import { SigningSecretDialog } from './signing-secret-dialog.tsx';

const CREATE = graphql(`
  mutation CreateEndpoint($input: CreateWebhookEndpointInput!) {
    createWebhookEndpoint(input: $input) {
      secret
    }
  }
`);

/** Creates an endpoint and shows its signing secret. */
export function CreateEndpoint() {
  const { call, customerId } = useSession();
  const queries = useQueryClient();
  const [opened, { open, close }] = useDisclosure(false);
  const [secret, setSecret] = useState<string | null>(null);

  const create = async (input: EndpointInput): Promise<void> => {
    const { createWebhookEndpoint } = await call(CREATE, { input });
    close();
    setSecret(createWebhookEndpoint.secret);
    void queries.invalidateQueries({ queryKey: ['endpoints', customerId] });
  };
  return (
    <>
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
        Create endpoint
      </Button>
      <Modal opened={opened} onClose={close} title="Create endpoint" size="lg" centered>
        <EndpointForm action="Create" save={create} cancel={close} />
      </Modal>
      <SigningSecretDialog secret={secret} title="Endpoint created" close={() => setSecret(null)} />
    </>
  );
}
