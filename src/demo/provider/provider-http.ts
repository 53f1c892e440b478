import type { IncomingHttpHeaders } from 'node:http';

/** A request to a fake provider. */
export interface ProviderRequest {
  method: string;
  /** Absolute URL; the `next` URL of a page has the same origin. */
  url: URL;
  headers: IncomingHttpHeaders;
}

export interface ProviderResponse {
  status: number;
  headers?: Record<string, string>;
  body: Record<string, unknown>;
}

export const refuse = (status: number, message: string): ProviderResponse => ({
  status,
  body: { error: message },
});

/** Returns the API key of a request, a bearer token or `X-Api-Key`; null if it has none. */
export const apiKeyOf = ({ authorization, 'x-api-key': apiKey }: IncomingHttpHeaders): string | null =>
  /^Bearer (\S+)$/.exec(authorization ?? '')?.[1] ?? (typeof apiKey === 'string' ? apiKey : null);
