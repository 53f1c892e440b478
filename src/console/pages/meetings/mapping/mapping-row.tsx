import { ActionIcon, Autocomplete, Checkbox, NativeSelect, Table, Tooltip } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { FieldTransform } from '../../../generated/graphql.ts';
import { type Mapping, SOURCES, TARGETS, TRANSFORMS } from './mapping-fields.ts';
import type { DraftLine } from './use-mapping-draft.ts';

interface MappingRowProps {
  line: DraftLine;
  /** Which one it is, from 1. */
  number: number;
  edit: (change: Partial<Mapping>) => void;
  remove: () => void;
}

/** One line of the mapping, each field with what is wrong with it. */
export function MappingRow({ line, number, edit, remove }: MappingRowProps) {
  const { sourceField, targetField, transform, required, problems } = line;
  return (
    <Table.Tr style={{ verticalAlign: 'top' }}>
      <Table.Td w="28%">
        <Autocomplete
          miw={200}
          aria-label={`Source of field ${number}`}
          data={SOURCES}
          value={sourceField}
          onChange={(value) => edit({ sourceField: value })}
          error={problems.sourceField}
          maxLength={500}
        />
      </Table.Td>
      <Table.Td w="28%">
        <Autocomplete
          miw={200}
          aria-label={`Target of field ${number}`}
          placeholder="properties.…"
          data={TARGETS}
          value={targetField}
          onChange={(value) => edit({ targetField: value })}
          error={problems.targetField}
          maxLength={500}
        />
      </Table.Td>
      <Table.Td w="16%">
        <NativeSelect
          miw={120}
          aria-label={`Transform of field ${number}`}
          data={TRANSFORMS}
          value={transform}
          onChange={({ currentTarget }) => edit({ transform: currentTarget.value as FieldTransform })}
          error={problems.transform}
        />
      </Table.Td>
      <Table.Td miw={170}>
        <Checkbox
          aria-label={`Field ${number} is required`}
          mt={8}
          checked={required}
          onChange={({ currentTarget }) => edit({ required: currentTarget.checked })}
          error={problems.required}
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
