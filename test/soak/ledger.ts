/** Totals of a run so far. */
export interface Totals {
  /** Events whose client received a success. */
  accepted: number;
  /** Distinct events that arrived with a valid signature. */
  delivered: number;
  /** Accepted events that have not arrived. */
  open: number;
  /** Arrivals of a delivery beyond its first. */
  duplicates: number;
  /** Attempts that failed at a client. */
  errors: number;
}

/** A request to a receiver. */
export interface Arrival {
  /** Identity that the client gave to the event. */
  event: string;
  /** Id that the service gave to the event. */
  eventId: string;
  isSigned: boolean;
}

/** Compares the events that clients know to be accepted with those that arrived. */
export class Ledger {
  readonly #accepted = new Set<string>();
  /** Ids that the service gave to each event that arrived. */
  readonly #arrived = new Map<string, string>();
  readonly #errors = new Map<string, number>();
  readonly #committedTwice = new Set<string>();
  #open = 0;
  #duplicates = 0;
  #unsigned = 0;

  accept(event: string): void {
    if (this.#accepted.has(event)) throw new Error(`The event ${event} was accepted before.`);
    this.#accepted.add(event);
    if (!this.#arrived.has(event)) this.#open += 1;
  }

  arrive({ event, eventId, isSigned }: Arrival): void {
    if (!isSigned) {
      this.#unsigned += 1;
      return;
    }
    const first = this.#arrived.get(event);
    if (first === undefined) {
      this.#arrived.set(event, eventId);
      if (this.#accepted.has(event)) this.#open -= 1;
    } else if (first === eventId) this.#duplicates += 1;
    else this.#committedTwice.add(event);
  }

  fail(reason: string): void {
    this.#errors.set(reason, (this.#errors.get(reason) ?? 0) + 1);
  }

  totals(): Totals {
    return {
      accepted: this.#accepted.size,
      delivered: this.#arrived.size,
      open: this.#open,
      duplicates: this.#duplicates,
      errors: [...this.#errors.values()].reduce((sum, count) => sum + count, 0),
    };
  }

  /** Events that were accepted and have not arrived. */
  lost(): string[] {
    return [...this.#accepted].filter((event) => !this.#arrived.has(event));
  }

  /** Number of events that arrived although their client received no success. */
  unacknowledged(): number {
    return [...this.#arrived.keys()].filter((event) => !this.#accepted.has(event)).length;
  }

  /** Number of events that the service committed more than once. */
  committedTwice(): number {
    return this.#committedTwice.size;
  }

  /** Number of arrivals without a valid signature. */
  unsigned(): number {
    return this.#unsigned;
  }

  /** Failed attempts by reason, the most frequent first. */
  errors(): [reason: string, count: number][] {
    return [...this.#errors].sort(([, a], [, b]) => b - a);
  }
}
