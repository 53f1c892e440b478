import { CloseButton, TextInput } from '@mantine/core';

interface MomentInputProps {
  label: string;
  description?: string;
  /** ISO 8601; null: none. */
  value: string | null;
  onChange: (value: string | null) => void;
}

/** `2026-11-20T14:30`, in the time zone of the person in front of the screen. */
function local(iso: string): string {
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Asks for a point in time, in local time; gives it in UTC. */
export function MomentInput({ label, description, value, onChange }: MomentInputProps) {
  return (
    <TextInput
      type="datetime-local"
      // Years of four digits: later ones are no dates.
      max="9999-12-31T23:59"
      label={label}
      description={description}
      value={value ? local(value) : ''}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value ? new Date(currentTarget.value).toISOString() : null)
      }
      rightSection={
        value && (
          <CloseButton size="sm" aria-label={`Clear ${label.toLowerCase()}`} onClick={() => onChange(null)} />
        )
      }
    />
  );
}
