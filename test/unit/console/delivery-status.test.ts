import { expect, test } from 'vitest';
import { describeStatus } from '../../../src/console/pages/webhooks/deliveries/delivery-status.ts';

const NEXT_STEP = 'Resend this delivery, or recover all failed deliveries of the endpoint.';

test.each([
  [{ attempt: 5, error: 'http_500', attempts: [500, 500, 500, 500, 500] }, 'All 5 attempts failed.'],
  [{ attempt: 1, error: 'http_410', attempts: [410] }, 'The receiver ended the attempts (410 Gone).'],
  // A resend after the end failed otherwise.
  [{ attempt: 1, error: 'timeout', attempts: [410, null] }, 'The receiver ended the attempts (410 Gone).'],
  [
    { attempt: 2, error: 'http_400', attempts: [400, 400] },
    'The receiver ended the attempts (header webhook-delivery).',
  ],
  [{ attempt: 0, error: 'payload_unreadable', attempts: [] }, 'The stored payload cannot be read.'],
])('a failed delivery %j says why it has no further attempt', ({ attempts, ...delivery }, cause) => {
  const described = describeStatus({
    ...delivery,
    status: 'failed',
    waitingFor: null,
    attempts: attempts.map((responseStatus) => ({ responseStatus })),
  });
  expect(described).toBe(`${cause} ${NEXT_STEP}`);
});

test('a delivery that waits says for what, instead of a schedule that does not hold', () => {
  const waiting = { waitingFor: 'circuit', error: null, attempts: [] } as const;
  expect(describeStatus({ ...waiting, status: 'pending', attempt: 0 })).toBe(
    'Accepted. The first attempt waits for its endpoint to respond again.',
  );
  expect(describeStatus({ ...waiting, status: 'retrying', attempt: 2 })).toBe(
    'An attempt failed. The next attempt waits for its endpoint to respond again.',
  );
});
