import { erasureState, erasuresState } from '../../features/audit/audited-states.ts';
import type { Erasure } from '../../features/erasure/erasure.service.ts';
import { type DeliveryPolicy, MAX_ERASED_PEOPLE } from '../../features/erasure/erasure.types.ts';
import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { deliveriesOption } from '../deliveries-option.ts';
import { performed } from '../operator-act.ts';
import { customerId, emailAddress, shortText } from '../option-parsers.ts';
import { EXIT_FAILURE, UsageError } from '../output/command-failure.ts';
import { receiptText } from '../output/erasure-receipt.ts';
import { count, print, table } from '../output/text-output.ts';
import { readPeople } from '../people-file.ts';

interface Options {
  customer: number;
  email?: string;
  visitor?: string;
  person?: string;
  file?: string;
  dryRun?: boolean;
  suppress: boolean;
  deliveries: DeliveryPolicy;
  json: boolean;
}

async function erasePerson(options: Options): Promise<void> {
  const { customer, email, visitor, person, dryRun = false, suppress, deliveries, json } = options;
  const erasure = await withBackend(async ({ services }) => {
    const tenant = await services.tenants.get(customer);
    const name = { email: email ?? null, visitorId: visitor ?? null, resolvedPersonId: person ?? null };
    const start = () => services.erasures.start(tenant, { ...name, dryRun, suppress, deliveries }, null);
    const act = {
      ...{ customerId: customer, action: 'erasePerson', target: { type: 'erasure', id: null } },
      createdId: ({ id }: Erasure) => id,
      describe: erasureState,
    };
    const { id } = await (dryRun ? start() : performed(services, act, start));
    return services.erasures.complete(tenant, id);
  });
  const counts = erasure.counts.map(({ kind, count: n }) => [kind, n] as const);
  print({ json, result: erasure, text: receiptText('Erasure', erasure, counts) });
  if (erasure.status === 'aborted') process.exitCode = EXIT_FAILURE;
}

/** Erases the people of a file, a list after the other. */
async function erasePeople(path: string, options: Options): Promise<void> {
  const { customer, dryRun = false, suppress, deliveries, json } = options;
  const people = await readPeople(path);
  const policy = { dryRun, suppress, deliveries };
  const erasures = await withBackend(async ({ services }) => {
    const ended: Erasure[] = [];
    for (let from = 0; from < people.length; from += MAX_ERASED_PEOPLE) {
      // Before each list: the customer may be deleted meanwhile.
      const tenant = await services.tenants.get(customer);
      const list = people.slice(from, from + MAX_ERASED_PEOPLE);
      const start = () => services.erasures.startMany(tenant, { people: list, ...policy }, null);
      const act = {
        ...{ customerId: customer, action: 'erasePeople', target: { type: 'erasures', id: null } },
        describe: ({ erasureIds }: { erasureIds: string[] }) => erasuresState(policy, erasureIds),
      };
      const { erasureIds } = await (dryRun ? start() : performed(services, act, start));
      for (const id of new Set(erasureIds)) ended.push(await services.erasures.complete(tenant, id));
    }
    return ended;
  });
  const aborted = erasures.filter(({ status }) => status === 'aborted');
  const rows = erasures.map(({ id, status, counts, error }) => [
    id,
    status,
    count(counts.reduce((sum, { count: n }) => sum + n, 0)),
    error ?? '',
  ]);
  print({
    json,
    result: { data: erasures },
    text: `${table(['ERASURE', 'STATUS', dryRun ? 'FOUND' : 'ERASED', 'ERROR'], rows)}\n\n${count(erasures.length)} erasures, ${count(aborted.length)} aborted.`,
  });
  if (aborted.length > 0) process.exitCode = EXIT_FAILURE;
}

async function erase(options: Options): Promise<void> {
  const { file, email, visitor, person } = options;
  const isNamed = [email, visitor, person].some((name) => name !== undefined);
  if (isNamed === (file !== undefined))
    throw new UsageError('Name the person by --email, --visitor or --person, or the people by --file.');
  await (file === undefined ? erasePerson(options) : erasePeople(file, options));
}

/** `erase`: erases a person, or the people of a file. */
export const personErase = () =>
  newCommand('erase', 'erase a person or a list of people, and suppress them from then on')
    .requiredOption('--customer <n>', 'customer id', customerId)
    .option('--email <address>', 'email address of the person', emailAddress)
    .option('--visitor <id>', 'visitor id of the person', shortText)
    .option('--person <id>', 'person id of an identity or a resolution', shortText)
    .option('--file <path>', 'people as JSON lines, each with email, visitorId or resolvedPersonId')
    .option('--dry-run', 'count only')
    .option('--no-suppress', 'only delete: later data of the person is stored as a whole')
    .addOption(deliveriesOption())
    .action(erase);
