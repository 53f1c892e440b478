import type { KeyService } from '../features/tenants/keys.service.ts';
import type { ApiKey } from '../features/tenants/tenants.types.ts';
import type { Page } from '../platform/page.ts';
import { withBackend } from './backend.ts';
import { newCommand } from './command.ts';
import { moment, print, table } from './output.ts';

/** Every key there is, newest first. */
export async function allKeys(keys: KeyService): Promise<ApiKey[]> {
  const found: ApiKey[] = [];
  let after: string | null = null;
  do {
    const page: Page<ApiKey> = await keys.list({ limit: 100, after });
    found.push(...page.edges.map(({ node }) => node));
    after = page.hasMore ? (page.edges.at(-1)?.cursor ?? null) : null;
  } while (after !== null);
  return found;
}

/** Whether a key is accepted at that moment, and if not, why. */
export function stateOf(key: ApiKey, now: Date): 'active' | 'expired' | 'revoked' {
  if (key.revokedAt) return 'revoked';
  return key.expiresAt && key.expiresAt <= now ? 'expired' : 'active';
}

/** `key list`: shows every key, never the secret part. */
export const keyList = () =>
  newCommand('list', 'show every API key, newest first').action(async ({ json }: { json: boolean }) => {
    const keys = await withBackend(({ services }) => allKeys(services.keys));
    const now = new Date();
    const rows = keys.map((key) => [
      key.id,
      `${key.prefix}…`,
      key.scope,
      key.customerId ?? '-',
      stateOf(key, now),
      moment(key.createdAt),
      moment(key.expiresAt),
      moment(key.lastUsedAt),
    ]);
    const headings = ['ID', 'KEY', 'SCOPE', 'CUSTOMER', 'STATE', 'CREATED', 'EXPIRES', 'LAST USED'];
    print(json, { data: keys }, rows.length > 0 ? table(headings, rows) : 'There are no API keys.');
  });
