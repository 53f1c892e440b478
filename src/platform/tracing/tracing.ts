import type { IncomingHttpHeaders } from 'node:http';

/** Settings of tracing; OpenTelemetry reads the exporter's address itself. */
export interface TracingConfig {
  /** `service.name` of the spans; null if a standard variable sets it. */
  serviceName: string | null;
}

/** Attributes of a span. They must not contain secrets, personal data, or the path and query of a URL. */
type Attributes = Record<string, string | number>;

/** Reference to a span, for later spans to link to. */
export interface SpanReference {
  traceId: string;
  spanId: string;
  traceFlags: number;
}

/** A record that refers to the trace that created it, for the spans of its later processing. */
export interface Traced {
  /** Span that created the record; absent without tracing. */
  origin?: SpanReference | undefined;
}

interface SpanStart {
  name: string;
  /** True for a call to another system. Suppresses the automatic span of the HTTP client. */
  outgoing?: boolean;
  attributes?: Attributes;
  /** Parent span; the active one by default; null starts a new trace. */
  parent?: SpanReference | null;
  /** Spans of the callers, if the work serves several. */
  links?: readonly SpanReference[];
}

/** A span that has not ended. */
export interface OpenSpan {
  set(attributes: Attributes): void;
  /** Marks the span as failed. @param reason a short code */
  fail(reason: string): void;
}

export interface RequestSpan {
  /** Runs `work` with the span active. */
  run<T>(work: () => T): T;
  /** @param response its route is a pattern, or `unmatched` */
  end(response: { method: string; route: string; status: number }): void;
}

/** Distributed tracing. Without configuration, callers have null instead, and OpenTelemetry is not loaded. */
export interface Tracing {
  /** Starts the span of a request, as part of the trace in its `traceparent` header. */
  request(headers: IncomingHttpHeaders): RequestSpan;
  /** Returns the active span; undefined if there is none. */
  activeSpan(): SpanReference | undefined;
  /** Runs `work` in a new span. A rejection marks the span as failed and is passed on. */
  withSpan<T>(start: SpanStart, work: (span: OpenSpan) => Promise<T>): Promise<T>;
  /** Exports the remaining spans, for at most two seconds. */
  stop(): Promise<void>;
}
