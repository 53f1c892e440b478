import type { KeyService } from '../features/tenants/keys.service.ts';
import type { ApiKey } from '../features/tenants/tenants.types.ts';
import type { Page } from '../platform/list-page.ts';

/** Returns every API key, newest first. */
export async function allApiKeys(keys: KeyService): Promise<ApiKey[]> {
  const found: ApiKey[] = [];
  let after: string | null = null;
  do {
    const page: Page<ApiKey> = await keys.list({ limit: 100, after });
    found.push(...page.edges.map(({ node }) => node));
    after = page.hasMore ? (page.edges.at(-1)?.cursor ?? null) : null;
  } while (after !== null);
  return found;
}
