import { type ExecutionResult, isNonNullType } from 'graphql';
import { AppError } from '../../errors/app-error.ts';
import { mayHaveChanged } from '../../errors/to-app-error.ts';
import { commitsOnce, executeOnce } from '../idempotent-execution.ts';
import { toGraphQLError } from './access.ts';
import type { OperationPlugin, RootField } from './operation.ts';

/**
 * Executes a mutation while the database accepts writes, or replays the result of an earlier request with the same
 * `Idempotency-Key`.
 */
export const useIdempotency = (): OperationPlugin => ({
  onExecute({ context, args: { operationName }, executeFn, setExecuteFn }) {
    const { rootFields, operation, variables } = context.operation;
    if (operation.operation !== 'mutation') return;
    const request = {
      route: 'POST /graphql',
      // Values that a repetition shares with the first request.
      input: { query: context.http.query, operationName, variables },
      // Several fields are several commits.
      commitsOnce: rootFields.length === 1 && rootFields.every(({ field }) => commitsOnce(field)),
    };
    const mutate = async (args: Parameters<typeof executeFn>[0]): Promise<ExecutionResult> => {
      try {
        return await executeOnce(context, request, async () => {
          const value: ExecutionResult = await executeFn(args);
          return {
            value,
            isSuccess: value.errors === undefined,
            mayHaveChanged: hasChanged(value, rootFields),
          };
        });
      } catch (error) {
        if (error instanceof AppError) return { data: null, errors: [toGraphQLError(error)] };
        throw error;
      }
    };
    setExecuteFn((args) => context.services.guardWrite(() => mutate(args)));
  },
});

/**
 * Returns true if a field of a mutation has made changes, or may have. Fields are executed one after another, until one
 * that is not nullable fails; a field that fails by itself has changed nothing, unless the database failed.
 */
function hasChanged({ data, errors = [] }: ExecutionResult, rootFields: readonly RootField[]): boolean {
  if (data === undefined) return false;
  const failures = new Map(
    errors.flatMap((error) => (error.path?.length === 1 ? [[error.path[0], error]] : [])),
  );
  for (const { node, field } of rootFields) {
    const failure = failures.get((node.alias ?? node.name).value);
    if (!failure || mayHaveChanged(failure)) return true;
    if (isNonNullType(field.type)) return false;
  }
  return false;
}
