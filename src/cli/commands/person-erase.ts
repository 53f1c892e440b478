import { setTimeout as sleep } from 'node:timers/promises';
import { Option } from 'commander';
import { AppError } from '../../errors/app-error.ts';
import { erasureState } from '../../features/audit/audited-states.ts';
import type { Erasure } from '../../features/erasure/erasure.service.ts';
import { DELIVERY_POLICIES, type DeliveryPolicy } from '../../features/erasure/erasure.types.ts';
import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { performed } from '../operator-act.ts';
import { customerId, emailAddress, shortText } from '../option-parsers.ts';
import { count, fields, print, timestamp } from '../output/text-output.ts';

const POLL_INTERVAL_MS = 250;

interface Options {
  customer: number;
  email?: string;
  visitor?: string;
  person?: string;
  dryRun?: boolean;
  suppress: boolean;
  deliveries: DeliveryPolicy;
  json: boolean;
}

const receipt = ({ id, status, dryRun, startedAt, finishedAt, error, counts }: Erasure): string =>
  fields({
    Erasure: id,
    Status: dryRun ? `${status} (dry run)` : status,
    Started: timestamp(startedAt),
    Ended: timestamp(finishedAt),
    ...(error !== null && { Error: error }),
    ...Object.fromEntries(
      counts.filter(({ count: n }) => n > 0).map(({ kind, count: n }) => [kind, count(n)]),
    ),
  });

async function erase({ customer, email, visitor, person, dryRun, suppress, deliveries, json }: Options) {
  if (email === undefined && visitor === undefined && person === undefined)
    throw new AppError('VALIDATION_FAILED', 'Name the person by --email, --visitor or --person.');
  const erasure = await withBackend(async ({ services }) => {
    const tenant = await services.tenants.get(customer);
    const input = {
      email: email ?? null,
      visitorId: visitor ?? null,
      resolvedPersonId: person ?? null,
      dryRun: dryRun ?? false,
      suppress,
      deliveries,
    };
    const startErasure = () => services.erasures.start(tenant, input, null);
    let current = dryRun
      ? await startErasure()
      : await performed(
          services,
          {
            customerId: customer,
            action: 'erasePerson',
            target: { type: 'erasure', id: null },
            createdId: ({ id }) => id,
            describe: erasureState,
          },
          startErasure,
        );
    while (current.status === 'running') {
      await sleep(POLL_INTERVAL_MS);
      current = await services.erasures.get(tenant, current.id);
    }
    return current;
  });
  print({ json, result: erasure, text: receipt(erasure) });
  if (erasure.status === 'aborted') process.exitCode = 1;
}

/** `erase`: erases a person. */
export const personErase = () =>
  newCommand('erase', 'erase a person, and suppress them from then on')
    .requiredOption('--customer <n>', 'customer id', customerId)
    .option('--email <address>', 'email address of the person', emailAddress)
    .option('--visitor <id>', 'visitor id of the person', shortText)
    .option('--person <id>', 'person id of an identity or a resolution', shortText)
    .option('--dry-run', 'count only')
    .option('--no-suppress', 'only delete: later data of the person is stored as a whole')
    .addOption(
      new Option('--deliveries <policy>', 'what happens to deliveries that are on their way')
        .choices(DELIVERY_POLICIES)
        .default('cancel'),
    )
    .action(erase);
