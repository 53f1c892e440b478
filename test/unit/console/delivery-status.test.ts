import { expect, test } from 'vitest';
import { describeStatus } from '../../../src/console/pages/webhooks/deliveries/delivery-status.ts';

const NEXT_STEP = 'Resend this delivery, or recover all failed deliveries of the endpoint.';

test.each([
  ['exhausted', [500, 500, 500, 500, 500], 'All 5 attempts failed.'],
  ['stopped_by_receiver', [410], 'The receiver ended the attempts (410 Gone).'],
  // A resend after the end failed otherwise.
  ['stopped_by_receiver', [410, null], 'The receiver ended the attempts (410 Gone).'],
  [
    'stopped_by_receiver',
    [500, 500, 500, 500, 500],
    'The receiver ended the attempts (header webhook-delivery).',
  ],
  ['payload_unreadable', [], 'The stored payload cannot be read.'],
] as const)(
  'a failed delivery (%s, %j) says why it has no further attempt',
  (failureReason, statuses, cause) => {
    const described = describeStatus({
      status: 'failed',
      waitingFor: null,
      failureReason,
      attempts: statuses.map((responseStatus) => ({ responseStatus })),
    });
    expect(described).toBe(`${cause} ${NEXT_STEP}`);
  },
);

test('a delivery that waits says for what, instead of a schedule that does not hold', () => {
  const waiting = { waitingFor: 'circuit', failureReason: null, attempts: [] } as const;
  expect(describeStatus({ ...waiting, status: 'pending' })).toBe(
    'Accepted. The first attempt waits for its endpoint to respond again.',
  );
  expect(describeStatus({ ...waiting, status: 'retrying' })).toBe(
    'An attempt failed. The next attempt waits for its endpoint to respond again.',
  );
});
