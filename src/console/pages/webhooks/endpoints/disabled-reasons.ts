import type { WebhookDisabledReason } from '../../../generated/graphql.ts';

/** Why an endpoint is off. */
interface DisabledReason {
  /** In a few words. */
  title: string;
  /** What happened, and what to do about it. */
  text: string;
}

export const DISABLED_REASONS: Record<WebhookDisabledReason, DisabledReason> = {
  manual: {
    title: 'Switched off by hand',
    text: 'Somebody switched it off. Enable it when it should receive events again.',
  },
  gone: {
    title: 'Its receiver is gone',
    text: 'The receiver answered 410 Gone, which says that it wants no more events, so it was switched off at once. Enable it when the receiver is back.',
  },
  failing: {
    title: 'It failed for days',
    text: 'No attempt succeeded for five days, and at least a hundred failed, so it was switched off. Look at its last deliveries, mend the receiver, then enable it.',
  },
};
