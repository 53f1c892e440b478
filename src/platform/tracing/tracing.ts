import type { IncomingHttpHeaders } from 'node:http';

/** What a span says of itself: never an address with its path or query, a secret, or anything about a person. */
type Attributes = Record<string, string | number>;

/** A place in a trace, for what comes later to refer to. */
export interface TracePoint {
  traceId: string;
  spanId: string;
  traceFlags: number;
}

/** Something that has consequences after the request that caused it. */
export interface Traced {
  /** The span that it came about in; absent while nothing is traced. */
  origin?: TracePoint | undefined;
}

interface SpanStart {
  name: string;
  /** It is a call that leaves the service, and no other span is to be made for that call. */
  outgoing?: boolean;
  attributes?: Attributes;
  /** The span that it belongs to; absent: the one that is open now; null: none, it begins a trace. */
  parent?: TracePoint | null;
  /** The many for which it is done together. */
  links?: readonly TracePoint[];
}

/** A span while it is open. */
export interface OpenSpan {
  set(attributes: Attributes): void;
  /** @param reason a short code */
  fail(reason: string): void;
}

/** The span of an HTTP request. */
export interface RequestSpan {
  /** Runs the request: what is traced within belongs to the span. */
  run<T>(work: () => T): T;
  /** @param answer its route is a pattern, `unmatched` where there is none */
  end(answer: { method: string; route: string; status: number }): void;
}

/** Tells a collector what goes on. Where there is none, `null` is passed about instead, and nothing is loaded. */
export interface Tracing {
  /** Opens the span of a request, within the trace that its `traceparent` names. */
  request(headers: IncomingHttpHeaders): RequestSpan;
  /** The span that is open now. */
  here(): TracePoint | undefined;
  /** Runs `work` in a span that ends with it; a rejection fails the span, and is passed on. */
  within<T>(start: SpanStart, work: (span: OpenSpan) => Promise<T>): Promise<T>;
  /** Sends what was not sent yet, for as long as two seconds. */
  stop(): Promise<void>;
}
