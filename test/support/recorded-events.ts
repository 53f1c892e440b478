import type { Models } from '../../src/database/models.ts';
import { plainRows } from './decrypted.ts';

interface RecordedOptions {
  customerId?: number;
  visitorId?: string;
}

/** Events that the preview API has recorded, in plain text: custom events, and the conversions in the outbox. */
export async function recordedEvents(models: Models, { customerId, visitorId }: RecordedOptions = {}) {
  const ofTenant = customerId === undefined ? {} : { customerId };
  const isOfVisitor = (of: { visitorId: string } | undefined) =>
    of !== undefined && (visitorId === undefined || of.visitorId === visitorId);
  const [custom, conversions] = await Promise.all([
    plainRows({ models }, models.PreviewEvent.find(ofTenant)),
    plainRows({ models }, models.Event.find({ ...ofTenant, event: 'conversion.recorded' })),
  ]);
  const found = {
    custom: custom.filter(isOfVisitor),
    conversions: conversions.filter(({ source }) => isOfVisitor(source)),
  };
  return { ...found, count: found.custom.length + found.conversions.length };
}
