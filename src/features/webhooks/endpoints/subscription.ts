import { type EventName, isCustomerEvent } from '../../outbox/event-catalog.ts';
import type { EndpointDoc } from './endpoint.model.ts';

/** Returns true if an endpoint receives an event type, whatever its filter. */
export const isSubscribed = ({ events }: Pick<EndpointDoc, 'events'>, event: EventName): boolean =>
  events === null ? isCustomerEvent(event) : events.includes(event);
