import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import { queryKeys } from '../../api/query-keys.ts';
import { useServiceMutation } from '../../api/use-service-mutation.ts';
import { CopyValue } from '../../components/copy-value.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { graphql } from '../../generated/gql.ts';
import type { CreateApiKeyInput } from '../../generated/graphql.ts';
import { useSession } from '../../session.tsx';
import { CreateKeyForm } from './create-key-form.tsx';

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

/** Creates an API key and shows it once. */
export function CreateKeyDialog({ close }: { close: () => void }) {
  const { call } = useSession();
  const create = useServiceMutation((input: CreateApiKeyInput) => call(CREATE, { input }), {
    invalidates: [queryKeys.apiKeys],
  });
  const key = create.data?.createApiKey.key;
  return (
    <Dialog
      opened
      onClose={close}
      title={key ? 'API key created' : 'Create API key'}
      closeOnClickOutside={!key}
      closeOnEscape={!key}
    >
      {key ? (
        <Stack>
          <Alert color="yellow" icon={<IconEyeOff aria-hidden />} title="Copy the key now">
            The key is shown only once and cannot be retrieved later.
          </Alert>
          <CopyValue value={key} label="API key" />
          <Text size="sm" c="dimmed">
            Send it with each request as <code>Authorization: Bearer …</code>.
          </Text>
          <Group justify="flex-end">
            <Button onClick={close}>Done</Button>
          </Group>
        </Stack>
      ) : (
        <CreateKeyForm
          create={create.mutate}
          creating={create.isPending}
          error={create.error}
          cancel={close}
        />
      )}
    </Dialog>
  );
}
