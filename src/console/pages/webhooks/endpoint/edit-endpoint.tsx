import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPencil } from '@tabler/icons-react';
import { queryKeys } from '../../../api/query-keys.ts';
import { useServiceMutation } from '../../../api/use-service-mutation.ts';
import { Dialog } from '../../../components/dialog.tsx';
import { useSession } from '../../../session.tsx';
import { EndpointForm, type EndpointInput } from '../endpoints/endpoint-form.tsx';
import type { Endpoint } from '../endpoints/use-endpoints.ts';
import { UPDATE_ENDPOINT } from './use-endpoint.ts';

export function EditEndpoint({ endpoint }: { endpoint: Endpoint }) {
  const [opened, { open, close }] = useDisclosure(false);
  const { call, customerId } = useSession();
  const update = useServiceMutation(
    (input: EndpointInput) => call(UPDATE_ENDPOINT, { id: endpoint.id, input }),
    { invalidates: [queryKeys.endpoints(customerId)] },
  );
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconPencil size={16} aria-hidden />}
        onClick={() => {
          update.reset();
          open();
        }}
      >
        Edit
      </Button>
      <Dialog opened={opened} onClose={close} title="Edit endpoint" size="lg">
        <EndpointForm
          initial={endpoint}
          action="Save"
          save={(input) => update.mutate(input, { onSuccess: close })}
          saving={update.isPending}
          error={update.error}
          cancel={close}
        />
      </Dialog>
    </>
  );
}
