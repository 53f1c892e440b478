import {
  Alert,
  Button,
  Checkbox,
  Group,
  JsonInput,
  NativeSelect,
  NumberInput,
  Stack,
  Switch,
  TagsInput,
  TextInput,
} from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { CUSTOM_EVENT, CUSTOM_PREFIX, isCustomType } from '../../../../shared/custom-events.ts';
import { MAX_RATE, MAX_TIMEOUT_SECONDS } from '../../../../shared/endpoint-limits.ts';
import { MAX_TEXT, MAX_URL } from '../../../../shared/text-limits.ts';
import { ApiError } from '../../../api/graphql-client.ts';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import type {
  WebhookAuthenticationInput,
  WebhookOrdering,
  WebhookPayload,
  WebhookSigning,
} from '../../../generated/graphql.ts';
import { useEventTypes } from '../use-event-types.ts';
import { AuthenticationInput, authenticationOf, draftOf } from './authentication-input.tsx';
import { HeadersInput, headersOf, rowsOf } from './headers-input.tsx';
import { parseJsonObject } from './json-object.ts';
import { type Endpoint, SIGNING_LABELS, useEndpoints } from './use-endpoints.ts';

export interface EndpointInput {
  url: string;
  description: string | null;
  events: string[] | null;
  filter: Record<string, unknown> | null;
  payload: WebhookPayload;
  headers: Record<string, string>;
  /** Undefined if the stored one stays. */
  authentication: WebhookAuthenticationInput | null | undefined;
  signing: WebhookSigning;
  timeoutSeconds?: number | null;
  rateLimit: { count: number; perSeconds: number } | null;
  autoRecover: boolean;
  ordering: WebhookOrdering;
}

const PAYLOADS: { value: WebhookPayload; label: string }[] = [
  { value: 'full', label: 'The whole event' },
  { value: 'thin', label: 'IDs and a URL only, nothing about a person' },
];

const ORDERINGS: { value: WebhookOrdering; label: string }[] = [
  { value: 'none', label: 'None' },
  { value: 'conversation', label: 'By conversation' },
];

interface EndpointFormProps {
  /** Current values of an existing endpoint. */
  initial?: Endpoint;
  /** Label of the submit button. */
  action: string;
  save: (input: EndpointInput) => void;
  saving: boolean;
  error: unknown;
  cancel: () => void;
}

/** Returns the service's validation message for a field of the input, such as `rateLimit.count`, or for a part of it. */
const fieldErrorOf = (error: unknown, field: string): string | undefined =>
  error instanceof ApiError
    ? error.details.find(({ path }) => `${path}.`.startsWith(`input.${field}.`))?.message
    : undefined;

