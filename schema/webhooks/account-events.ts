import type { GraphQLResolveInfo } from 'graphql';
import type { AppError } from '../../src/errors/app-error.ts';
import { countRefusal } from '../../src/features/audit/refusals.ts';
import { isAccountEvent } from '../../src/features/outbox/event-catalog.ts';
import { missingResource } from '../../src/features/tenants/scopes.ts';
import type { DeliveryAttempt } from '../../src/features/webhooks/delivery/delivery.types.ts';
import type { WebhookEndpoint } from '../../src/features/webhooks/endpoints/endpoint.types.ts';
import type { GraphQLContext } from '../context.ts';
import type { UpdateEndpoint } from './endpoint.inputs.ts';

/**
 * Events about the account of a customer (`isAccountEvent`), which a key that is limited to resources neither has sent
 * anywhere nor reads.
 */

type Operation = Pick<GraphQLResolveInfo, 'fieldName'>;

/** Payload of such an event for such a key. */
const RESTRICTED = '{"restricted":true}';

/** Fields of an endpoint that decide which events are sent where. */
const ROUTING_FIELDS = ['url', 'events', 'filter'] as const;

const isLimited = ({ principal }: GraphQLContext): boolean => principal.resources !== null;

/** Returns the error for a request about such events, which is counted in the audit log. */
function refusal(context: GraphQLContext, { fieldName }: Operation): AppError {
  const { principal, clientAddress, services } = context;
  const target = { type: 'resource', id: 'account' };
  countRefusal(services.audit, { principal, clientAddress, action: fieldName, target });
  return missingResource('account');
}

/** Returns whether the API key of a request may read the data of an event. */
export const isReadable = (context: GraphQLContext, event: string): boolean =>
  !isLimited(context) || !isAccountEvent(event);

/** Returns the payload of an event as the API key of a request may read it. */
export const readablePayload = (context: GraphQLContext, event: string, payload: string): string =>
  isReadable(context, event) ? payload : RESTRICTED;

/** Returns the attempts of an event as the API key of a request may read them: a receiver can repeat the payload. */
export const readableAttempts = (
  context: GraphQLContext,
  event: string,
  attempts: DeliveryAttempt[],
): DeliveryAttempt[] =>
  isReadable(context, event)
    ? attempts
    : attempts.map((attempt) => ({ ...attempt, responseBody: null, responseHeaders: null }));

/**
 * Calls an operation that names event types, unless its key may not name them.
 * @throws AppError FORBIDDEN
 */
export async function permitted<T>(
  context: GraphQLContext,
  operation: Operation,
  names: readonly string[] | null | undefined,
  make: () => Promise<T>,
): Promise<T> {
  if (names?.some((name) => !isReadable(context, name))) throw refusal(context, operation);
  return make();
}

/**
 * Permits the change of an endpoint, unless its key is limited, the change concerns where events are sent, and the endpoint
 * names such an event, before or after it, or has deliveries of one, which a retry or a replay would send.
 * @throws AppError FORBIDDEN
 */
export async function permitChange(
  context: GraphQLContext,
  operation: Operation,
  { current, patch }: { current: WebhookEndpoint; patch: UpdateEndpoint },
): Promise<void> {
  if (!isLimited(context)) return;
  const isRerouted = ROUTING_FIELDS.some(
    (field) => patch[field] !== undefined && JSON.stringify(patch[field]) !== JSON.stringify(current[field]),
  );
  if (!isRerouted) return;
  const names = [...(current.events ?? []), ...(patch.events ?? [])];
  if (
    names.some(isAccountEvent) ||
    (await context.services.deliveries.hasAccountEvents(context.tenant(), current.id))
  )
    throw refusal(context, operation);
}
