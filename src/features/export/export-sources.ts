import type { Page, PageRequest } from '../../platform/list-page.ts';
import type { PersonalData } from '../privacy/erasure-step.ts';
import { type ExportKind, type ExportSource, NO_ROWS } from '../privacy/export-source.ts';
import type { Tenant } from '../tenants/tenants.types.ts';

/** Rows of a list that are read at a time. */
const PAGE_SIZE = 500;
/** Items of a list that are read at a time if each has up to a thousand rows. */
const PARENT_PAGE_SIZE = 10;

interface List<T> {
  kind: ExportKind;
  /** Name of the collection of the rows. */
  collection: string;
  list(tenant: Tenant, page: PageRequest): Promise<Page<T>>;
  /** Returns what the export has of an item of the list; absent for the item itself. */
  rowsOf?: (tenant: Tenant, item: T) => Promise<readonly object[]>;
}

/** Returns the source of a list that clients read in pages, or of what belongs to its items: rows have no secrets. */
export const listedSource = <T extends object>({
  kind,
  collection,
  list,
  rowsOf,
}: List<T>): ExportSource => ({
  kind,
  collections: [collection],
  subject: 'tenants',
  async read({ tenant }, after) {
    const { edges, hasMore } = await list(tenant, {
      limit: rowsOf ? PARENT_PAGE_SIZE : PAGE_SIZE,
      after: after as string | null,
    });
    async function* rows() {
      for (const { node } of edges) yield* rowsOf ? await rowsOf(tenant, node) : [node];
    }
    return { rows: rows(), next: hasMore ? (edges.at(-1)?.cursor ?? null) : null };
  },
});

interface Setting {
  name: string;
  collection: string;
  /** Returns the setting without secrets; null if the tenant has none. */
  read(tenant: Tenant): Promise<unknown>;
}

/** Returns the source of a tenant's settings, one row each. */
export const settingsSource = (settings: readonly Setting[]): ExportSource => ({
  kind: 'settings',
  collections: settings.map(({ collection }) => collection),
  subject: 'tenants',
  async read({ tenant }) {
    const rows = settings.map(async ({ name, read }) => ({ name, value: (await read(tenant)) ?? null }));
    return { rows: await Promise.all(rows), next: null };
  },
});

/** Position in the steps that find mentions. */
interface MentionPosition {
  step: number;
  after: unknown;
}

/**
 * Returns the source of the objects that mention a person, by their ids: the texts are about others, whose rights a
 * disclosure must not affect (GDPR article 15(4)).
 */
export function mentionsSource(personalData: readonly PersonalData[]): ExportSource {
  const steps = personalData.flatMap((data) => data.steps).filter(({ findsMentions }) => findsMentions);
  return {
    kind: 'mentions',
    collections: [...new Set(steps.map(({ idsOf }) => idsOf))],
    subject: 'people',
    async read({ tenant, person }, position) {
      const { step: index, after } = (position as MentionPosition | null) ?? { step: 0, after: null };
      const step = steps[index];
      if (!step || !person) return NO_ROWS;
      const { ids, next } = await step.find(
        { tenant, person, isDryRun: true, isKnown: true, awaitsDeliveries: false },
        after,
      );
      const following = next === null ? { step: index + 1, after: null } : { step: index, after: next };
      return {
        rows: ids.map((id) => ({ foundBy: step.name, collection: step.idsOf, id })),
        next: following.step < steps.length ? following : null,
      };
    },
  };
}
