import { once } from 'node:events';
import type { AuditFinding } from '../../features/audit/audit.types.ts';
import { readAnchors } from '../anchors-file.ts';
import { newCommand, newGroup, newLinesCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { performed } from '../operator-act.ts';
import { customerId } from '../option-parsers.ts';
import { EXIT_FAILURE } from '../output/command-failure.ts';
import { count, print, table } from '../output/text-output.ts';

interface Options {
  customer?: number;
  /** Path of a log of the service. */
  anchors?: string;
  json: boolean;
}

const row = ({ customerId: customer, problem, sequence, entryId }: AuditFinding) => [
  customer ?? '-',
  sequence ?? '-',
  problem,
  entryId ?? '-',
];

/** What was compared with the anchors of a file. */
interface Compared {
  anchors: number;
  removedByRetention: number;
  unreadableLines: number;
}

const anchorsText = ({ anchors, removedByRetention, unreadableLines }: Compared): string =>
  ` and ${count(anchors)} anchors (of ${count(removedByRetention)}, retention has removed the entries; ${count(unreadableLines)} lines cannot be read)`;

/** `audit verify`: compares the audit logs with their hash chains; exit code 1 if there is a finding. */
const verify = () =>
  newCommand(
    'verify',
    'find removed, altered, inserted and reordered entries of the audit logs, and logs that cannot be verified',
  )
    .option('--customer <n>', 'verify the log of this customer only (default: all logs)', customerId)
    .option('--anchors <file>', 'also compare with the anchors in a stored log of the service (JSON lines)')
    .action(async ({ customer, anchors: path, json }: Options) => {
      const file = path === undefined ? null : await readAnchors(path, customer);
      const result = await withBackend(async ({ services }) => {
        const { entries, findings } = await services.audit.verify(customer);
        if (!file) return { entries, compared: null, findings };
        const { findings: differing, removed } = await services.audit.compareAnchors(file.anchors);
        const compared: Compared = {
          anchors: file.anchors.length,
          removedByRetention: removed,
          unreadableLines: file.unreadable,
        };
        return { entries, compared, findings: [...findings, ...differing] };
      });
      const { entries, compared, findings } = result;
      const verified = `Verified ${count(entries)} entries${compared ? anchorsText(compared) : ''}`;
      const summary =
        findings.length === 0
          ? `${verified}: the audit logs are as they were written.`
          : `${table(['CUSTOMER', 'SEQUENCE', 'PROBLEM', 'ENTRY'], findings.map(row))}\n\n${verified}: ${count(findings.length)} findings.`;
      print({
        json,
        result: { valid: findings.length === 0, entries, ...compared, findings },
        text: summary,
      });
      if (findings.length > 0) process.exitCode = EXIT_FAILURE;
    });

/** `audit export`: writes the audit log of a customer, or of the service, as JSON lines on stdout. */
const exportLog = () =>
  newLinesCommand('export', 'write an audit log as JSON lines on stdout, oldest first')
    .option('--customer <n>', 'customer of the log (default: the log of the service)', customerId)
    .action(({ customer }: Pick<Options, 'customer'>) =>
      withBackend(async ({ services }) => {
        // Recorded before the first line: an export that fails has written some.
        await performed(
          services,
          {
            customerId: customer ?? null,
            action: 'exportAuditLog',
            target: { type: 'auditLog', id: null },
            describe: () => ({ format: 'jsonl' }),
          },
          async () => {},
        );
        for await (const entry of services.audit.all(customer ?? null))
          if (!process.stdout.write(`${JSON.stringify(entry)}\n`)) await once(process.stdout, 'drain');
      }),
    );

/** `audit`: the record of administrative acts. */
export const audit = () => newGroup('audit', 'the audit log of administrative acts', [verify(), exportLog()]);
