import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { holdLease, issueLease, leaseProtocol } from '../../../src/platform/leases/lease.ts';
import { TestClock } from '../../support/clock.ts';

const TTL_MS = 500;

function hold(renew: () => Promise<boolean>) {
  const errors: unknown[] = [];
  const held = holdLease({ ttlMs: TTL_MS, renew, onError: (error) => errors.push(error) });
  return { held, errors };
}

describe('a lease', () => {
  test('expires one TTL after it was issued, under a token of its own unless one is given', () => {
    const clock = new TestClock();
    const before = clock.now().getTime();
    const [lease, other] = [issueLease(clock, TTL_MS), issueLease(clock, TTL_MS)];
    expect(lease.expiresAt.getTime()).toBeGreaterThanOrEqual(before + TTL_MS);
    expect(lease.expiresAt.getTime()).toBeLessThanOrEqual(clock.now().getTime() + TTL_MS);
    expect(other.token).not.toBe(lease.token);
    expect(issueLease(clock, TTL_MS, 'batch').token).toBe('batch');
  });

  test('is acquired, renewed and released through the two fields that the protocol names', () => {
    const protocol = leaseProtocol('lease.token', 'lease.expiresAt');
    const [now, expiresAt] = [new Date(1_000), new Date(2_000)];
    expect(protocol.expired(now)).toEqual({ 'lease.expiresAt': { $lte: now } });
    expect(protocol.heldBy('a')).toEqual({ 'lease.token': 'a' });
    expect(protocol.acquire({ token: 'a', expiresAt })).toEqual({
      'lease.token': 'a',
      'lease.expiresAt': expiresAt,
    });
    expect(protocol.release(now)).toEqual({
      $set: { 'lease.expiresAt': now },
      $unset: { 'lease.token': '' },
    });
  });
});

describe('a held lease', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  test('stays held for as long as it is renewed, and is not renewed once disposed of', async () => {
    let renewals = 0;
    const { held } = hold(async () => {
      renewals += 1;
      return true;
    });
    await vi.advanceTimersByTimeAsync(2 * TTL_MS);
    expect(held.isHeld()).toBe(true);
    expect(renewals).toBeGreaterThanOrEqual(4);
    held[Symbol.dispose]();
    const before = renewals;
    await vi.advanceTimersByTimeAsync(TTL_MS);
    expect(renewals).toBe(before);
  });

  test('is lost as soon as a renewal finds that another process holds it', async () => {
    const { held } = hold(async () => false);
    using _held = held;
    expect(held.isHeld()).toBe(true);
    await vi.advanceTimersByTimeAsync(TTL_MS);
    expect(held.lost.aborted).toBe(true);
    expect(held.isHeld()).toBe(false);
  });

  test('survives a failed renewal, and is lost when renewals fail until it expires', async () => {
    let failures = 1;
    const { held, errors } = hold(async () => {
      failures -= 1;
      if (failures >= 0) throw new Error('unreachable');
      return true;
    });
    using _held = held;
    await vi.advanceTimersByTimeAsync(TTL_MS);
    expect(errors).toHaveLength(1);
    expect(held.isHeld()).toBe(true);
    failures = Number.POSITIVE_INFINITY;
    await vi.advanceTimersByTimeAsync(2 * TTL_MS);
    expect(held.lost.aborted).toBe(true);
  });
});
