import { Checkbox, Stack, Switch } from '@mantine/core';
import { useEventTypes } from '../use-event-types.ts';

interface EventChoiceProps {
  /** Names of the events to receive; null: all of them. */
  value: string[] | null;
  onChange: (names: string[] | null) => void;
  error?: string;
}

/** Which events an endpoint receives, each with what it tells of. */
export function EventChoice({ value, onChange, error }: EventChoiceProps) {
  const eventTypes = useEventTypes();
  return (
    <Stack gap="sm">
      <Switch
        label="All events"
        description="Those that are added to the service later, too."
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
