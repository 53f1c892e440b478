import type { Model } from 'mongoose';
import { insertion, type Write } from '../../platform/mongo/unit-write.ts';
import type { PreviewEventDoc } from './events.model.ts';

interface Models {
  PreviewEvent: Model<PreviewEventDoc>;
}

export const eventStore = ({ PreviewEvent }: Models) => ({
  insertion: (event: PreviewEventDoc): Write => insertion(PreviewEvent, event),
});

export type EventStore = ReturnType<typeof eventStore>;
