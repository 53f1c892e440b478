import {
  ActionIcon,
  Autocomplete,
  Button,
  Checkbox,
  Group,
  NativeSelect,
  Stack,
  Table,
  Text,
  Tooltip,
} from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { TRANSFORMS } from '../../../../shared/field-mapping.ts';
import { isRecordPointer } from '../../../../shared/source-pointers.ts';
import { MAX_TEXT } from '../../../../shared/text-limits.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { useServiceMutation } from '../../../api/use-service-mutation.ts';
import { DataTable } from '../../../components/data-table.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { graphql } from '../../../generated/gql.ts';
import type { FieldTransform } from '../../../generated/graphql.ts';
import { useSession } from '../../../session/session.tsx';
import {
  DEFAULT_POINTERS,
  MAPPING_HEAD,
  type Mapping,
  SUGGESTED_SOURCES,
  targetsLeft,
} from './mapping-fields.ts';
import { MappingPreview } from './mapping-preview.tsx';
import { type DraftRow, useMappingDraft, withoutRowErrors } from './use-mapping-draft.ts';

const UPDATE = graphql(`
  mutation UpdateFieldMapping($mappings: [FieldMappingInput!]!) {
    updateRecorderFieldMapping(mappings: $mappings) {
      sourceField: sourcePointer
      targetField
      transform
      required
    }
  }
`);

/** Edits and saves the mapping as a whole; shows validation messages in their rows. */
export function MappingEditor({ saved }: { saved: readonly Mapping[] }) {
  const { call, customerId } = useSession();
  const queries = useQueryClient();
  const draft = useMappingDraft(saved);
  const targets = targetsLeft(draft.mappings);
  const save = useServiceMutation((mappings: Mapping[]) => call(UPDATE, { mappings }), {
    invalidates: [queryKeys.reprojection(customerId)],
    onSuccess: ({ updateRecorderFieldMapping }) => {
      queries.setQueryData(queryKeys.fieldMapping(customerId), updateRecorderFieldMapping);
      draft.replace(updateRecorderFieldMapping);
    },
    onError: draft.showErrors,
    notify: () => ({ message: 'Field mapping saved.', color: 'teal' }),
  });
  const replaceDraft = (mappings: readonly Mapping[]): void => {
    save.reset();
    draft.replace(mappings);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate(draft.mappings);
  };
  return (
    <Stack gap="xl">
      <form onSubmit={submit} aria-label="Field mapping">
        <Stack>
          <Text size="sm" c="dimmed">
            A source is a JSON pointer: names and positions after a slash each. The suggested ones, below{' '}
            <code>/@meeting</code>, are fields of every meeting; any other leads into the provider's record of
            the meeting, such as <code>/recording_url</code> or <code>/crm/deals/0/name</code>. Within a name,
            write <code>~</code> as <code>~0</code> and <code>/</code> as <code>~1</code>.
          </Text>
          <ErrorAlert error={withoutRowErrors(save.error)} />
          <DataTable label="Field mapping" minWidthPx={860} head={[...MAPPING_HEAD, 'Remove']}>
            {draft.rows.map((row, index) => (
              <MappingRow
                key={row.key}
                row={row}
                number={index + 1}
                targets={targets}
                edit={(change) => draft.edit(row.key, change)}
                remove={() => draft.remove(row.key)}
              />
            ))}
          </DataTable>
          <Group justify="space-between">
            <Group gap="xs">
              <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={draft.add}>
                Add field
              </Button>
              <Button
                variant="default"
                disabled={draft.isDefault}
                onClick={() => replaceDraft(DEFAULT_POINTERS)}
              >
                Reset to default
              </Button>
            </Group>
            <Group gap="xs">
              {draft.changed && (
                <Button variant="subtle" onClick={() => replaceDraft(saved)}>
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
      <MappingPreview mappings={draft.mappings} showErrors={draft.showErrors} />
    </Stack>
  );
}

interface MappingRowProps {
  row: DraftRow;
  /** Row number from 1, for the accessible names. */
  number: number;
  /** Suggested targets. */
  targets: string[];
  edit: (change: Partial<Mapping>) => void;
  remove: () => void;
}

/** Editable row of the field mapping with its validation messages. */
function MappingRow({ row, number, targets, edit, remove }: MappingRowProps) {
  const { sourceField, targetField, transform, required, errors } = row;
  return (
    <Table.Tr style={{ verticalAlign: 'top' }}>
      <Table.Td w="28%">
        <Autocomplete
          miw={{ base: 0, sm: 200 }}
          aria-label={`Source of field ${number}`}
          data={SUGGESTED_SOURCES}
          description={isRecordPointer(sourceField.trim()) && "In the provider's record"}
          inputWrapperOrder={['input', 'description', 'error']}
          value={sourceField}
          onChange={(value) => edit({ sourceField: value })}
          error={errors.sourceField}
          maxLength={MAX_TEXT}
        />
      </Table.Td>
      <Table.Td w="28%">
        <Autocomplete
          miw={{ base: 0, sm: 200 }}
          aria-label={`Target of field ${number}`}
          placeholder="properties.…"
          data={targets}
          value={targetField}
          onChange={(value) => edit({ targetField: value })}
          error={errors.targetField}
          maxLength={MAX_TEXT}
        />
      </Table.Td>
      <Table.Td w="16%">
        <NativeSelect
          miw={120}
          aria-label={`Transform of field ${number}`}
          data={TRANSFORMS}
          value={transform}
          onChange={({ currentTarget }) => edit({ transform: currentTarget.value as FieldTransform })}
          error={errors.transform}
        />
      </Table.Td>
      <Table.Td miw={170}>
        <Checkbox
          aria-label={`Field ${number} is required`}
          mt={8}
          checked={required}
          onChange={({ currentTarget }) => edit({ required: currentTarget.checked })}
          error={errors.required}
        />
      </Table.Td>
      <Table.Td>
        <Tooltip label="Remove">
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={`Remove field ${number}`}
            onClick={remove}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Table.Td>
    </Table.Tr>
  );
}
