import type { Page, PageRequest } from '../platform/list-page.ts';

const PAGE_SIZE = 100;

/** Returns every node of a list. */
export async function allNodes<T>(list: (request: PageRequest) => Promise<Page<T>>): Promise<T[]> {
  const found: T[] = [];
  let after: string | null = null;
  do {
    const page: Page<T> = await list({ limit: PAGE_SIZE, after });
    found.push(...page.edges.map(({ node }) => node));
    after = page.hasMore ? (page.edges.at(-1)?.cursor ?? null) : null;
  } while (after !== null);
  return found;
}
