import { Option } from 'commander';
import { deletionState } from '../../features/audit/audited-states.ts';
import { DELIVERY_POLICIES, type DeliveryPolicy } from '../../features/erasure/erasure.types.ts';
import type { TenantDeletion } from '../../features/erasure/tenant-deletion.service.ts';
import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { performed } from '../operator-act.ts';
import { customerId, shortText } from '../option-parsers.ts';
import { EXIT_FAILURE } from '../output/command-failure.ts';
import { count, fields, print, timestamp } from '../output/text-output.ts';

interface Options {
  customer: number;
  org: string;
  dryRun?: boolean;
  deliveries: DeliveryPolicy;
  json: boolean;
}

const receipt = ({ id, status, dryRun, startedAt, finishedAt, error, counts }: TenantDeletion): string =>
  fields({
    Deletion: id,
    Status: dryRun ? `${status} (dry run)` : status,
    Started: timestamp(startedAt),
    Ended: timestamp(finishedAt),
    ...(error !== null && { Error: error }),
    ...Object.fromEntries(counts.map(({ collection, count: n }) => [collection, count(n)])),
  });

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
  print({ json, result: deletion, text: receipt(deletion) });
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
    .addOption(
      new Option('--deliveries <policy>', 'what happens to deliveries that are on their way')
        .choices(DELIVERY_POLICIES)
        .default('cancel'),
    )
    .action(deleteTenant);
