import { CloseButton, TextInput } from '@mantine/core';
import { type TimeZone, useTimeFormat } from '../time-format.ts';

interface DateTimeInputProps {
  label: string;
  description?: string;
  /** ISO 8601; null if empty. */
  value: string | null;
  onChange: (value: string | null) => void;
  error?: string;
  required?: boolean;
}

/** The service rejects years of more than four digits. */
const MAX_LOCAL_TIME = '9999-12-31T23:59';

/** Converts ISO 8601 to `2026-11-20T14:30` in the time zone. */
function toInput(iso: string, zone: TimeZone): string {
  const at = new Date(iso);
  const offsetMs = zone === 'utc' ? 0 : at.getTimezoneOffset() * 60_000;
  return new Date(at.getTime() - offsetMs).toISOString().slice(0, 16);
}

/** Converts `2026-11-20T14:30` in the time zone to ISO 8601. */
const fromInput = (text: string, zone: TimeZone): string =>
  new Date(zone === 'utc' ? `${text}Z` : text).toISOString();

/** Date and time input in the selected time zone; the label names the zone. */
export function DateTimeInput({ label, value, onChange, ...props }: DateTimeInputProps) {
  const { zone } = useTimeFormat();
  return (
    <TextInput
      type="datetime-local"
      max={MAX_LOCAL_TIME}
      label={`${label} (${zone === 'utc' ? 'UTC' : 'local time'})`}
      {...props}
      value={value ? toInput(value, zone) : ''}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value ? fromInput(currentTarget.value, zone) : null)
      }
      rightSection={
        value && (
          <CloseButton size={24} aria-label={`Clear ${label.toLowerCase()}`} onClick={() => onChange(null)} />
        )
      }
    />
  );
}
