import { Option } from 'commander';
import type { PersonName } from '../../features/privacy/person.ts';
import { isNamed } from '../../features/privacy/person-name.ts';
import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { verifyExport, writeExport } from '../export/export-folder.ts';
import { type Manifest, openManifest, reserveFolder } from '../export/export-manifest.ts';
import { performed } from '../operator-act.ts';
import { customerId, emailAddress, shortText } from '../option-parsers.ts';
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

interface Result {
  manifest: Manifest;
  /** True if the folder had the export before this run. */
  wasComplete: boolean;
}

function summary({ manifest, wasComplete }: Result): string {
  const files = manifest.files.map(({ name, rows, bytes, sha256 }) => [
    name,
    count(rows),
    count(bytes),
    sha256,
  ]);
  const outcome = wasComplete
    ? `Complete since ${manifest.completedAt}; the files match their digests, and nothing was exported.`
    : `Exported ${count(rowsOf(manifest))} rows.`;
  return `${table(['FILE', 'ROWS', 'BYTES', 'SHA-256'], files)}\n\n${outcome}`;
}

async function run(folder: string, { customer, email, visitor, person, format, json }: Options) {
  const name: PersonName = {
    ...(email !== undefined && { email }),
    ...(person !== undefined && { resolvedPersonId: person }),
    ...(visitor !== undefined && { visitorId: visitor }),
  };
  const subject = isNamed(name) ? name : null;
  const result = await withBackend(async ({ services }) => {
    const tenant = await services.tenants.get(customer);
    const now = () => new Date();
    // Before the manifest is read: another run for the customer may be writing to the folder.
    await using exported = await services.exports.open(tenant, subject, { waits: true });
    const initial = await openManifest(
      folder,
      { customerId: customer, person: subject as Manifest['person'], format },
      now(),
    );
    if (initial.completedAt !== null) {
      await verifyExport(folder, initial);
      return { manifest: initial, wasComplete: true };
    }
    const isContinued = initial.files.length > 0;
    // Recorded before the first row: an export that fails has written some.
    await performed(
      services,
      {
        customerId: customer,
        action: 'exportCustomer',
        target: { type: subject ? 'person' : 'tenant', id: subject ? null : String(customer) },
        describe: () => ({ format, continued: isContinued }),
      },
      () => reserveFolder(folder, initial),
    );
    // Awaited, because the export ends with this block.
    return { manifest: await writeExport(exported, { folder, initial, now }), wasComplete: false };
  });
  print({ json, result: result.manifest, text: summary(result) });
}

/** `export`: writes everything that the service stores of a customer, or about a person, to a folder. */
export const exportCommand = () =>
  newCommand(
    'export',
    'export everything of a customer, or of a person, to a folder; continues what was interrupted, verifies what is complete',
  )
    .argument('<folder>', 'path of the folder, which is created')
    .requiredOption('--customer <n>', 'customer id', customerId)
    .option('--email <address>', 'only what is about the person with this email address', emailAddress)
    .option('--visitor <id>', 'only what is about the person with this visitor id', shortText)
    .option('--person <id>', 'only what is about the person with this person id', shortText)
    .addOption(
      new Option('--format <format>', 'jsonl, or csv for tables of the lists as well')
        .choices(['jsonl', 'csv'])
        .default('jsonl'),
    )
    .action(run);
