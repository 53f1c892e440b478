import type { Models } from '../../src/database/models.ts';

interface RecordedOptions {
  customerId?: number;
  visitorId?: string;
}

/** Events that the preview API has recorded: custom events, and the conversions in the outbox. */
export async function recordedEvents(
  { PreviewEvent, Event }: Pick<Models, 'PreviewEvent' | 'Event'>,
  { customerId, visitorId }: RecordedOptions = {},
) {
  const ofTenant = customerId === undefined ? {} : { customerId };
  const custom = await PreviewEvent.find({ ...ofTenant, ...(visitorId !== undefined && { visitorId }) });
  const conversions = await Event.find({
    ...ofTenant,
    event: 'conversion.recorded',
    ...(visitorId === undefined ? { source: { $exists: true } } : { 'source.visitorId': visitorId }),
  });
  return { custom, conversions, count: custom.length + conversions.length };
}
