import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Value = string | number | boolean;

/** A span as a collector got it. */
export interface Span {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  /** As OTLP numbers them: 1 internal, 2 server, 3 client. */
  kind: number;
  attributes: Record<string, Value>;
  /** Ids of the spans that it is linked to. */
  links: string[];
  failed: boolean;
  /** Instrumentation scope: `engagement` or the name of an instrumentation. */
  scope: string;
}

/** A real HTTP server that plays an OpenTelemetry collector (OTLP over HTTP). */
export interface Collector {
  url: string;
  /** Paths and content types of what came, in order. */
  received: { path: string; type: string; body: string }[];
  /** Spans of what came as JSON. */
  spans(): Span[];
  /** Attributes of what sent it. */
  resource(): Record<string, Value>;
  stop(): Promise<void>;
}

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number | string; boolValue?: boolean };
}

interface OtlpSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  kind: number;
  attributes: Attribute[];
  links?: { spanId: string }[];
  status: { code?: number };
}

interface Export {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { scope: { name: string }; spans: OtlpSpan[] }[];
  }[];
}

const read = (attributes: Attribute[]): Record<string, Value> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? Number(value.intValue ?? Number.NaN),
    ]),
  );

export async function startCollector(): Promise<Collector> {
  const received: Collector['received'] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const type = request.headers['content-type'] ?? '';
      received.push({ path: request.url ?? '', type, body: Buffer.concat(chunks).toString() });
      response.writeHead(200, { 'content-type': type }).end(type.includes('json') ? '{}' : '');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const exported = () =>
    received.filter(({ type }) => type.includes('json')).map(({ body }) => JSON.parse(body) as Export);

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    spans: () =>
      exported().flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) =>
          scopeSpans.flatMap(({ scope, spans }) =>
            spans.map(({ attributes, links = [], status, parentSpanId = '', ...span }) => ({
              ...span,
              parentSpanId,
              attributes: read(attributes),
              links: links.map(({ spanId }) => spanId),
              failed: status.code === 2,
              scope: scope.name,
            })),
          ),
        ),
      ),
    resource: () => read(exported()[0]?.resourceSpans[0]?.resource.attributes ?? []),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