export function EndpointForm({ initial, action, save, saving, error, cancel }: EndpointFormProps) {
  const [url, setUrl] = useState(initial?.url ?? '');
  const [description, setDescription] = useState(initial?.description ?? '');
  const [events, setEvents] = useState(initial?.events ?? null);
  const [filterText, setFilterText] = useState(
    initial?.filter ? JSON.stringify(initial.filter, null, 2) : '',
  );
  const filter = parseJsonObject(filterText);
  const [payload, setPayload] = useState(initial?.payload ?? 'full');
  const [headers, setHeaders] = useState(() => rowsOf(initial?.headers ?? {}));
  const [authentication, setAuthentication] = useState(() => draftOf(initial?.authentication));
  const [signing, setSigning] = useState(initial?.signing ?? 'hmac');
  const [timeoutSeconds, setTimeoutSeconds] = useState<number | string>(initial?.timeoutSeconds ?? '');
  const [count, setCount] = useState<number | string>(initial?.rateLimit?.count ?? '');
  const [autoRecover, setAutoRecover] = useState(initial?.autoRecover ?? false);
  const [ordering, setOrdering] = useState(initial?.ordering ?? 'none');
  const [perSeconds, setPerSeconds] = useState<number | string>(initial?.rateLimit?.perSeconds ?? 60);
  const fieldError = (field: string) => fieldErrorOf(error, field);
  const hasFieldError = [
    'url',
    'description',
    'events',
    'filter',
    'headers',
    'authentication',
    'timeoutSeconds',
    'rateLimit.count',
    'rateLimit.perSeconds',
  ].some(fieldError);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (filter === undefined) return;
    save({
      url: url.trim(),
      description: description.trim() || null,
      events,
      filter,
      payload,
      headers: headersOf(headers),
      authentication: authenticationOf(authentication, initial?.authentication),
      signing,
      // The default need not be a whole number, so only a changed value is sent.
      ...(timeoutSeconds !== (initial?.timeoutSeconds ?? '') && {
        timeoutSeconds: timeoutSeconds === '' ? null : Number(timeoutSeconds),
      }),
      rateLimit: count === '' ? null : { count: Number(count), perSeconds: Number(perSeconds) },
      autoRecover,
      ordering,
    });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="URL"
          description="Address that receives events as POST requests. It must be public and use HTTPS, unless the operator permits private targets."
          placeholder="https://example.com/webhooks"
          type="url"
          maxLength={MAX_URL}
          required
          data-autofocus
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          error={fieldError('url')}
        />
        <SameUrlAlert url={url} ownId={initial?.id} />
        <TextInput
          label="Description"
          description="Name shown in the console."
          maxLength={MAX_TEXT}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
          error={fieldError('description')}
        />
        <EventTypePicker
          value={events}
          onChange={setEvents}
          error={
            events?.length === 0 && fieldError('events') ? 'Select at least one event.' : fieldError('events')
          }
        />
        <JsonInput
          label="Filter"
          description="Conditions that an event must fulfil, as JSON, such as {&quot;data.value&quot;: {&quot;$gte&quot;: 100}}. Empty for none."
          autosize
          minRows={2}
          maxRows={12}
          classNames={{ input: 'mono' }}
          value={filterText}
          onChange={setFilterText}
          error={filter === undefined ? 'Must be a JSON object.' : fieldError('filter')}
        />
        <NativeSelect
          label="Body"
          description="What a delivery contains."
          data={PAYLOADS}
          value={payload}
          onChange={(event) => setPayload(event.currentTarget.value as WebhookPayload)}
        />
        <AuthenticationInput
          draft={authentication}
          onChange={setAuthentication}
          current={initial?.authentication}
          fieldError={fieldError}
        />
        <HeadersInput rows={headers} onChange={setHeaders} error={fieldError('headers')} />
        <NativeSelect
          label="Signature"
          description="How the header webhook-signature is signed. X-SVC-Signature is an HMAC by the secret in both cases."
          data={Object.entries(SIGNING_LABELS).map(([value, label]) => ({ value, label }))}
          value={signing}
          onChange={(event) => setSigning(event.currentTarget.value as WebhookSigning)}
        />
        <NumberInput
          label="Timeout in seconds"
          description={`Time limit of an attempt, 1 to ${MAX_TIMEOUT_SECONDS}. Leave it empty for the default of the service.`}
          min={1}
          max={MAX_TIMEOUT_SECONDS}
          allowDecimal={false}
          value={timeoutSeconds}
          onChange={setTimeoutSeconds}
          error={fieldError('timeoutSeconds')}
        />
        <Group grow align="flex-start">
          <NumberInput
            label="Rate limit"
            description="Maximum number of attempts. Leave it empty for none."
            min={1}
            max={MAX_RATE.count}
            allowDecimal={false}
            value={count}
            onChange={setCount}
            error={fieldError('rateLimit.count')}
          />
          <NumberInput
            label="Period in seconds"
            description="Time in which they are counted."
            min={1}
            max={MAX_RATE.perSeconds}
            allowDecimal={false}
            required={count !== ''}
            value={perSeconds}
            onChange={setPerSeconds}
            error={fieldError('rateLimit.perSeconds')}
          />
        </Group>
        <Switch
          label="Recover after outages"
          description="Deliveries whose attempts all failed during an outage are sent again once the receiver accepts one."
          checked={autoRecover}
          onChange={({ currentTarget }) => setAutoRecover(currentTarget.checked)}
        />
        <NativeSelect
          label="Order"
          description="By conversation: a delivery waits until the earlier ones of its conversation have ended. Applies to new events."
          data={ORDERINGS}
          value={ordering}
          onChange={(event) => setOrdering(event.currentTarget.value as WebhookOrdering)}
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

/** Compares URLs as the service stores them: a parsed URL has a lower-case host and no default port. */
const normalized = (url: string): string => URL.parse(url.trim())?.href ?? url.trim();

/** Warns of another endpoint with the same URL, which would receive each event twice. */
function SameUrlAlert({ url, ownId }: { url: string; ownId: number | undefined }) {
  const { data: endpoints = [] } = useEndpoints();
  const other = endpoints.find(
    (endpoint) => endpoint.id !== ownId && normalized(endpoint.url) === normalized(url),
  );
  if (!other) return null;
  return (
    <Alert color="orange" icon={<IconAlertTriangle aria-hidden />} title="Another endpoint has this URL">
      The receiver gets each event that both endpoints select twice, once as endpoint {other.id}
      {other.description && ` (${other.description})`}.
    </Alert>
  );
}

interface EventTypePickerProps {
  /** Selected event types; null: all, including future ones. */
  value: string[] | null;
  onChange: (names: string[] | null) => void;
  error?: string | undefined;
}

/** Returns the name of a custom type, which the user may write with its prefix. */
const customName = (type: string): string =>
  type.startsWith(CUSTOM_PREFIX) ? type : `${CUSTOM_PREFIX}${type}`;

/** Selects the event types that an endpoint receives. */
function EventTypePicker({ value, onChange, error }: EventTypePickerProps) {
  const eventTypes = useEventTypes();
  const custom = value?.filter(isCustomType) ?? [];
  const others = value?.filter((name) => !isCustomType(name)) ?? [];
  return (
    <Stack gap="sm">
      <Switch
        label="All events"
        description="All customer events, including types that are added later. Operational events such as drift.detected, and custom ones, must be selected by name."
        checked={value === null}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? null : [])}
      />
      {value && (
        <>
          <Checkbox.Group
            label="Only these events"
            required
            value={value}
            onChange={onChange}
            error={custom.length === 0 && error}
          >
            <Stack gap="xs" my="xs">
              {eventTypes.map(({ name, description }) => (
                <Checkbox
                  key={name}
                  value={name}
                  label={name === CUSTOM_EVENT ? `All custom events (${name})` : name}
                  description={description}
                />
              ))}
            </Stack>
          </Checkbox.Group>
          <TagsInput
            label="Custom events"
            description="Types that POST /v1/events takes, such as page.viewed, or * for all. Press Enter after each."
            value={custom.map((name) => name.slice(CUSTOM_PREFIX.length))}
            // The name of all custom types is one of the boxes.
            onChange={(types) => onChange([...new Set([...others, ...types.map(customName)])])}
            // No other name is written by hand.
            error={custom.length > 0 && error}
          />
        </>
      )}
    </Stack>
  );
}
