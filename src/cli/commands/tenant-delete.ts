import { deletionState } from '../../features/audit/audited-states.ts';
import type { DeliveryPolicy } from '../../features/erasure/erasure.types.ts';
import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { deliveriesOption } from '../deliveries-option.ts';
import { performed } from '../operator-act.ts';
import { customerId, shortText } from '../option-parsers.ts';
import { EXIT_FAILURE } from '../output/command-failure.ts';
import { receiptText } from '../output/erasure-receipt.ts';
import { print } from '../output/text-output.ts';

interface Options {
  customer: number;
  org: string;
  dryRun?: boolean;
  deliveries: DeliveryPolicy;
  json: boolean;
}

async function deleteTenant({ customer, org, dryRun = false, deliveries, json }: Options): Promise<void> {
  const deletion = await withBackend(async ({ services }) => {
    const { tenantDeletions } = services;
    const start = () => tenantDeletions.start(customer, { orgId: org, dryRun, deliveries }, null);
    const act = {
      ...{ customerId: null, action: 'deleteTenant', target: { type: 'tenant', id: String(customer) } },
      describe: deletionState,
    };
    return tenantDeletions.complete(await (dryRun ? start() : performed(services, act, start)));
  });
  const counts = deletion.counts.map(({ collection, count }) => [collection, count] as const);
  print({ json, result: deletion, text: receiptText('Deletion', deletion, counts) });
  if (deletion.status === 'aborted') process.exitCode = EXIT_FAILURE;
}

/** `tenant delete`: deletes a customer with everything that belongs to it. */
export const tenantDelete = () =>
  newCommand('delete', 'delete a customer with everything that belongs to it, which takes more than a minute')
    .requiredOption('--customer <n>', 'customer id', customerId)
    .requiredOption(
      '--org <id>',
      'organization id of the customer, which confirms that it is meant',
      shortText,
    )
    .option('--dry-run', 'count only')
    .addOption(deliveriesOption())
    .action(deleteTenant);
