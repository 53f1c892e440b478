import type { ObjectRef } from '@pothos/core';
import { z } from 'zod';
import { CURSOR_MESSAGE, isCursor } from '../src/platform/cursor.ts';
import type { Page, PageRequest } from '../src/platform/list-page.ts';
import { builder } from './builder.ts';
import { withArgumentPaths } from './error-paths.ts';

type Types = typeof builder.$inferSchemaTypes;

const DEFAULT_LIMIT = 50;
const GRAPHQL_MAX_LIMIT = 100;
const REST_MAX_LIMIT = 200;

/** Returns the validator of a page size from 1 to `max`. */
export const pageSize = (max: number) => {
  const message = `Must be 1 to ${max}.`;
  return z.int().min(1, message).max(max, message);
};
/** Rejects text that is no cursor of any list, together with the issues of other arguments. */
export const cursorArgument = z.string().max(500, { abort: true }).refine(isCursor, CURSOR_MESSAGE);

/** Returns the arguments `first` and `after` of a connection. */
export const connectionArgs = () =>
  builder.args((t) => ({
    first: t.int({
      defaultValue: DEFAULT_LIMIT,
      description: `Maximum number of nodes, 1 to ${GRAPHQL_MAX_LIMIT}.`,
      validate: { schema: pageSize(GRAPHQL_MAX_LIMIT) },
    }),
    after: t.string({
      description: '`endCursor` of the previous page; without it, the first page is returned.',
      validate: { schema: cursorArgument },
    }),
  }));

/** @param args arguments of `connectionArgs`, which checks their bounds */
export const connectionRequest = (args: { first?: number | null; after?: string | null }): PageRequest => ({
  limit: args.first ?? DEFAULT_LIMIT,
  after: args.after ?? null,
});

/** Multiplies the cost of a node by the number of nodes requested. A size out of range is rejected by zod. */
export const connectionCost = ({ first }: { first?: number | null }) => ({
  field: 1,
  multiplier: Math.min(Math.max(first ?? DEFAULT_LIMIT, 1), GRAPHQL_MAX_LIMIT),
});

/** Cost of a search that reads many documents for each row that it returns: five points. */
export const SEARCH_COST = 500;

interface ListDescription {
  /** Plural noun of the rows, for descriptions. */
  rows: string;
  /** Order of the list; default `newest first`. */
  order?: string;
}

/** Declares `<name>Connection` and `<name>Edge`, which are in the GraphQL schema only. */
export const connectionType = <T extends object>(
  name: string,
  type: ObjectRef<Types, T>,
  { rows, order = 'newest first' }: ListDescription,
) =>
  builder.connectionObject(
    { name: `${name}Connection`, type, description: `A page of ${rows}, ${order}.` },
    { name: `${name}Edge`, description: 'An edge in a connection.' },
  );

/**
 * Converts a page to a connection.
 * @throws AppError VALIDATION_FAILED with the path `after` for a cursor that is not valid
 */
export async function toConnection<T>(
  page: Promise<Page<T>> | Page<T>,
  { after }: { after?: string | null },
) {
  const { edges, hasMore } = await withArgumentPaths(Promise.resolve(page), { cursor: 'after' });
  return {
    edges,
    pageInfo: {
      hasNextPage: hasMore,
      hasPreviousPage: after != null,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}

/** Returns the query parameters `cursor` and `limit` of a REST list. */
export const restPageArgs = () =>
  builder.args((t) => ({
    cursor: t.string({
      description: '`nextCursor` of the previous page; without it, the first page is returned.',
      validate: { schema: cursorArgument },
    }),
    limit: t.int({
      defaultValue: DEFAULT_LIMIT,
      description: `Maximum number of rows, 1 to ${REST_MAX_LIMIT}.`,
      validate: { schema: pageSize(REST_MAX_LIMIT) },
    }),
  }));

/** @param args arguments of `restPageArgs`, which checks their bounds */
export const restPageRequest = (args: { cursor?: string | null; limit?: number | null }): PageRequest => ({
  limit: args.limit ?? DEFAULT_LIMIT,
  after: args.cursor ?? null,
});

/** A page of a REST list (contract 5). */
interface RestPage<T> {
  data: T[];
  nextCursor: string | null;
  hasMore: boolean;
}

/** Declares `<name>Page`, which is in the v1 sub-graph only. */
export const restPageType = <T extends object>(
  name: string,
  type: ObjectRef<Types, T>,
  { rows, order = 'newest first' }: ListDescription,
) =>
  builder.objectRef<RestPage<T>>(`${name}Page`).implement({
    subGraphs: ['v1'],
    description: `A page of ${rows}, ${order}.`,
    fields: (t) => ({
      data: t.field({
        type: [type],
        description: 'Rows of this page.',
        resolve: ({ data }) => data as never,
      }),
      nextCursor: t.exposeString('nextCursor', {
        nullable: true,
        description: 'Pass as `cursor` to get the next page; null on the last page.',
      }),
      hasMore: t.exposeBoolean('hasMore', { description: 'True if there is a next page.' }),
    }),
  });

export const toRestPage = <T>({ edges, hasMore }: Page<T>): RestPage<T> => ({
  data: edges.map(({ node }) => node),
  nextCursor: hasMore ? (edges.at(-1)?.cursor ?? null) : null,
  hasMore,
});
