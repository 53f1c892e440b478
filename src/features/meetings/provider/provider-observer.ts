import type { OutboundResult } from '../../../outbound/outbound-request.ts';

/** Receives the requests to the provider of all tenants, for metrics. */
export interface ProviderObserver {
  /** @param request its outcome is a low-cardinality label, see `requestOutcome` */
  onProviderRequest(request: { outcome: string }): void;
}

/** Returns `succeeded`, `rate_limited` for HTTP 429, another status class (`http_4xx`), or the transport error. */
export function requestOutcome(result: OutboundResult): string {
  if (!result.ok) return result.error;
  if (result.status === 429) return 'rate_limited';
  const statusClass = Math.floor(result.status / 100);
  if (statusClass === 2) return 'succeeded';
  return statusClass <= 5 ? `http_${statusClass}xx` : 'other';
}
