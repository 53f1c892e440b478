import type { Suppression } from '../../features/privacy/suppression.service.ts';
import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { customerId } from '../option-parsers.ts';
import { print, table, timestamp } from '../output/text-output.ts';

const PAGE = 1_000;

/** `suppressions list`: lists the suppressed identifiers of a customer as hashes. */
export const suppressionList = () =>
  newCommand('list', 'list the suppressed identifiers as hashes, newest first')
    .requiredOption('--customer <n>', 'customer id', customerId)
    .action(async ({ customer, json }: { customer: number; json: boolean }) => {
      const data = await withBackend(async ({ services }) => {
        const tenant = await services.tenants.get(customer);
        const all: Suppression[] = [];
        for (let after: string | null = null; ; ) {
          const { edges, hasMore } = await services.suppressions.list(tenant, { limit: PAGE, after });
          all.push(...edges.map(({ node }) => node));
          after = edges.at(-1)?.cursor ?? null;
          if (!hasMore) return all;
        }
      });
      const rows = data.map(({ id, type, hash, erasureId, createdAt }) => [
        id,
        type,
        hash,
        erasureId ?? '-',
        timestamp(createdAt),
      ]);
      const text =
        rows.length > 0
          ? table(['ID', 'TYPE', 'HASH', 'ERASURE', 'CREATED'], rows)
          : 'There are no suppressed identifiers.';
      print({ json, result: { data }, text });
    });
