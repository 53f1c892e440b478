/** Seeded random numbers (mulberry32): the same seed makes the same run. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed, 0x9e3779b1) >>> 0;
  }

  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };

  chance = (probability: number): boolean => this.next() < probability;
  between = (from: number, to: number): number => from + this.next() * (to - from);
  int = (from: number, to: number): number => Math.floor(this.between(from, to + 1));
  pick = <T>(items: readonly T[]): T => items[this.int(0, items.length - 1)] as T;
}

/** A process as the scheduler knows it: what it would do after its crash never happens, and while it is paused, later. */
export interface Actor {
  alive: boolean;
  pausedUntilMs: number;
}

interface ScheduledEvent {
  atMs: number;
  order: number;
  actor: Actor | null;
  run: () => void;
}

/** Virtual time: events run one at a time, in the order of their times, each with all of its microtasks. */
export class World {
  readonly random: Random;
  nowMs = 0;
  #order = 0;
  /** A binary heap. */
  readonly #events: ScheduledEvent[] = [];

  constructor(seed: number) {
    this.random = new Random(seed);
  }

  /** Runs after a time. @param actor its process; null for the network, the database and the receivers */
  after(delayMs: number, actor: Actor | null, run: () => void): () => void {
    const event = { atMs: this.nowMs + Math.max(0, delayMs), order: this.#order++, actor, run };
    this.#push(event);
    return () => {
      event.run = () => {};
    };
  }

  /** Runs events until a time, or until `isDone` after one of them. */
  async run(untilMs: number, isDone: () => boolean = () => false): Promise<void> {
    for (;;) {
      const [next] = this.#events;
      if (!next || next.atMs > untilMs) break;
      this.#pop();
      const { actor } = next;
      if (actor && !actor.alive) continue;
      if (actor && actor.pausedUntilMs > next.atMs) {
        // The order among the events of the process stays.
        this.#push({ ...next, atMs: actor.pausedUntilMs });
        continue;
      }
      this.nowMs = next.atMs;
      next.run();
      await microtasks();
      if (isDone()) return;
    }
    this.nowMs = untilMs;
  }

  #isBefore(a: ScheduledEvent, b: ScheduledEvent): boolean {
    return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
  }

  #push(event: ScheduledEvent): void {
    const heap = this.#events;
    let index = heap.push(event) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#isBefore(event, heap[parent] as ScheduledEvent)) break;
      heap[index] = heap[parent] as ScheduledEvent;
      index = parent;
    }
    heap[index] = event;
  }

  #pop(): void {
    const heap = this.#events;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (
        child + 1 < heap.length &&
        this.#isBefore(heap[child + 1] as ScheduledEvent, heap[child] as ScheduledEvent)
      )
        child += 1;
      if (!this.#isBefore(heap[child] as ScheduledEvent, last)) break;
      heap[index] = heap[child] as ScheduledEvent;
      index = child;
    }
    heap[index] = last;
  }
}

/**
 * Resolves once every microtask has run, including those that they cause: Node.js takes the next tick when none is left.
 * An immediate would cost a turn of the event loop per event.
 */
const microtasks = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));
