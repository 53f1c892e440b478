import { type ErrorDetail, invalidInput } from '../../../errors/app-error.ts';
import type { CreationTimes } from '../../../platform/mongo/created-in.ts';
import type { EventTypeName } from '../../outbox/event-type.ts';
import type { DeliveryStatus } from './state.ts';

/** Selects deliveries of a list; all given conditions must hold. */
export interface DeliveryFilter extends CreationTimes {
  endpointId?: number | undefined;
  status?: DeliveryStatus | undefined;
  event?: EventTypeName | undefined;
  /** HTTP status of the last response. */
  responseStatus?: number | undefined;
  /** Code of the last failure. */
  error?: string | undefined;
  eventId?: string | undefined;
  conversationId?: string | undefined;
  /** Text in the payload of the event. */
  text?: string | undefined;
  /** Returns whether `text` is looked for in an event; by default, in every event. */
  isReadable?: (event: EventTypeName) => boolean;
  /** Ends the search for `text` between two of its reads, once the client has gone. */
  signal?: AbortSignal;
}

const ALONE = 'or give eventId or conversationId, with which every filter can be combined';

/** Returns true if events select the deliveries, so that few remain for the other conditions. */
export const selectsEvents = ({ eventId, conversationId }: DeliveryFilter): boolean =>
  eventId !== undefined || conversationId !== undefined;

function* issuesOf(filter: DeliveryFilter): Generator<ErrorDetail> {
  const { event, responseStatus, error } = filter;
  if (responseStatus !== undefined && responseStatus < 300)
    yield {
      path: 'responseStatus',
      message: `Must be 300 to 599, since no index has the responses of successes; use the status succeeded, ${ALONE}.`,
    };
  if (responseStatus !== undefined && error !== undefined)
    yield { path: 'responseStatus', message: `Must not be combined with error; omit one of them, ${ALONE}.` };
  if (event !== undefined && (responseStatus !== undefined || error !== undefined))
    yield {
      path: 'event',
      message: `Must not be combined with error or responseStatus, which can be combined with endpointId, status, since and until; omit it, ${ALONE}.`,
    };
}

/** @throws AppError `VALIDATION_FAILED` for a combination that no index serves */
export function requireIndexed(filter: DeliveryFilter): void {
  if (selectsEvents(filter)) return;
  const issues = [...issuesOf(filter)];
  if (issues.length > 0) throw invalidInput(issues);
}
