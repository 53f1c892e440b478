import type { AuditService } from './audit.service.ts';
import { jobActor } from './audit-actor.ts';

interface Disabling {
  customerId: number;
  endpointId: number;
  reason: string;
}

const DISABLING = {
  action: 'disableWebhookEndpoint',
  actor: jobActor('webhooks.disable'),
  clientAddress: null,
  requestId: null,
} as const;

/**
 * Disables a webhook endpoint as an act of the service.
 * @param disable returns false if it has changed nothing, such as when another process was faster
 */
export function performDisabling(
  { perform }: Pick<AuditService, 'perform'>,
  { customerId, endpointId, reason }: Disabling,
  disable: () => Promise<boolean>,
): Promise<boolean> {
  const target = { type: 'webhookEndpoint', id: String(endpointId) };
  const changed = { before: { enabled: true }, after: { enabled: false, disabledReason: reason } };
  return perform({ ...DISABLING, customerId, target }, disable, (isDisabled) =>
    isDisabled ? { target, ...changed } : null,
  );
}
