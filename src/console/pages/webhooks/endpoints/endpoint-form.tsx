import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../../../api/graphql-client.ts';
import { ErrorNote } from '../../../components/error-alert.tsx';
import { EventChoice } from './event-type-picker.tsx';
import type { Endpoint } from './use-endpoints.ts';

/** What a person says of an endpoint, as the API takes it. */
export interface EndpointInput {
  url: string;
  description: string | null;
  events: string[] | null;
}

interface EndpointFormProps {
  /** What is there already. */
  initial?: Pick<Endpoint, 'url' | 'description' | 'events'>;
  /** Words on the button that saves. */
  action: string;
  save: (input: EndpointInput) => Promise<unknown>;
  cancel: () => void;
}

/** What the service found wrong with one field. */
const problemWith = (error: unknown, field: string): string | undefined =>
  error instanceof ApiError
    ? error.details.find(({ path }) => path === field || path.split('.').includes(field))?.message
    : undefined;

export function EndpointForm({ initial, action, save, cancel }: EndpointFormProps) {
  const [url, setUrl] = useState(initial?.url ?? '');
  const [description, setDescription] = useState(initial?.description ?? '');
  const [events, setEvents] = useState(initial?.events ?? null);
  const mutation = useMutation({ mutationFn: save, gcTime: 0 });
  const problem = (field: string) => problemWith(mutation.error, field);
  const atField = ['url', 'description', 'events'].some(problem);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mutation.mutate({ url: url.trim(), description: description.trim() || null, events });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="URL"
          description="Where events are posted to: a public HTTPS address."
          placeholder="https://example.com/webhooks"
          type="url"
          maxLength={2048}
          required
          data-autofocus
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          error={problem('url')}
        />
        <TextInput
          label="Description"
          description="What you call it."
          maxLength={500}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
          error={problem('description')}
        />
        <EventChoice
          value={events}
          onChange={setEvents}
          error={problem('events') && 'Choose at least one event.'}
        />
        {!atField && <ErrorNote error={mutation.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={cancel}>
            Cancel
          </Button>
          <Button type="submit" loading={mutation.isPending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
