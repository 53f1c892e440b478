import { Button, Group, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { ErrorNote } from '../../../components/error-alert.tsx';
import { ScrollTable } from '../../../components/scroll-table.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { DEFAULT_MAPPING, type Mapping } from './mapping-fields.ts';
import { MappingRow } from './mapping-row.tsx';
import { MAPPING_HEAD } from './mapping-table.tsx';
import { besideLines, useMappingDraft } from './use-mapping-draft.ts';

const UPDATE = graphql(`
  mutation UpdateFieldMapping($mappings: [FieldMappingInput!]!) {
    updateRecorderFieldMapping(mappings: $mappings) {
      sourceField
      targetField
      transform
      required
    }
  }
`);

interface MappingEditorProps {
  saved: readonly Mapping[];
  /** Of the query that `saved` came from. */
  queryKey: readonly unknown[];
}

/** Changes the mapping as a whole; what the service refuses of it is said at the line. */
export function MappingEditor({ saved, queryKey }: MappingEditorProps) {
  const { call } = useSession();
  const queries = useQueryClient();
  const draft = useMappingDraft(saved);
  const save = useMutation({
    mutationFn: (mappings: Mapping[]) => call(UPDATE, { mappings }),
    onSuccess: ({ updateRecorderFieldMapping }) => {
      queries.setQueryData(queryKey, updateRecorderFieldMapping);
      draft.replace(updateRecorderFieldMapping);
      notifications.show({ message: 'The field mapping is saved.', color: 'teal' });
    },
    onError: draft.refuse,
  });
  const replace = (by: readonly Mapping[]): void => {
    save.reset();
    draft.replace(by);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate(draft.mappings);
  };
  return (
    <form onSubmit={submit} aria-label="Field mapping">
      <Stack>
        <ErrorNote error={besideLines(save.error)} />
        <ScrollTable label="Field mapping" minWidth={860} head={[...MAPPING_HEAD, 'Remove']}>
          {draft.lines.map((line, index) => (
            <MappingRow
              key={line.key}
              line={line}
              number={index + 1}
              edit={(change) => draft.edit(line.key, change)}
              remove={() => draft.remove(line.key)}
            />
          ))}
        </ScrollTable>
        <Group justify="space-between">
          <Group gap="xs">
            <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={draft.add}>
              Add a field
            </Button>
            <Button variant="default" disabled={draft.isDefault} onClick={() => replace(DEFAULT_MAPPING)}>
              Reset to the default
            </Button>
          </Group>
          <Group gap="xs">
            {draft.changed && (
              <Button variant="subtle" onClick={() => replace(saved)}>
                Discard changes
              </Button>
            )}
            <Button type="submit" loading={save.isPending} disabled={!draft.changed}>
              Save mapping
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}
