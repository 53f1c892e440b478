import { type EventTypeName, isReceivedBy } from '../../outbox/event-type.ts';
import type { EndpointDoc } from './endpoint.model.ts';

/** Returns true if an endpoint receives an event type, whatever its filter. */
export const isSubscribed = ({ events }: Pick<EndpointDoc, 'events'>, event: EventTypeName): boolean =>
  isReceivedBy(event, events);
