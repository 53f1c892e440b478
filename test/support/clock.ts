import type { Clock } from '../../src/platform/clock.ts';

/** A clock that goes on by itself and can be put forward: hours become moments. */
export class TestClock implements Clock {
  #offsetMs = 0;

  now(): Date {
    return new Date(Date.now() + this.#offsetMs);
  }

  advance(ms: number): void {
    this.#offsetMs += ms;
  }
}
