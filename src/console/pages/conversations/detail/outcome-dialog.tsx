import { Autocomplete, Button, Group, Modal, Stack } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ErrorNote } from '../../../components/error-alert.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';

const MARK = graphql(`
  mutation MarkOutcome($id: ID!, $category: String) {
    markOutcome(conversationId: $id, category: $category) {
      id
    }
  }
`);

const USED = graphql(`
  query OutcomesInUse {
    conversations(first: 100) {
      edges {
        node {
          outcome {
            category
          }
        }
      }
    }
  }
`);

interface OutcomeDialogProps {
  id: string;
  /** The mark it has. */
  category: string | null;
  close: () => void;
}

/** Grades a conversation, or takes the grade away. Offers what the latest conversations were given. */
export function OutcomeDialog({ id, category, close }: OutcomeDialogProps) {
  const { call, customerId } = useSession();
  const queries = useQueryClient();
  const [chosen, setChosen] = useState(category ?? '');
  const used = useQuery({ queryKey: ['outcomes-in-use', customerId], queryFn: () => call(USED) });
  const mark = useMutation({
    mutationFn: (next: string | null) => call(MARK, { id, category: next }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['conversation', customerId, id] });
      void queries.invalidateQueries({ queryKey: ['conversations', customerId] });
      close();
    },
  });
  const categories = (used.data?.conversations.edges ?? []).flatMap(
    ({ node }) => node.outcome?.category ?? [],
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mark.mutate(chosen.trim());
  };
  return (
    <Modal opened onClose={close} title="Mark the outcome" centered>
      <form onSubmit={submit}>
        <Stack>
          <Autocomplete
            label="Category"
            description="The rung of your ladder. Endpoints are told as outcome.marked."
            data={[...new Set(categories)].sort()}
            value={chosen}
            onChange={setChosen}
            // All are offered until something is typed, not only those like the mark that it has.
            {...(chosen === (category ?? '') ? { filter: ({ options }) => options } : {})}
            maxLength={500}
            // The dialog has its focus from the start: a list that opens by itself would cover the buttons.
            openOnFocus={false}
            data-autofocus
          />
          <ErrorNote error={mark.error} />
          <Group justify="space-between">
            <Button
              variant="subtle"
              color="red"
              disabled={category === null}
              onClick={() => mark.mutate(null)}
            >
              Clear the mark
            </Button>
            <Group gap="xs">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" loading={mark.isPending} disabled={chosen.trim() === ''}>
                Save
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
