import type { Models } from '../../database.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Conversions } from '../conversations/conversions.ts';
import type { CommitOrder } from '../outbox/commit-order.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { eventService } from './events.service.ts';
import { eventStore } from './events.store.ts';

interface Deps {
  models: Models;
  conversions: Conversions;
  outbox: Outbox;
  order: CommitOrder;
  clock: Clock;
}

/** Creates the feature for events that tenants send through the preview API. */
export const createEvents = ({ models, conversions, outbox, order, clock }: Deps) => ({
  services: { events: eventService({ events: eventStore(models), conversions, outbox, order, clock }) },
});
