import type { Types } from 'mongoose';
import { unixSeconds } from '../../platform/clock.ts';
import { newObjectId } from '../../platform/mongo/object-id.ts';
import type { Traced } from '../../platform/tracing/tracing.ts';
import { CUSTOM_EVENT } from '../../shared/custom-events.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import { CATALOG, type EventData, type EventName } from './event-catalog.ts';
import { customTypeOf, type EventTypeName, storedType, typeNameOf } from './event-type.ts';
import type { EventSource } from './outbox-event.model.ts';

/** An event of a unit of work: published exactly when the unit is committed. */
export interface OutboxEvent extends Traced {
  id: Types.ObjectId;
  tenant: Tenant;
  event: EventTypeName;
  /** Exact body of every delivery: `{"event","data","ts"}`. */
  payload: string;
  /** Conversation whose timeline lists the event; null for none. */
  conversationId: string | null;
  /** Input that recorded the event; null for an event of another kind of change. */
  source: EventSource | null;
  /** Endpoint that alone receives the event, whatever its filter; null for all endpoints whose filter includes it. */
  endpointId: number | null;
  /** Endpoint that the event is about, which does not receive it; null for none. */
  aboutEndpointId: number | null;
}

/** Keys of `data` by event type, in the order of the catalog. */
const DATA_KEYS = new Map(
  Object.entries(CATALOG).map(([name, { data }]) => [name, Object.keys(data.shape)] as const),
);

interface PayloadOptions {
  event: EventTypeName;
  values: Record<string, unknown>;
  /** Keys of `data` in addition to those in the catalog. */
  extra?: Record<string, unknown>;
  now: Date;
}

/** Builds the payload with exactly the keys of the catalog: a missing value is null, an unknown key is dropped. */
function payloadOf({ event, values, extra = {}, now }: PayloadOptions): string {
  const data = Object.fromEntries(
    (DATA_KEYS.get(storedType(event).event) ?? []).map((key) => [key, values[key] ?? null]),
  );
  return JSON.stringify({ event, data: { ...data, ...extra }, ts: unixSeconds(now) });
}

interface NewEvent<N extends EventName> {
  tenant: Tenant;
  event: N;
  data: EventData<N>;
  source?: EventSource | null;
  aboutEndpointId?: number | null;
  now: Date;
}

interface NewTestEvent {
  tenant: Tenant;
  event: EventTypeName;
  /** Data of the sample without the keys of the tenant; null for the example of the catalog. */
  data: Record<string, unknown> | null;
  endpointId: number;
  now: Date;
}

/** Data that other parts of an event follow from. */
interface NamingData {
  conversationId?: string | null;
  /** Of a custom type: the type. */
  type?: string;
}

/** Creates an event of the catalog, or of a custom type, for all endpoints of the tenant that subscribe to it. */
export function newEvent<N extends EventName>({
  tenant,
  event: type,
  data,
  source = null,
  aboutEndpointId = null,
  now,
}: NewEvent<N>): OutboxEvent {
  const { customerId, orgId } = tenant;
  const { conversationId = null, type: customType = '' } = data as NamingData;
  const event = typeNameOf(type === CUSTOM_EVENT ? { event: type, customType } : { event: type });
  return {
    id: newObjectId(now),
    tenant,
    event,
    payload: payloadOf({ event, values: { customerId, orgId, ...data }, now }),
    conversationId,
    source,
    endpointId: null,
    aboutEndpointId,
  };
}

/** Creates a sample event for one endpoint, marked by `data.test: true`. It is in no conversation's timeline. */
export function newTestEvent({ tenant, event, data, endpointId, now }: NewTestEvent): OutboxEvent {
  const { customerId, orgId } = tenant;
  const customType = customTypeOf(event);
  const values = {
    ...(data ?? CATALOG[storedType(event).event].example),
    ...(customType !== null && { type: customType }),
    customerId,
    orgId,
  };
  return {
    id: newObjectId(now),
    tenant,
    event,
    payload: payloadOf({ event, values, extra: { test: true }, now }),
    conversationId: null,
    source: null,
    endpointId,
    aboutEndpointId: null,
  };
}
