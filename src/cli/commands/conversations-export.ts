import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { performed } from '../operator-act.ts';
import { customerId } from '../option-parsers.ts';
import { notWritable } from '../output/not-writable.ts';
import { count, fields, print } from '../output/text-output.ts';

interface Options {
  customer: number;
  json: boolean;
}

interface Exported {
  conversations: number;
  bytes: number;
  /** SHA-256 of the file, in hexadecimal. */
  sha256: string;
}

/** Writes lines to a file beside the path, and renames it at the end: an interrupted export leaves no shorter file. */
async function writeLines(path: string, rows: AsyncIterable<object>): Promise<Exported> {
  const hash = createHash('sha256');
  const result = { conversations: 0, bytes: 0 };
  async function* lines() {
    for await (const row of rows) {
      const line = Buffer.from(`${JSON.stringify(row)}\n`);
      hash.update(line);
      result.conversations += 1;
      result.bytes += line.length;
      yield line;
    }
  }
  const partial = `${path}.partial`;
  const file = await open(partial, 'w', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw notWritable(path, error);
  });
  try {
    // Of an export that was killed, it may have another mode.
    await file.chmod(0o600);
    await pipeline(Readable.from(lines()), file.createWriteStream({ flush: true }));
    await rename(partial, path).catch((error: NodeJS.ErrnoException) => {
      throw notWritable(path, error);
    });
  } catch (error) {
    await file.close().catch(() => {});
    await rm(partial, { force: true });
    throw error;
  }
  return { ...result, sha256: hash.digest('hex') };
}

/** `conversations export`: writes the conversations of a customer as JSON lines, in the format of an import. */
export const conversationsExport = () =>
  newCommand(
    'export',
    'export the conversations of a customer as JSON lines, in the format of conversations import',
  )
    .argument('<file>', 'path of the file, which is replaced')
    .requiredOption('--customer <n>', 'customer of the conversations', customerId)
    .action(async (path: string, { customer, json }: Options) => {
      const exported = await withBackend(async ({ services }) => {
        const tenant = await services.tenants.get(customer);
        return performed(
          services,
          {
            customerId: customer,
            action: 'exportConversations',
            target: { type: 'conversation', id: null },
            describe: ({ conversations, sha256 }) => ({ conversations, sha256 }),
          },
          () => writeLines(path, services.conversations.exportLines(tenant)),
        );
      });
      const text = fields({
        Conversations: count(exported.conversations),
        Bytes: count(exported.bytes),
        'SHA-256': exported.sha256,
      });
      print({ json, result: exported, text });
    });
