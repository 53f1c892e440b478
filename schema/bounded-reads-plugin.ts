import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import type { GraphQLContext } from './context.ts';

/** Options of a field that the plugin reads; `complexity` belongs to the complexity plugin. */
interface FieldOptions {
  complexity?: unknown;
  resolve?: unknown;
}

/** A field with a resolver and a cost of its own reads rows from the database. */
function isRead({ complexity, resolve }: FieldOptions): boolean {
  if (typeof resolve !== 'function' || complexity === undefined) return false;
  if (typeof complexity === 'function') return true;
  const cost = typeof complexity === 'object' ? (complexity as { field?: number } | null)?.field : complexity;
  return typeof cost === 'number' && cost > 0;
}

/**
 * Runs resolvers that read rows within the read limits of their request. Batched resolvers are left out: their loader
 * applies the limits.
 */
class BoundedReadsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolver: GraphQLFieldResolver<unknown, Types['Context'], object>,
    { pothosOptions, extensions }: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    const isExposed = extensions?.pothosExposedField !== undefined;
    const isBatched = extensions?.batched === true;
    if (isExposed || isBatched || !isRead(pothosOptions as FieldOptions)) return resolver;
    return (parent, args, context, info) =>
      (context as GraphQLContext).reads.run(() => resolver(parent, args, context, info));
  }
}

declare global {
  namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      boundedReads: BoundedReadsPlugin<Types>;
    }
  }
}

export const BOUNDED_READS = 'boundedReads';
SchemaBuilder.registerPlugin(BOUNDED_READS, BoundedReadsPlugin);
