import { type NotificationData, notifications } from '@mantine/notifications';
// biome-ignore lint/style/noRestrictedImports: the one place that runs mutations
import { type QueryKey, type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { toReadableError } from './error-messages.ts';

interface ServiceMutationOptions<D, V> {
  /** Keys of the queries that the change outdates. They are refetched after a failure too: the response can be lost. */
  invalidates?: readonly QueryKey[];
  /** Runs before the refetch. The `onSuccess` of a single `mutate` runs after it. */
  onSuccess?: (data: D, variables: V) => unknown;
  onError?: (error: Error) => void;
  /** Notification of a success. */
  notify?: (data: D, variables: V) => NotificationData;
  /** Shows a failure as a notification, for a button without a place for its error. */
  notifyFailure?: boolean;
}

/** State of a mutation without variables, as buttons and dialogs run it. */
export type Action = Pick<
  UseMutationResult<unknown, Error, void>,
  'mutate' | 'reset' | 'isPending' | 'error'
>;

/** Prepares a change of the service's data. The mutation succeeds once the queries that it outdates are refetched. */
export function useServiceMutation<D, V = void>(
  run: (variables: V) => Promise<D>,
  { invalidates = [], onSuccess, onError, notify, notifyFailure = false }: ServiceMutationOptions<D, V> = {},
): UseMutationResult<D, Error, V> {
  const queries = useQueryClient();
  const refetch = () =>
    Promise.all(
      invalidates.map(async (queryKey) => {
        // The response to a request that a link of the menu sent before the change would count as fresh.
        await queries.cancelQueries({ queryKey, type: 'inactive' });
        await queries.invalidateQueries({ queryKey });
      }),
    );
  return useMutation({
    mutationFn: run,
    onSuccess: async (data, variables) => {
      if (notify) notifications.show(notify(data, variables));
      await onSuccess?.(data, variables);
      await refetch();
    },
    onError: (error) => {
      onError?.(error);
      if (notifyFailure) {
        const { title, message } = toReadableError(error);
        notifications.show({ title, message, color: 'red' });
      }
      // Not awaited: while the service is unreachable, a refetch waits for the end of the outage.
      void refetch();
    },
  });
}
