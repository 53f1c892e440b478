import type { ObjectRef } from '@pothos/core';
import { z } from 'zod';
import type { Page, PageRequest } from '../src/platform/page.ts';
import { builder } from './builder.ts';
import { named } from './naming.ts';

type Types = typeof builder.$inferSchemaTypes;

const DEFAULT_SIZE = 50;
const GRAPHQL_MAX = 100;
const REST_MAX = 200;

const size = (max: number) => z.int().min(1, `Must be 1 to ${max}.`).max(max, `Must be 1 to ${max}.`);
const cursor = z.string().max(500);

/** `first` and `after` of a connection. */
export const connectionArgs = () =>
  builder.args((t) => ({
    first: t.int({
      defaultValue: DEFAULT_SIZE,
      description: `How many rows at most, 1 to ${GRAPHQL_MAX}.`,
      validate: { schema: size(GRAPHQL_MAX) },
    }),
    after: t.string({
      description:
        'Cursor of the row before the first one wanted; without it the list is read from its start.',
      validate: { schema: cursor },
    }),
  }));

/** The request for rows that those arguments are. */
export const connectionRequest = (args: { first?: number | null; after?: string | null }): PageRequest => ({
  limit: args.first ?? DEFAULT_SIZE,
  after: args.after ?? null,
});

/** Cost of a connection: its rows' cost as often as rows were asked for. A size out of range is zod's to refuse. */
export const connectionCost = ({ first }: { first?: number | null }) => ({
  field: 1,
  multiplier: Math.min(Math.max(first ?? DEFAULT_SIZE, 1), GRAPHQL_MAX),
});

/** `<node>Connection` and its edge type; GraphQL only. `rows` names what is listed, in the plural, and `order` how. */
export const connectionType = <T extends object>(
  name: string,
  type: ObjectRef<Types, T>,
  rows: string,
  order = 'newest first',
) =>
  builder.connectionObject(
    { name: `${name}Connection`, type, description: `A page of ${rows}, ${order}.` },
    { name: `${name}Edge`, description: `One of ${rows} and its place in the list.` },
  );

/** A page as a connection; `after` says whether rows come before it, and is what a wrong cursor is called here. */
export async function toConnection<T>(
  page: Promise<Page<T>> | Page<T>,
  { after }: { after?: string | null },
) {
  const { edges, hasMore } = await named(Promise.resolve(page), { cursor: 'after' });
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

/** `cursor` and `limit` of a list of the REST API v1. */
export const pageArgs = () =>
  builder.args((t) => ({
    cursor: t.string({
      description: '`nextCursor` of the page before; without it the list is read from its start.',
      validate: { schema: cursor },
    }),
    limit: t.int({
      defaultValue: DEFAULT_SIZE,
      description: `How many rows at most, 1 to ${REST_MAX}.`,
      validate: { schema: size(REST_MAX) },
    }),
  }));

/** The request for rows that those arguments are. */
export const pageRequest = (args: { cursor?: string | null; limit?: number | null }): PageRequest => ({
  limit: args.limit ?? DEFAULT_SIZE,
  after: args.cursor ?? null,
});

/** A list as the REST API v1 answers it (contract 5). */
interface RestPage<T> {
  data: T[];
  nextCursor: string | null;
  hasMore: boolean;
}

/** `<node>Page`, of the v1 sub-graph only. `rows` names what is listed, in the plural. */
export const pageType = <T extends object>(name: string, type: ObjectRef<Types, T>, rows: string) =>
  builder.objectRef<RestPage<T>>(`${name}Page`).implement({
    subGraphs: ['v1'],
    description: `A page of ${rows}, newest first.`,
    fields: (t) => ({
      data: t.field({
        type: [type],
        description: 'The rows of this page.',
        resolve: ({ data }) => data as never,
      }),
      nextCursor: t.exposeString('nextCursor', {
        nullable: true,
        description: 'Goes back as `cursor` to get the next page; null when there is none.',
      }),
      hasMore: t.exposeBoolean('hasMore', { description: 'Whether rows follow this page.' }),
    }),
  });

/** A page as the REST API v1 answers it. */
export const toPage = <T>({ edges, hasMore }: Page<T>): RestPage<T> => ({
  data: edges.map(({ node }) => node),
  nextCursor: hasMore ? (edges.at(-1)?.cursor ?? null) : null,
  hasMore,
});
