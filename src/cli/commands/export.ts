import { Option } from 'commander';
import type { PersonName } from '../../features/privacy/person.ts';
import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { writeExport } from '../export/export-folder.ts';
import { type Manifest, openManifest } from '../export/export-manifest.ts';
import { performed } from '../operator-act.ts';
import { customerId, shortText } from '../option-parsers.ts';
import { count, print, table } from '../output/text-output.ts';

interface Options {
  customer: number;
  email?: string;
  visitor?: string;
  person?: string;
  format: Manifest['format'];
  json: boolean;
}

const rowsOf = ({ files }: Manifest): number =>
  files.filter(({ name }) => name.endsWith('.jsonl')).reduce((sum, { rows }) => sum + rows, 0);

function summary(manifest: Manifest): string {
  const files = manifest.files.map(({ name, rows, bytes, sha256 }) => [
    name,
    count(rows),
    count(bytes),
    sha256,
  ]);
  return `${table(['FILE', 'ROWS', 'BYTES', 'SHA-256'], files)}\n\nExported ${count(rowsOf(manifest))} rows.`;
}

async function run(folder: string, { customer, email, visitor, person, format, json }: Options) {
  const name: PersonName = {
    ...(email !== undefined && { email }),
    ...(person !== undefined && { resolvedPersonId: person }),
    ...(visitor !== undefined && { visitorId: visitor }),
  };
  const subject = Object.keys(name).length > 0 ? name : null;
  const manifest = await withBackend(async ({ services }) => {
    const tenant = await services.tenants.get(customer);
    const now = () => new Date();
    const begun = await openManifest(
      folder,
      { customerId: customer, person: subject as Manifest['person'], format },
      now(),
    );
    if (begun.completedAt !== null) return begun;
    // Recorded before the first row: an export that fails has written some.
    await using exported = await performed(
      services,
      {
        customerId: customer,
        action: 'exportCustomer',
        target: { type: subject ? 'person' : 'tenant', id: subject ? null : String(customer) },
        describe: () => ({ format, continued: begun.files.length > 0 }),
      },
      () => services.exports.open(tenant, subject, { waits: true }),
    );
    // Awaited, because the export ends with this block.
    return await writeExport(exported, { folder, begun, now });
  });
  print({ json, result: manifest, text: summary(manifest) });
}

/** `export`: writes everything that the service stores of a customer, or about a person, to a folder. */
export const exportCommand = () =>
  newCommand(
    'export',
    'export everything of a customer, or of a person, to a folder; continues what was interrupted',
  )
    .argument('<folder>', 'path of the folder, which is created')
    .requiredOption('--customer <n>', 'customer id', customerId)
    .option('--email <address>', 'only what is about the person with this email address', shortText)
    .option('--visitor <id>', 'only what is about the person with this visitor id', shortText)
    .option('--person <id>', 'only what is about the person with this person id', shortText)
    .addOption(
      new Option('--format <format>', 'jsonl, or csv for tables of the lists as well')
        .choices(['jsonl', 'csv'])
        .default('jsonl'),
    )
    .action(run);
