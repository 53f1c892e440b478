import { setTimeout as sleep } from 'node:timers/promises';
import {
  context,
  createContextKey,
  DiagLogLevel,
  diag,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { MongoDBInstrumentation } from '@opentelemetry/instrumentation-mongodb';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { NodeSDK } from '@opentelemetry/sdk-node';
import type { Logger } from '../logger.ts';
import type { Tracing, TracingConfig } from './tracing.ts';

/** Time limit for exporting the remaining spans at shutdown. */
const STOP_TIMEOUT_MS = 2_000;
/** Context key that suppresses the HTTP client's automatic span, for calls with their own span. */
const UNTRACED = createContextKey('engagement untraced');

/**
 * Starts OpenTelemetry, which reads its exporter settings from the standard `OTEL_…` variables. Call this before
 * importing the MongoDB driver, which is instrumented at import.
 *
 * Exports traces only: metrics are at `GET /metrics`, and the log is on stdout.
 */
export function startTracing({ serviceName }: TracingConfig, log: Logger): Tracing {
  diag.setLogger(
    {
      error: (message) => log.warn({ message }, 'tracing error'),
      warn: (message) => log.warn({ message }, 'tracing warning'),
      info: () => {},
      debug: () => {},
      verbose: () => {},
    },
    { logLevel: DiagLogLevel.WARN },
  );
  const sdk = new NodeSDK({
    ...(serviceName !== null && { serviceName }),
    metricReaders: [],
    logRecordProcessors: [],
    instrumentations: [
      // Omits the command text, which is expensive to serialize; the span names operation and collection anyway.
      new MongoDBInstrumentation({ dbStatementSerializer: () => '' }),
      new UndiciInstrumentation({
        ignoreRequestHook: () => context.active().getValue(UNTRACED) === true,
        startSpanHook: ({ origin, path }) => ({
          'url.full': `${origin}${path.split('?')[0]}`,
          'url.query': '',
        }),
      }),
    ],
  });
  sdk.start();
  const tracer = trace.getTracer('engagement');

  const fail = (span: Span, reason: string): void => {
    span.setAttribute('error.type', reason);
    span.setStatus({ code: SpanStatusCode.ERROR });
  };

  return {
    request(headers) {
      // Baggage of clients must not reach the sidecar or the meeting provider.
      const parent = propagation.deleteBaggage(propagation.extract(ROOT_CONTEXT, headers));
      const span = tracer.startSpan('HTTP', { kind: SpanKind.SERVER }, parent);
      return {
        run: (work) => context.with(trace.setSpan(parent, span), work),
        end({ method, route, status }) {
          span.updateName(route === 'unmatched' ? method : `${method} ${route}`);
          span.setAttributes({
            'http.request.method': method,
            'http.route': route,
            'http.response.status_code': status,
          });
          if (status >= 500) fail(span, String(status));
          span.end();
        },
      };
    },

    activeSpan: () => trace.getSpanContext(context.active()),

    async withSpan({ name, outgoing = false, attributes, parent, links = [] }, work) {
      const parentContext =
        parent === undefined
          ? context.active()
          : parent === null
            ? ROOT_CONTEXT
            : trace.setSpanContext(ROOT_CONTEXT, parent);
      const kind = outgoing ? SpanKind.CLIENT : SpanKind.INTERNAL;
      const span = tracer.startSpan(
        name,
        { kind, attributes, links: links.map((point) => ({ context: point })) },
        parentContext,
      );
      try {
        return await context.with(trace.setSpan(parentContext, span).setValue(UNTRACED, outgoing), () =>
          work({ set: (more) => span.setAttributes(more), fail: (reason) => fail(span, reason) }),
        );
      } catch (error) {
        fail(span, error instanceof Error ? error.name : 'unknown');
        throw error;
      } finally {
        span.end();
      }
    },

    async stop() {
      const exported = sdk
        .shutdown()
        .catch((error: unknown) => log.warn({ err: error }, 'failed to export the remaining spans'));
      await Promise.race([exported, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
    },
  };
}
