import { apiKeyState } from '../../features/tenants/api-key.ts';
import { allNodes } from '../all-nodes.ts';
import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { print, table, timestamp } from '../output/text-output.ts';

/** `key list`: lists every API key without its secret part. */
export const keyList = () =>
  newCommand('list', 'list all API keys, newest first').action(async ({ json }: { json: boolean }) => {
    const keys = await withBackend(({ services }) => allNodes(services.keys.list));
    const now = new Date();
    const rows = keys.map((key) => [
      key.id,
      `${key.prefix}…`,
      key.scope,
      key.customerId ?? '-',
      apiKeyState(key, now),
      timestamp(key.createdAt),
      timestamp(key.expiresAt),
      timestamp(key.lastUsedAt),
    ]);
    const headings = ['ID', 'KEY', 'SCOPE', 'CUSTOMER', 'STATE', 'CREATED', 'EXPIRES', 'LAST USED'];
    const text = rows.length > 0 ? table(headings, rows) : 'There are no API keys.';
    print({ json, result: { data: keys.map((key) => ({ ...key, state: apiKeyState(key, now) })) }, text });
  });
