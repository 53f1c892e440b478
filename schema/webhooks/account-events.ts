import type { GraphQLResolveInfo } from 'graphql';
import { countRefusal } from '../../src/features/audit/refusals.ts';
import { isAccountEvent } from '../../src/features/outbox/event-catalog.ts';
import { missingResource } from '../../src/features/tenants/scopes.ts';
import type { GraphQLContext } from '../context.ts';
import type { CreateEndpoint, UpdateEndpoint } from './endpoint.inputs.ts';

/**
 * Events about the account of a customer (`isAccountEvent`), which a key that is limited to resources neither has sent
 * anywhere nor reads.
 */

/** Payload of such an event for such a key. */
const RESTRICTED = '{"restricted":true}';

const isLimited = ({ principal }: GraphQLContext): boolean => principal.resources !== null;

/** Returns the payload of an event as the API key of a request may read it. */
export const readablePayload = (context: GraphQLContext, event: string, payload: string): string =>
  isLimited(context) && isAccountEvent(event) ? RESTRICTED : payload;

/**
 * Calls an operation that names event types, unless its key may not name them. The refusal is counted in the audit log.
 * @throws AppError FORBIDDEN
 */
export async function permitted<T>(
  context: GraphQLContext,
  { fieldName }: Pick<GraphQLResolveInfo, 'fieldName'>,
  names: readonly string[] | null | undefined,
  make: () => Promise<T>,
): Promise<T> {
  if (!isLimited(context) || !names?.some(isAccountEvent)) return make();
  const { principal, clientAddress, services } = context;
  const target = { type: 'resource', id: 'account' };
  countRefusal(services.audit, { principal, clientAddress, action: fieldName, target });
  throw missingResource('account');
}

/** Returns the event types that an endpoint receives at the URL that a change gives it; null for a change of neither. */
export async function namedAfter(
  context: GraphQLContext,
  id: number,
  { url, events }: Partial<CreateEndpoint> & UpdateEndpoint,
): Promise<readonly string[] | null> {
  if (events !== undefined) return events;
  if (url === undefined || !isLimited(context)) return null;
  return (await context.services.endpoints.find(context.tenant(), id))?.events ?? null;
}
