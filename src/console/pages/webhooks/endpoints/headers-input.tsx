import { ActionIcon, Button, Group, Input, Stack, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { MAX_HEADER_NAME, MAX_HEADER_VALUE, MAX_HEADERS } from '../../../../shared/endpoint-limits.ts';

interface HeaderRow {
  /** Identifies the row while it is edited. */
  key: number;
  name: string;
  value: string;
}

export const rowsOf = (headers: Record<string, unknown>): HeaderRow[] =>
  Object.entries(headers).map(([name, value], key) => ({ key, name, value: String(value) }));

/** Returns the headers of rows with a name. */
export const headersOf = (rows: readonly HeaderRow[]): Record<string, string> =>
  Object.fromEntries(
    rows.flatMap(({ name, value }) => (name.trim() === '' ? [] : [[name.trim(), value.trim()]])),
  );

interface HeadersInputProps {
  rows: readonly HeaderRow[];
  onChange: (rows: HeaderRow[]) => void;
  error: string | undefined;
}

/** Edits the custom headers of an endpoint. A stored value is shown as `***`, and stays while it is. */
export function HeadersInput({ rows, onChange, error }: HeadersInputProps) {
  const change = (changed: HeaderRow) =>
    onChange(rows.map((row) => (row.key === changed.key ? changed : row)));
  const add = () =>
    onChange([...rows, { key: Math.max(-1, ...rows.map(({ key }) => key)) + 1, name: '', value: '' }]);
  return (
    <Input.Wrapper
      label="Headers"
      description="Sent with every delivery. Values are stored encrypted and shown as ***, which keeps the stored value."
      error={error}
    >
      <Stack gap="xs" mt="xs">
        {rows.map((row, index) => (
          <Group key={row.key} gap="xs" wrap="nowrap">
            <TextInput
              flex="1"
              aria-label={`Name of header ${index + 1}`}
              placeholder="X-Api-Key"
              maxLength={MAX_HEADER_NAME}
              value={row.name}
              onChange={(event) => change({ ...row, name: event.currentTarget.value })}
            />
            <TextInput
              flex="2"
              aria-label={`Value of header ${index + 1}`}
              maxLength={MAX_HEADER_VALUE}
              autoComplete="off"
              value={row.value}
              onChange={(event) => change({ ...row, value: event.currentTarget.value })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Remove header ${index + 1}`}
              onClick={() => onChange(rows.filter(({ key }) => key !== row.key))}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        {rows.length < MAX_HEADERS && (
          <div>
            <Button
              variant="default"
              size="xs"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={add}
            >
              Add header
            </Button>
          </div>
        )}
      </Stack>
    </Input.Wrapper>
  );
}
