import type { Model } from 'mongoose';
import { firstObjectIdOf, objectIdsOf } from '../../platform/mongo/object-id.ts';
import { untypedCollection } from '../../platform/mongo/raw-collection.ts';
import { scanIds } from '../../platform/mongo/scan-window.ts';
import type { RetentionStep } from '../privacy/retention-step.ts';
import { PREVIEW_EVENT_FIELDS, type PreviewEventDoc } from './preview-event.model.ts';

const WINDOW = 1_000;

/** Retention of a tenant's custom events. */
export function previewEventRetention({
  PreviewEvent,
}: {
  PreviewEvent: Model<PreviewEventDoc>;
}): RetentionStep {
  const collection = untypedCollection(PreviewEvent);
  return {
    kind: 'previewEvents',
    find: ({ customerId }, before, after) =>
      scanIds(collection, {
        ...PREVIEW_EVENT_FIELDS.scan,
        of: { customerId },
        after,
        below: firstObjectIdOf(before),
        size: WINDOW,
        match: {},
      }),
    async remove({ customerId }, ids) {
      const { deletedCount } = await PreviewEvent.deleteMany({
        customerId,
        _id: { $in: objectIdsOf(ids) },
      }).hint({ _id: 1 });
      return deletedCount;
    },
  };
}
