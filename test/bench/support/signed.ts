import type { EventDoc } from '../../../src/features/outbox/outbox-event.model.ts';
import { signatureHeaders } from '../../../src/features/webhooks/signature/sign.ts';

/** The headers that the service sends with a delivery, signed at this moment. */
export const deliveryHeaders = (
  deliveryId: string,
  { _id, payload }: EventDoc,
  secret: string,
): Record<string, string> => ({
  'content-type': 'application/json',
  'user-agent': 'engagement-webhooks/1',
  'X-SVC-Delivery-Id': deliveryId,
  ...signatureHeaders({
    secret,
    eventId: _id.toHexString(),
    body: payload,
    t: Math.floor(Date.now() / 1000),
  }),
});
