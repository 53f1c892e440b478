import type { WebhookDisabledReason } from '../../../generated/graphql.ts';

interface DisabledReason {
  /** Completes “Disabled …”. */
  cause: string;
  /** Explanation and next step. */
  advice: string;
}

export const DISABLED_REASONS: Record<WebhookDisabledReason, DisabledReason> = {
  manual: {
    cause: 'manually',
    advice: 'A user or an API client disabled this endpoint. Enable it to resume deliveries.',
  },
  gone: {
    cause: 'after a 410 Gone response',
    advice:
      'The receiver returned 410 Gone, which means that it no longer accepts events. Enable the endpoint when the receiver is available again.',
  },
  failing: {
    cause: 'after five days of failures',
    advice:
      'At least 100 attempts failed and none succeeded for five days. Review the latest deliveries and fix the receiver before you enable the endpoint.',
  },
};

/** Title of a disabled endpoint, such as `Endpoint disabled manually`. */
export const disabledTitle = (reason: WebhookDisabledReason | null): string =>
  reason ? `Endpoint disabled ${DISABLED_REASONS[reason].cause}` : 'Endpoint disabled';
