import { setImmediate } from 'node:timers/promises';
import { MAX_RESPONSE_BYTES, responseTooLarge } from '../../limits/bounded-reads.ts';
import type { TenantTurns } from '../../limits/tenant-turns.ts';
import { jsonBytes } from '../../platform/json-size.ts';
import { toGraphQLError } from './access.ts';
import type { OperationPlugin } from './operation.ts';
import { serialized } from './operation-response.ts';

/** Size of a response by its cost. */
const BYTES_PER_COST = 1_024;
/** Cost of a large read. */
const LARGE_COST = 100;

/** Refuses results that are too large. */
export const useResponseSize = (): OperationPlugin => ({
  onExecute({ context: { operation, http, reads }, executeFn, setExecuteFn }) {
    const isQuery = operation.operation.operation === 'query';
    setExecuteFn(async (args) => {
      const result = await executeFn(args);
      const fits = jsonBytes(result.data, MAX_RESPONSE_BYTES) <= MAX_RESPONSE_BYTES;
      if (isQuery && (!fits || reads.exceeded)) throw responseTooLarge();
      http.isRead = isQuery;
      // A mutation has been executed: the response cannot be a rejection.
      return fits ? result : { data: null, errors: [toGraphQLError(responseTooLarge())] };
    });
  },
});

/** Lets a tenant execute one large operation at a time, once there is memory for its response. */
export const useTurns = (turns: TenantTurns): OperationPlugin => ({
  onExecute({ context, executeFn, setExecuteFn }) {
    const { operation, http, principal, reads, signal } = context;
    if (operation.cost <= LARGE_COST) return;
    reads.spread();
    const responseBytes = Math.min(operation.cost * BYTES_PER_COST, MAX_RESPONSE_BYTES);
    setExecuteFn((args) =>
      turns.run(
        principal,
        async () => {
          signal.throwIfAborted();
          const result = await executeFn(args);
          // Serves requests that arrived meanwhile before it serializes this response, which is part of the turn.
          await setImmediate();
          return serialized(result, context);
        },
        { prepare: async () => http.reserve?.(responseBytes), signal },
      ),
    );
  },
});
