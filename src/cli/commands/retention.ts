import { InvalidArgumentError } from 'commander';
import { retentionState } from '../../features/audit/audited-states.ts';
import { RETENTION_KINDS, type RetentionKind } from '../../features/privacy/retention-step.ts';
import type { ExpiredCount, RetentionTimes } from '../../features/retention/retention.service.ts';
import { MAX_RETENTION_DAYS } from '../../shared/retention.ts';
import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { performed } from '../operator-act.ts';
import { customerId, wholeNumber } from '../option-parsers.ts';
import { UsageError } from '../output/command-failure.ts';
import { count, print, table } from '../output/text-output.ts';

interface Options {
  customer?: number;
  dryRun?: boolean;
  set?: Partial<RetentionTimes>;
  json: boolean;
}

const isKind = (name: string): name is RetentionKind => RETENTION_KINDS.some((kind) => kind === name);
const days = wholeNumber(1, MAX_RETENTION_DAYS);

/** Parses and collects `kind=days` and `kind=off`. */
function retentionTime(value: string, previous: Partial<RetentionTimes> = {}): Partial<RetentionTimes> {
  const [kind = '', time = ''] = value.split('=');
  if (!isKind(kind))
    throw new InvalidArgumentError(
      `Must be <kind>=<days> or <kind>=off; kinds: ${RETENTION_KINDS.join(', ')}.`,
    );
  return { ...previous, [kind]: time === 'off' ? null : days(time) };
}

async function dryRun(customer: number | undefined, json: boolean): Promise<void> {
  const rows = await withBackend(({ services }) => Array.fromAsync(services.retention.expired(customer)));
  const row = ({ customerId: of, kind, days: time, count: n }: ExpiredCount) => [of, kind, time, count(n)];
  const text =
    rows.length > 0
      ? table(['CUSTOMER', 'KIND', 'DAYS', 'EXPIRED'], rows.map(row))
      : 'No customer has a retention time.';
  print({ json, result: { data: rows }, text });
}

async function list(customer: number | undefined, json: boolean): Promise<void> {
  const all = await withBackend(({ services }) => Array.fromAsync(services.retention.all()));
  const data = all.filter((one) => customer === undefined || one.customerId === customer);
  const text =
    data.length > 0
      ? table(
          ['CUSTOMER', ...RETENTION_KINDS],
          data.map((one) => [one.customerId, ...RETENTION_KINDS.map((kind) => one.days[kind] ?? '-')]),
        )
      : 'No customer has a retention time.';
  print({ json, result: { data }, text });
}

async function change(customer: number, times: Partial<RetentionTimes>): Promise<void> {
  await withBackend(async ({ services }) => {
    const tenant = await services.tenants.get(customer);
    await performed(
      services,
      {
        customerId: customer,
        action: 'updateRetention',
        target: { type: 'retention', id: 'retention' },
        before: retentionState(await services.retention.get(tenant)),
        describe: retentionState,
      },
      () => services.retention.update(tenant, { times, isAdmin: true }),
    );
  });
}

/** `retention`: shows or changes how long the data of customers is kept. */
export const retention = () =>
  newCommand(
    'retention',
    'show the retention times of customers in days, change them, or count what has expired',
  )
    .option('--customer <n>', 'only this customer (default: all that have retention times)', customerId)
    .option('--dry-run', 'count what would be removed now, by customer and kind')
    .option(
      '--set <kind=days>',
      `set the time of a kind, or remove it with <kind>=off; repeatable; kinds: ${RETENTION_KINDS.join(', ')}`,
      retentionTime,
    )
    .action(async ({ customer, dryRun: isDryRun, set, json }: Options) => {
      if (set && (customer === undefined || isDryRun))
        throw new UsageError('Use --set with --customer, and without --dry-run.');
      if (set && customer !== undefined) await change(customer, set);
      await (isDryRun ? dryRun(customer, json) : list(customer, json));
    });
