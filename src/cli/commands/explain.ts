import { MAX_INT32 } from '../../shared/int32.ts';
import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { customerId, shortText, wholeNumber } from '../option-parsers.ts';
import { fields, print, timestamp } from '../output/text-output.ts';

interface Options {
  customer: number;
  event: string;
  endpoint: number;
  json: boolean;
}

async function explainDelivery({ customer, event, endpoint, json }: Options): Promise<void> {
  const result = await withBackend(async ({ services }) =>
    services.explanations.explain(await services.tenants.get(customer), {
      eventId: event,
      endpointId: endpoint,
    }),
  );
  const { deliveryId, status, attempt, lastAttemptAt, error, nextRetryAt } = result;
  const text = fields({
    Reason: result.reason,
    Explanation: result.message,
    'Event type': result.event,
    Delivery: deliveryId,
    Status: status,
    Attempts: attempt,
    'Last attempt': timestamp(lastAttemptAt),
    Error: error,
    'Next attempt': timestamp(nextRetryAt),
  });
  print({ json, result, text });
}

/** `explain`: explains why an endpoint received an event, or did not. */
export const explain = () =>
  newCommand('explain', 'explain why an endpoint received an event, or did not')
    .requiredOption('--customer <n>', 'customer of the event', customerId)
    .requiredOption('--event <id>', '`id` of the event', shortText)
    .requiredOption('--endpoint <n>', '`id` of the endpoint', wholeNumber(1, MAX_INT32))
    .action(explainDelivery);
