import type { z } from 'zod';
import { MAX_RESPONSE_BYTES } from '../../features/drift/sidecar.client.ts';
import type { statusResponse } from '../../features/drift/sidecar.responses.ts';
import { type SidecarAddress, sidecarAuthorization } from '../../platform/sidecar-address.ts';

/** Time limit of one request. Longer than the service's own, so that a slow sidecar fails one requirement only. */
const REQUEST_TIMEOUT_MS = 60_000;

/** The sidecar violates a requirement; the message says how. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

/** The sidecar does not accept connections, or did not respond within a minute. */
export class Unreachable extends Violation {}

export interface ProbeResponse {
  /** Method and path, for messages. */
  request: string;
  status: number;
  sizeBytes: number;
  /** Undefined if the body is not JSON. */
  body: unknown;
}

interface ProbeRequest {
  method?: 'GET' | 'POST' | 'DELETE';
  path: string;
  query?: Record<string, string>;
  /** Sent as JSON; a string is sent unchanged. */
  body?: unknown;
  /** Replaces the configured token; null to send none. */
  token?: string | null;
}

/** Sends requests to a sidecar and records their durations. */
export function createSidecarProbe(address: SidecarAddress) {
  const slowest = { request: '', durationMs: 0 };

  async function send(options: ProbeRequest): Promise<ProbeResponse> {
    const { method = 'GET', path, query = {}, body, token = address.token } = options;
    const request = `${method} ${path}`;
    const search = new URLSearchParams(query).toString();
    const start = performance.now();
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${address.url}${path}${search && `?${search}`}`, {
        method,
        headers: {
          accept: 'application/json',
          ...sidecarAuthorization({ token }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        redirect: 'error',
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
      text = await response.text();
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
      throw new Unreachable(`${request} failed: ${reason}`);
    }
    const durationMs = performance.now() - start;
    // The service never sends samples, so its time limit does not apply to them.
    if (path !== '/samples' && durationMs > slowest.durationMs)
      Object.assign(slowest, { request, durationMs });
    const sizeBytes = Buffer.byteLength(text);
    return { request, status: response.status, sizeBytes, body: jsonOrUndefined(text) };
  }

  return {
    address,
    /** The slowest request so far, other than `/samples`. */
    slowest: slowest as Readonly<typeof slowest>,
    send,

    /** Sends a request and parses its response. @throws Violation unless it is a 2xx with a valid body */
    async read<S extends z.ZodType>(schema: S, options: ProbeRequest): Promise<z.output<S>> {
      return parseSuccess(schema, await send(options));
    },
  };
}

export type SidecarProbe = ReturnType<typeof createSidecarProbe>;

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** @throws Violation unless the response is a 2xx with a valid body */
export function parseSuccess<S extends z.ZodType>(schema: S, response: ProbeResponse): z.output<S> {
  const { request, status } = response;
  if (!isSuccess(status)) throw new Violation(`${request} returned HTTP ${status}`);
  return parse(schema, response);
}

/** @throws Violation if the body is too large or invalid; it names the first invalid field */
export function parse<S extends z.ZodType>(schema: S, response: ProbeResponse): z.output<S> {
  const { request, sizeBytes, body } = response;
  if (sizeBytes > MAX_RESPONSE_BYTES)
    throw new Violation(`${request}: the response exceeds ${MAX_RESPONSE_BYTES} bytes`);
  if (body === undefined) throw new Violation(`${request} returned a body that is not JSON`);
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.path.join('.');
  throw new Violation(`${request}: ${field ? `${field}: ` : ''}${issue?.message ?? 'invalid body'}`);
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export type Status = z.output<typeof statusResponse>;

export const scoresOf = ({ featureDrifts }: Status): Map<string, number> =>
  new Map(featureDrifts.map(({ feature, score }) => [feature, score]));

/** Returns true if both sets have this number of rows; false if the sidecar does not report the rows. */
export const hasRows = (reported: Status['rows'], rows: number): boolean =>
  reported?.reference === rows && reported.current === rows;
