import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import { actorOf } from '../../src/features/audit/audit-actor.ts';
import { changesBetween } from '../../src/features/audit/audited-states.ts';
import type { GraphQLContext } from '../context.ts';
import { AUDITED_ACTS, type AuditedAct } from './audited-acts.ts';

const text = (id: unknown): string | null => (id === null || id === undefined ? null : String(id));

/** Returns the customer whose log records an act; null for the log of the service. */
async function customerOf(
  { log }: AuditedAct,
  args: unknown,
  context: GraphQLContext,
): Promise<number | null> {
  if (log === 'service') return null;
  return log ? log(args, context) : context.tenant().customerId;
}

/** Performs a mutation as an act of the audit log. */
async function audited<T>(
  action: string,
  act: AuditedAct,
  args: unknown,
  context: GraphQLContext,
  make: () => Promise<T>,
): Promise<T> {
  const { principal, services, requestId, clientAddress } = context;
  const id = text(act.idOf?.(args));
  const customerId = await customerOf(act, args, context);
  const read = (target: string | null) =>
    act.read && (target !== null || !act.createdId) ? act.read(context, target ?? '') : null;
  const before = await read(id);
  return services.audit.perform(
    {
      customerId,
      action,
      actor: actorOf(principal),
      clientAddress,
      requestId,
      target: { type: act.target, id },
    },
    make,
    async (result) => {
      const target = { type: act.target, id: id ?? text(act.createdId?.(result)) };
      if (act.describe) return { target, before: null, after: act.describe(args, result) };
      return { target, ...changesBetween(before, await read(target.id)) };
    },
  );
}

/** Records the mutations of `AUDITED_ACTS`, on every surface. */
class AuditPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolver: GraphQLFieldResolver<unknown, Types['Context'], object>,
    { name, parentType }: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    const act = parentType === 'Mutation' ? AUDITED_ACTS[name] : undefined;
    if (!act) return resolver;
    return (parent, args, context, info) => {
      const make = async () => resolver(parent, args, context, info);
      if (act.isAct && !act.isAct(args)) return make();
      return audited(name, act, args, context as GraphQLContext, make);
    };
  }
}

declare global {
  namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      audit: AuditPlugin<Types>;
    }
  }
}

export const AUDIT = 'audit';
SchemaBuilder.registerPlugin(AUDIT, AuditPlugin);
