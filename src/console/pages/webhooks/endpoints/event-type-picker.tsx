import { Checkbox, Stack, Switch } from '@mantine/core';
import { useEventTypes } from '../use-event-types.ts';

interface EventTypePickerProps {
  /** Selected event types; null: all, including future ones. */
  value: string[] | null;
  onChange: (names: string[] | null) => void;
  error?: string;
}

/** Selects the event types that an endpoint receives. */
export function EventTypePicker({ value, onChange, error }: EventTypePickerProps) {
  const eventTypes = useEventTypes();
  return (
    <Stack gap="sm">
      <Switch
        label="All events"
        description="All customer events, including types that are added later. Operational events such as drift.detected must be selected by name."
        checked={value === null}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? null : [])}
      />
      {value && (
        <Checkbox.Group label="Only these events" required value={value} onChange={onChange} error={error}>
          <Stack gap="xs" my="xs">
            {eventTypes.map(({ name, description }) => (
              <Checkbox key={name} value={name} label={name} description={description} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
    </Stack>
  );
}
