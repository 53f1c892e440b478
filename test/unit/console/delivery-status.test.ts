import { expect, test } from 'vitest';
import {
  cancellationCause,
  describeStatus,
} from '../../../src/console/pages/webhooks/deliveries/delivery-status.ts';

const NEXT_STEP = 'Resend this delivery, or recover all failed deliveries of the endpoint.';
const GONE = 'The receiver ended the attempts (410 Gone).';
const BY_HEADER = 'The receiver ended the attempts (header webhook-delivery).';

test.each([
  ['exhausted', [500, 500, 500, 500, 500], [], 'All 5 attempts failed.'],
  ['stopped_by_receiver', [410], [], GONE],
  ['stopped_by_receiver', [410], [null], GONE],
  ['stopped_by_receiver', [500, 500, 500, 500, 500], [], BY_HEADER],
  ['stopped_by_receiver', [400], [410], BY_HEADER],
  // It was recovered after a 410.
  ['stopped_by_receiver', [410, 400], [], BY_HEADER],
  ['payload_unreadable', [], [], 'The stored payload cannot be read.'],
] as const)(
  'a failed delivery (%s, %j, resends %j) says why it has no further attempt',
  (failureReason, statuses, resends, cause) => {
    const made = (manual: boolean) => (responseStatus: number | null) => ({ manual, responseStatus });
    const described = describeStatus({
      status: 'failed',
      waitingFor: null,
      failureReason,
      attempts: [...statuses.map(made(false)), ...resends.map(made(true))],
    });
    expect(described).toBe(`${cause} ${NEXT_STEP}`);
  },
);

test('a delivery that waits says for what, instead of a schedule that does not hold', () => {
  const waiting = { waitingFor: 'circuit', failureReason: null, attempts: [] } as const;
  expect(describeStatus({ ...waiting, status: 'pending' })).toBe(
    'Accepted. The first attempt waits for its endpoint to accept deliveries again.',
  );
  expect(describeStatus({ ...waiting, status: 'retrying' })).toBe(
    'An attempt failed. The next attempt waits for its endpoint to accept deliveries again.',
  );
});

test('a cancelled delivery names the one cause that its endpoint proves, and otherwise both', () => {
  const [before, at, after] = [
    '2027-01-01T00:00:00Z',
    '2027-01-02T00:00:00Z',
    '2027-01-03T00:00:00Z',
  ] as const;
  const causeOf = (createdAt: string, enabled: boolean, lastAttemptAt: string | null = null) =>
    cancellationCause({ createdAt, lastAttemptAt }, { enabled, updatedAt: at });
  const either = 'its endpoint was disabled, or its backlog was cancelled';
  expect(causeOf(after, false)).toBe('its endpoint was disabled when the event occurred');
  // The backlog can have been cancelled before the endpoint was disabled, or as it was disabled.
  expect(causeOf(before, false)).toBe(either);
  expect(causeOf(before, true)).toBe(either);
  // Accepted and sent while the change was made.
  expect(causeOf('2027-01-02T00:00:02Z', false)).toBe(either);
  expect(causeOf(after, false, after)).toBe(either);
  expect(causeOf(after, true)).toBe(either);
  expect(cancellationCause({ createdAt: before, lastAttemptAt: null }, 'deleted')).toBe(
    'its endpoint was disabled or deleted, or its backlog was cancelled',
  );
});
