import { apiKeyState } from '../../features/tenants/api-key-state.ts';
import { allApiKeys } from '../all-api-keys.ts';
import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { moment, print, table } from '../output/text-output.ts';

/** `key list`: shows every key, never the secret part. */
export const keyList = () =>
  newCommand('list', 'show every API key, newest first').action(async ({ json }: { json: boolean }) => {
    const keys = await withBackend(({ services }) => allApiKeys(services.keys));
    const now = new Date();
    const rows = keys.map((key) => [
      key.id,
      `${key.prefix}…`,
      key.scope,
      key.customerId ?? '-',
      apiKeyState(key, now),
      moment(key.createdAt),
      moment(key.expiresAt),
      moment(key.lastUsedAt),
    ]);
    const headings = ['ID', 'KEY', 'SCOPE', 'CUSTOMER', 'STATE', 'CREATED', 'EXPIRES', 'LAST USED'];
    print(json, { data: keys }, rows.length > 0 ? table(headings, rows) : 'There are no API keys.');
  });
