import { Button, Card, Checkbox, Group, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { MAX_TEXT } from '../../../shared/text-limits.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { useServiceMutation } from '../../api/use-service-mutation.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { formatNumber } from '../../format.ts';
import { graphql } from '../../generated/gql.ts';
import type { ErasePersonInput, ErasureQuery } from '../../generated/graphql.ts';
import { useSession } from '../../session/session.tsx';

const ERASE = graphql(`
  mutation ErasePerson($input: ErasePersonInput!) {
    erasePerson(input: $input) {
      id
    }
  }
`);

const ERASURE = graphql(`
  query Erasure($id: ID!) {
    erasure(id: $id) {
      id
      status
      dryRun
      error
      counts {
        kind
        count
      }
    }
  }
`);

const IDENTIFIERS = [
  { param: 'email', input: 'email', label: 'Email address' },
  { param: 'visitor', input: 'visitorId', label: 'Visitor ID' },
  { param: 'person', input: 'resolvedPersonId', label: 'Person ID' },
] as const;

type Person = Pick<ErasePersonInput, (typeof IDENTIFIERS)[number]['input']>;

const POLL_MS = 1_000;

/** Counts or erases the data of a person; the address can name the person. */
export function ErasePersonCard() {
  const { call, customerId, canWrite } = useSession();
  const [params] = useSearchParams();
  const [texts, setTexts] = useState<Record<string, string>>(() =>
    Object.fromEntries(IDENTIFIERS.map(({ param, input }) => [input, params.get(param) ?? ''])),
  );
  const [suppress, setSuppress] = useState(true);
  const [erasureId, setErasureId] = useState<string | null>(null);
  const person: Person = Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) => (text.trim() === '' ? [] : [[name, text.trim()]])),
  );
  const run = async (dryRun: boolean): Promise<void> => {
    const { erasePerson } = await call(ERASE, { input: { ...person, suppress, dryRun } });
    setErasureId(erasePerson.id);
  };
  const changed = [
    queryKeys.erasures(customerId),
    queryKeys.conversations(customerId),
    queryKeys.meetings(customerId),
  ];
  const preview = useServiceMutation(() => run(true), { invalidates: [queryKeys.erasures(customerId)] });
  const erase = useServiceMutation(() => run(false), { invalidates: changed });
  if (!canWrite) return null;
  const isNamed = Object.keys(person).length > 0;
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb={4}>
        Erase a person
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        One identifier is enough: the others that are linked to it follow.
      </Text>
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          {IDENTIFIERS.map(({ input, label }) => (
            <TextInput
              key={input}
              label={label}
              maxLength={MAX_TEXT}
              value={texts[input] ?? ''}
              onChange={({ currentTarget: { value } }) =>
                setTexts((current) => ({ ...current, [input]: value }))
              }
            />
          ))}
        </SimpleGrid>
        <Checkbox
          label="Suppress later data of the person"
          description="Later syncs, imports and events are stored without what names the person."
          checked={suppress}
          onChange={({ currentTarget: { checked } }) => setSuppress(checked)}
        />
        <ErrorAlert error={preview.error} />
        <Group>
          <Button
            variant="default"
            disabled={!isNamed}
            loading={preview.isPending}
            onClick={() => preview.mutate()}
          >
            Preview
          </Button>
          <ConfirmDialog
            title="Erase this person?"
            action="Erase"
            mutation={erase}
            trigger={(open) => (
              <Button color="red.9" disabled={!isNamed} onClick={open}>
                Erase
              </Button>
            )}
          >
            <Text size="sm" className="breakable">
              Everything that names {Object.values(person).join(', ')} is removed, also from deliveries and
              meetings. This cannot be undone.
            </Text>
          </ConfirmDialog>
        </Group>
        {erasureId && <Receipt key={erasureId} id={erasureId} />}
      </Stack>
    </Card>
  );
}

/** Result of an erasure or its preview, while it runs and afterwards. */
function Receipt({ id }: { id: string }) {
  const { call, customerId } = useSession();
  const { data, error } = useQuery({
    queryKey: queryKeys.erasure(customerId, id),
    queryFn: async () => (await call(ERASURE, { id })).erasure,
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? POLL_MS : false),
  });
  return (
    <div role="status">
      <ErrorAlert error={error} />
      {data && (
        <Stack gap={4}>
          <Group gap="xs">
            <Text size="sm" fw={550}>
              {titleOf(data)}
            </Text>
            {/* Beside “Would be erased”, “completed” would read as if it were. */}
            {!(data.dryRun && data.status === 'completed') && <StatusBadge status={data.status} />}
          </Group>
          <Text size="sm">{data.error ?? countsText(data)}</Text>
        </Stack>
      )}
    </div>
  );
}

type Erasure = NonNullable<ErasureQuery['erasure']>;

function titleOf({ dryRun, status }: Erasure): string {
  if (dryRun) return 'Would be erased';
  return status === 'completed' ? 'Erased' : 'Erased so far';
}

function countsText({ counts, status }: Erasure): string {
  const found = counts.filter(({ count }) => count > 0);
  if (found.length === 0) return status === 'running' ? 'Nothing yet.' : 'Nothing was found.';
  return found.map(({ kind, count }) => `${kind}: ${formatNumber(count)}`).join(', ');
}
