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
import type { TracingConfig } from '../../config.ts';
import type { Logger } from '../logger.ts';
import type { Tracing } from './tracing.ts';

/** What a stop may wait for the collector. Milliseconds. */
const STOP_MS = 2_000;
/** Set where a call that leaves has a span of its own already. */
const UNTRACED = createContextKey('engagement untraced');

/**
 * Starts OpenTelemetry. It reads where to send what by itself, from its standard variables (`OTEL_…`). To be called
 * before the database's driver is loaded, which it changes as that is loaded.
 *
 * Traces alone: the numbers are at `GET /metrics`, the log is on stdout.
 */
export function startTracing({ serviceName }: TracingConfig, log: Logger): Tracing {
  diag.setLogger(
    {
      error: (message) => log.warn({ message }, 'tracing has trouble'),
      warn: (message) => log.warn({ message }, 'tracing has trouble'),
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
      // A command's text costs more to write than it says: operation and collection are in the span without it.
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
      // Baggage goes no further: what a client sends along is not for the sidecar or the meeting provider.
      const from = propagation.deleteBaggage(propagation.extract(ROOT_CONTEXT, headers));
      const span = tracer.startSpan('HTTP', { kind: SpanKind.SERVER }, from);
      return {
        run: (work) => context.with(trace.setSpan(from, span), work),
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

    here: () => trace.getSpanContext(context.active()),

    async within({ name, outgoing = false, attributes, parent, links = [] }, work) {
      const around =
        parent === undefined
          ? context.active()
          : parent === null
            ? ROOT_CONTEXT
            : trace.setSpanContext(ROOT_CONTEXT, parent);
      const kind = outgoing ? SpanKind.CLIENT : SpanKind.INTERNAL;
      const span = tracer.startSpan(
        name,
        { kind, attributes, links: links.map((point) => ({ context: point })) },
        around,
      );
      try {
        return await context.with(trace.setSpan(around, span).setValue(UNTRACED, outgoing), () =>
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
      const sent = sdk
        .shutdown()
        .catch((error: unknown) => log.warn({ err: error }, 'the last traces were not sent'));
      await Promise.race([sent, sleep(STOP_MS, undefined, { ref: false })]);
    },
  };
}
