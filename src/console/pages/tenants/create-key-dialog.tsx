import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CopyValue } from '../../components/copy-value.tsx';
import { graphql } from '../../generated/gql.ts';
import type { CreateApiKeyInput } from '../../generated/graphql.ts';
import { useSession } from '../../session.tsx';
import { KeyForm } from './create-key-form.tsx';

const CREATE = graphql(`
  mutation CreateApiKey($input: CreateApiKeyInput!) {
    createApiKey(input: $input) {
      key
      apiKey {
        id
      }
    }
  }
`);

/** Creates an API key, and shows it this once. */
export function KeyDialog({ close }: { close: () => void }) {
  const { call } = useSession();
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: (input: CreateApiKeyInput) => call(CREATE, { input }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['api-keys'] }),
    // The key is not to be found in memory once the dialog is gone.
    gcTime: 0,
  });
  const key = create.data?.createApiKey.key;
  return (
    <Modal
      opened
      onClose={close}
      title={key ? 'The key' : 'New API key'}
      centered
      closeOnClickOutside={!key}
      closeOnEscape={!key}
    >
      {key ? (
        <Stack>
          <Alert color="yellow" icon={<IconEyeOff aria-hidden />} title="Shown only now">
            Copy it to where it is needed: it cannot be read again.
          </Alert>
          <CopyValue value={key} label="API key" />
          <Text size="sm" c="dimmed">
            Goes with each request as <code>Authorization: Bearer …</code>
          </Text>
          <Group justify="flex-end">
            <Button onClick={close}>Done</Button>
          </Group>
        </Stack>
      ) : (
        <KeyForm create={create.mutate} creating={create.isPending} error={create.error} cancel={close} />
      )}
    </Modal>
  );
}
