import { ActionIcon, Autocomplete, Checkbox, NativeSelect, Table, Tooltip } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { FieldTransform } from '../../../generated/graphql.ts';
import {
  isPointer,
  type Mapping,
  SOURCE_FIELDS,
  SUGGESTED_TARGET_FIELDS,
  TRANSFORMS,
} from './mapping-fields.ts';
import type { DraftRow } from './use-mapping-draft.ts';

interface MappingRowProps {
  row: DraftRow;
  /** Row number from 1, for the accessible names. */
  number: number;
  edit: (change: Partial<Mapping>) => void;
  remove: () => void;
}

/** Editable row of the field mapping with its validation messages. */
export function MappingRow({ row, number, edit, remove }: MappingRowProps) {
  const { sourceField, targetField, transform, required, errors } = row;
  return (
    <Table.Tr style={{ verticalAlign: 'top' }}>
      <Table.Td w="28%">
        <Autocomplete
          miw={{ base: 0, sm: 200 }}
          aria-label={`Source of field ${number}`}
          data={SOURCE_FIELDS}
          description={isPointer(sourceField.trim()) && "JSON pointer into the provider's record"}
          inputWrapperOrder={['input', 'description', 'error']}
          value={sourceField}
          onChange={(value) => edit({ sourceField: value })}
          error={errors.sourceField}
          maxLength={500}
        />
      </Table.Td>
      <Table.Td w="28%">
        <Autocomplete
          miw={{ base: 0, sm: 200 }}
          aria-label={`Target of field ${number}`}
          placeholder="properties.…"
          data={SUGGESTED_TARGET_FIELDS}
          value={targetField}
          onChange={(value) => edit({ targetField: value })}
          error={errors.targetField}
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
