import { Button, Text } from '@mantine/core';
import { queryKeys } from '../../../api/query-keys.ts';
import { useServiceMutation } from '../../../api/use-service-mutation.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session/session.tsx';

const DELETE = graphql(`
  mutation DeleteEventFeed($name: String!) {
    deleteEventFeed(name: $name) {
      name
    }
  }
`);

/** Deletes an event feed after confirmation. */
export function DeleteFeed({ name }: { name: string }) {
  const { call, customerId } = useSession();
  const remove = useServiceMutation(() => call(DELETE, { name }), {
    invalidates: [queryKeys.eventFeeds(customerId)],
    notify: () => ({ message: `Event feed deleted: ${name}.`, color: 'teal' }),
  });
  return (
    <ConfirmDialog
      title={`Delete the feed ${name}?`}
      action="Delete"
      mutation={remove}
      trigger={(open) => (
        <Button size="compact-sm" variant="default" aria-label={`Delete ${name}`} onClick={open}>
          Delete
        </Button>
      )}
    >
      <Text size="sm">
        Its position is lost; its events stay stored. A consumer that pulls from it again creates a feed with
        a new position.
      </Text>
    </ConfirmDialog>
  );
}
