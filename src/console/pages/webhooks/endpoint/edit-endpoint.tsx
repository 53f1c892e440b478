import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPencil } from '@tabler/icons-react';
import { Dialog } from '../../../components/dialog.tsx';
import { EndpointForm, type EndpointInput } from '../endpoints/endpoint-form.tsx';
import type { Endpoint } from '../endpoints/use-endpoints.ts';
import { useUpdateEndpoint } from './use-update-endpoint.ts';

export function EditEndpoint({ endpoint }: { endpoint: Endpoint }) {
  const [opened, { open, close }] = useDisclosure(false);
  const update = useUpdateEndpoint(endpoint.id);
  const save = async (input: EndpointInput): Promise<void> => {
    await update(input);
    close();
  };
  return (
    <>
      <Button variant="default" leftSection={<IconPencil size={16} aria-hidden />} onClick={open}>
        Edit
      </Button>
      <Dialog opened={opened} onClose={close} title="Edit endpoint" size="lg">
        <EndpointForm initial={endpoint} action="Save" save={save} cancel={close} />
      </Dialog>
    </>
  );
}
