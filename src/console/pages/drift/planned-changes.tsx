import { Badge, Button, Group, Radio, Stack, Table, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { messagesByPath } from '../../api/error-messages.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { useServiceMutation } from '../../api/use-service-mutation.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { DateTimeInput } from '../../components/date-time-input.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { DateTime } from '../../components/time.tsx';
import { graphql } from '../../generated/gql.ts';
import type {
  CreateDriftPlannedChangeMutationVariables,
  DriftPlannedChangesQuery,
  DriftPlannedChangeType,
} from '../../generated/graphql.ts';
import { useSession } from '../../session/session.tsx';
import { REFRESH_MS, useModel } from './drift-queries.ts';

const CHANGES = graphql(`
  query DriftPlannedChanges($model: String, $stage: String) {
    driftPlannedChanges(model: $model, stage: $stage, limit: 200) {
      id
      stage
      type
      title
      note
      startsAt
      endsAt
    }
  }
`);

const CREATE = graphql(`
  mutation CreateDriftPlannedChange(
    $type: DriftPlannedChangeType!
    $title: String!
    $startsAt: DateTime!
    $endsAt: DateTime
    $note: String
    $model: String
    $stage: String
  ) {
    createDriftPlannedChange(
      type: $type
      title: $title
      startsAt: $startsAt
      endsAt: $endsAt
      note: $note
      model: $model
      stage: $stage
    ) {
      id
    }
  }
`);

const DELETE = graphql(`
  mutation DeleteDriftPlannedChange($id: ID!) {
    deleteDriftPlannedChange(id: $id) {
      id
    }
  }
`);

export type PlannedChange = DriftPlannedChangesQuery['driftPlannedChanges'][number];

/** Loads the latest 200 planned changes: all, or those that concern a stage. Requires an admin key. */
export function usePlannedChanges(stage: string | null) {
  const { call } = useSession();
  const model = useModel();
  return useQuery({
    queryKey: queryKeys.driftPlannedChanges(model, stage),
    queryFn: async () => (await call(CHANGES, { model, stage })).driftPlannedChanges,
    refetchInterval: REFRESH_MS,
  });
}

/** Planned changes, which the charts show as vertical lines, with a form to add one. */
export function PlannedChanges({ stage }: { stage: string | null }) {
  const { data, error } = usePlannedChanges(stage);
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <section aria-label="Planned changes">
      <Group justify="space-between" mt="md" mb="xs">
        <Title order={3} size="h5">
          Planned changes
        </Title>
        <Button variant="default" onClick={open}>
          Add planned change
        </Button>
      </Group>
      <ErrorAlert error={error} />
      {data?.length === 0 && (
        <Text size="sm" c="dimmed">
          Add a campaign or a release that can move the scores, and the chart marks it.
        </Text>
      )}
      {data && data.length > 0 && (
        <DataTable label="Planned changes" minWidthPx={560} head={['Change', 'Start', 'End', 'Action']}>
          {data.map((change) => (
            <ChangeRow key={change.id} change={change} />
          ))}
        </DataTable>
      )}
      {opened && (
        <Dialog opened onClose={close} title="Add planned change">
          <PlannedChangeForm stage={stage} close={close} />
        </Dialog>
      )}
    </section>
  );
}

function ChangeRow({ change }: { change: PlannedChange }) {
  const { id, type, title, note, stage, startsAt, endsAt } = change;
  const { call } = useSession();
  const remove = useServiceMutation(() => call(DELETE, { id }), {
    invalidates: [queryKeys.drift],
    notify: () => ({ message: `Planned change deleted: ${title}.`, color: 'teal' }),
  });
  return (
    <Table.Tr>
      <Table.Td maw={280}>
        <Group gap="xs">
          <Text size="sm" className="breakable">
            {title}
          </Text>
          <Badge color="gray" variant="light" tt="none" miw="max-content">
            {type}
          </Badge>
        </Group>
        {stage !== null && (
          <Text size="xs" c="dimmed" className="breakable">
            stage {stage}
          </Text>
        )}
        {note && (
          <Text size="xs" c="dimmed" className="breakable">
            {note}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <DateTime at={startsAt} />
      </Table.Td>
      <Table.Td>{endsAt === startsAt ? '–' : <DateTime at={endsAt} />}</Table.Td>
      <Table.Td>
        <ConfirmDialog
          title={`Delete ${title}?`}
          action="Delete"
          mutation={remove}
          trigger={(open) => (
            <Button variant="default" size="xs" onClick={open} aria-label={`Delete ${title}`}>
              Delete
            </Button>
          )}
        >
          The charts no longer show it. Scores and alerts stay as they are.
        </ConfirmDialog>
      </Table.Td>
    </Table.Tr>
  );
}

const TYPES: readonly { value: DriftPlannedChangeType; label: string; description: string }[] = [
  { value: 'campaign', label: 'Campaign', description: 'Changes the visitors.' },
  { value: 'release', label: 'Release', description: 'Of the product or the model.' },
  { value: 'other', label: 'Other', description: 'Any other change.' },
];

function PlannedChangeForm({ stage, close }: { stage: string | null; close: () => void }) {
  const { call } = useSession();
  const model = useModel();
  const [type, setType] = useState<DriftPlannedChangeType>('campaign');
  const [title, setTitle] = useState('');
  const [startsAt, setStartsAt] = useState<string | null>(null);
  const [endsAt, setEndsAt] = useState<string | null>(null);
  const [note, setNote] = useState('');
  const create = useServiceMutation(
    (change: CreateDriftPlannedChangeMutationVariables) => call(CREATE, change),
    {
      invalidates: [queryKeys.drift],
      notify: (_, change) => ({ message: `Planned change added: ${change.title}.`, color: 'teal' }),
    },
  );
  const messages = messagesByPath(create.error);
  const hasFieldError = ['title', 'startsAt', 'endsAt', 'note'].some((field) => field in messages);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (startsAt === null) return;
    create.mutate(
      { type, title: title.trim(), startsAt, endsAt, note: note.trim() || null, model, stage },
      { onSuccess: close },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">
          {stage === null ? 'It concerns all samples and every stage.' : `It concerns stage ${stage}.`} It
          changes no alert.
        </Text>
        <Radio.Group label="Type" value={type} onChange={(value) => setType(value as DriftPlannedChangeType)}>
          <Stack gap="xs" mt="xs">
            {TYPES.map((option) => (
              <Radio key={option.value} {...option} />
            ))}
          </Stack>
        </Radio.Group>
        <TextInput
          label="Title"
          value={title}
          onChange={({ currentTarget }) => setTitle(currentTarget.value)}
          error={messages.title}
          required
        />
        <DateTimeInput
          label="Start"
          value={startsAt}
          onChange={setStartsAt}
          error={messages.startsAt}
          required
        />
        <DateTimeInput
          label="End"
          description="Leave empty for a moment, such as a release."
          value={endsAt}
          onChange={setEndsAt}
          error={messages.endsAt}
        />
        <Textarea
          label="Note"
          autosize
          minRows={2}
          maxRows={8}
          value={note}
          onChange={({ currentTarget }) => setNote(currentTarget.value)}
          error={messages.note}
        />
        <ErrorAlert error={hasFieldError ? null : create.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button
            type="submit"
            loading={create.isPending}
            disabled={title.trim() === '' || startsAt === null}
          >
            Add
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
