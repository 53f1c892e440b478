import { expect, test } from 'vitest';
import {
  type Delivery,
  type DeliveryFilter,
  matchesFilter,
} from '../../../src/console/pages/webhooks/deliveries/delivery-queries.ts';

const ALL: DeliveryFilter = {
  endpointId: null,
  status: null,
  event: null,
  eventId: null,
  conversationId: null,
  text: null,
  since: null,
  until: null,
};
const deliveryOf = (event: string): Delivery => ({
  id: 'd1',
  endpointId: 1,
  eventId: 'e1',
  event,
  status: 'pending',
  attempt: 0,
  nextRetryAt: null,
  waitingFor: null,
  createdAt: '2026-01-31T09:30:00.000Z',
  lastAttemptAt: null,
  responseStatus: null,
  error: null,
  failureReason: null,
  durationMs: null,
});

test.each([
  [null, 'custom.signup', true],
  ['conversion.recorded', 'conversion.recorded', true],
  ['conversion.recorded', 'custom.signup', false],
  ['custom.signup', 'custom.signup', true],
  ['custom.signup', 'custom.signup.done', false],
  ['custom.*', 'custom.signup', true],
  ['custom.*', 'conversion.recorded', false],
])('the filter %s of the event types matches an update of %s: %s', (event, of, matches) => {
  expect(matchesFilter({ ...ALL, event }, deliveryOf(of))).toBe(matches);
});
