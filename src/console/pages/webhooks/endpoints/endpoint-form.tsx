import { Button, Checkbox, Group, NativeSelect, Stack, Switch, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../../../api/graphql-client.ts';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import type { WebhookSigning } from '../../../generated/graphql.ts';
import { useEventTypes } from '../use-event-types.ts';
import { type Endpoint, SIGNING_LABELS } from './use-endpoints.ts';

export interface EndpointInput {
  url: string;
  description: string | null;
  events: string[] | null;
  signing: WebhookSigning;
}

interface EndpointFormProps {
  /** Current values of an existing endpoint. */
  initial?: Pick<Endpoint, 'url' | 'description' | 'events' | 'signing'>;
  /** Label of the submit button. */
  action: string;
  save: (input: EndpointInput) => void;
  saving: boolean;
  error: unknown;
  cancel: () => void;
}

/** Returns the service's validation message for a field. */
const fieldErrorOf = (error: unknown, field: string): string | undefined =>
  error instanceof ApiError
    ? error.details.find(({ path }) => path === field || path.split('.').includes(field))?.message
    : undefined;

export function EndpointForm({ initial, action, save, saving, error, cancel }: EndpointFormProps) {
  const [url, setUrl] = useState(initial?.url ?? '');
  const [description, setDescription] = useState(initial?.description ?? '');
  const [events, setEvents] = useState(initial?.events ?? null);
  const [signing, setSigning] = useState(initial?.signing ?? 'hmac');
  const fieldError = (field: string) => fieldErrorOf(error, field);
  const hasFieldError = ['url', 'description', 'events'].some(fieldError);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save({ url: url.trim(), description: description.trim() || null, events, signing });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="URL"
          description="Address that receives events as POST requests. It must be public and use HTTPS, unless the operator permits private targets."
          placeholder="https://example.com/webhooks"
          type="url"
          maxLength={2048}
          required
          data-autofocus
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          error={fieldError('url')}
        />
        <TextInput
          label="Description"
          description="Name shown in the console."
          maxLength={500}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
          error={fieldError('description')}
        />
        <EventTypePicker
          value={events}
          onChange={setEvents}
          error={fieldError('events') && 'Select at least one event.'}
        />
        <NativeSelect
          label="Signature"
          description="How the header webhook-signature is signed. X-SVC-Signature is an HMAC by the secret in both cases."
          data={Object.entries(SIGNING_LABELS).map(([value, label]) => ({ value, label }))}
          value={signing}
          onChange={(event) => setSigning(event.currentTarget.value as WebhookSigning)}
        />
        {!hasFieldError && <ErrorAlert error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={cancel}>
            Cancel
          </Button>
          <Button type="submit" loading={saving}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface EventTypePickerProps {
  /** Selected event types; null: all, including future ones. */
  value: string[] | null;
  onChange: (names: string[] | null) => void;
  error?: string;
}

/** Selects the event types that an endpoint receives. */
function EventTypePicker({ value, onChange, error }: EventTypePickerProps) {
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
