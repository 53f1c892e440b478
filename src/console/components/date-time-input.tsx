import { CloseButton, TextInput } from '@mantine/core';

interface DateTimeInputProps {
  label: string;
  description?: string;
  /** ISO 8601; null if empty. */
  value: string | null;
  onChange: (value: string | null) => void;
  /** Validation message. */
  error?: string;
  required?: boolean;
}

/** Later years have more than four digits, which the service rejects. */
const MAX_LOCAL_TIME = '9999-12-31T23:59';

/** Converts ISO 8601 to `2026-11-20T14:30` in the browser's time zone. */
function toLocalTime(iso: string): string {
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Date and time input in the browser's time zone, with a UTC value. */
export function DateTimeInput({ label, value, onChange, ...props }: DateTimeInputProps) {
  return (
    <TextInput
      type="datetime-local"
      max={MAX_LOCAL_TIME}
      label={label}
      {...props}
      value={value ? toLocalTime(value) : ''}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value ? new Date(currentTarget.value).toISOString() : null)
      }
      rightSection={
        value && (
          <CloseButton size={24} aria-label={`Clear ${label.toLowerCase()}`} onClick={() => onChange(null)} />
        )
      }
    />
  );
}
