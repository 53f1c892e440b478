import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { queryKeys } from '../../api/query-keys.ts';
import { useServiceMutation } from '../../api/use-service-mutation.ts';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { graphql } from '../../generated/gql.ts';
import { useSession } from '../../session/session.tsx';
import { NewKey } from './new-key.tsx';

const ROTATE = graphql(`
  mutation RotateApiKey($id: ID!, $overlapSeconds: Int!) {
    rotateApiKey(id: $id, overlapSeconds: $overlapSeconds) {
      key
    }
  }
`);

const OVERLAPS = [
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
  { value: '2592000', label: '30 days' },
  { value: '3600', label: '1 hour' },
  { value: '0', label: 'None: it is revoked now' },
];

interface RotateKeyProps {
  id: string;
  prefix: string;
}

/** Replaces a key by a new one with the same properties, which is shown once. */
export function RotateKey({ id, prefix }: RotateKeyProps) {
  const call = useSession().callFor(null);
  const [opened, { open, close }] = useDisclosure(false);
  const [overlap, setOverlap] = useState('86400');
  const rotate = useServiceMutation((overlapSeconds: number) => call(ROTATE, { id, overlapSeconds }), {
    invalidates: [queryKeys.apiKeys],
  });
  const key = rotate.data?.rotateApiKey.key;
  return (
    <>
      <Button size="compact-sm" variant="default" aria-label={`Rotate ${prefix}…`} onClick={open}>
        Rotate
      </Button>
      <Dialog
        opened={opened}
        onClose={close}
        title={key ? 'API key rotated' : 'Rotate this API key?'}
        closeOnClickOutside={!key}
        closeOnEscape={!key}
      >
        {key ? (
          <NewKey value={key} close={close} />
        ) : (
          <Stack>
            <Text size="sm">
              A new key with the same properties replaces <span className="mono">{prefix}…</span>.
            </Text>
            <NativeSelect
              label="Previous key stays valid for"
              data={OVERLAPS}
              value={overlap}
              onChange={({ currentTarget }) => setOverlap(currentTarget.value)}
            />
            <ErrorAlert error={rotate.error} />
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button loading={rotate.isPending} onClick={() => rotate.mutate(Number(overlap))}>
                Rotate
              </Button>
            </Group>
          </Stack>
        )}
      </Dialog>
    </>
  );
}
