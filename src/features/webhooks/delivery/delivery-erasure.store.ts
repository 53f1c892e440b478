import type { Model, mongo } from 'mongoose';
import { objectIdsOf } from '../../../platform/mongo/object-id.ts';
import { rawCollection } from '../../../platform/mongo/raw-collection.ts';
import { READ_LIMIT } from '../../../platform/mongo/read-limits.ts';
import { scanWindow } from '../../../platform/mongo/scan-window.ts';
import type { TenantRef } from '../../../platform/tenant-ref.ts';
import type { ErasureCounts } from '../../privacy/erasure-step.ts';
import type { FieldEncryption } from '../../privacy/field-encryption.ts';
import { mentionsOf } from '../../privacy/mentions.ts';
import type { Person } from '../../privacy/person.ts';
import { type PersonalCollection, rewritePersonal, scanPersonal } from '../../privacy/personal-scan.ts';
import { BY_EVENT, DELIVERY_FIELDS, type DeliveryDoc, LIST_INDEXES } from './delivery.model.ts';
import { OPEN_STATUSES } from './state.ts';

const WINDOW = 1_000;

/** What deliveries store about people: they belong to an event, and responses can repeat its payload. */
export function deliveryErasureStore(
  { Delivery }: { Delivery: Model<DeliveryDoc> },
  encryption: FieldEncryption,
) {
  const collection = rawCollection(Delivery) as unknown as mongo.Collection;
  const personal: PersonalCollection = { collection, personal: DELIVERY_FIELDS, encryption };

  const ofEvents = ({ customerId }: TenantRef, eventIds: readonly string[]) => ({
    customerId,
    eventId: { $in: objectIdsOf(eventIds) },
  });

  return {
    async count(tenant: TenantRef, eventIds: readonly string[]): Promise<ErasureCounts> {
      if (eventIds.length === 0) return {};
      const [sums] = await Delivery.aggregate<{ deliveries: number; attempts: number }>([
        { $match: ofEvents(tenant, eventIds) },
        { $group: { _id: null, deliveries: { $sum: 1 }, attempts: { $sum: { $size: '$attempts' } } } },
      ]).hint(BY_EVENT);
      return { deliveries: sums?.deliveries ?? 0, attempts: sums?.attempts ?? 0 };
    },

    /** Returns the events with a delivery on its way. */
    async busy(tenant: TenantRef, eventIds: readonly string[]): Promise<Set<string>> {
      if (eventIds.length === 0) return new Set();
      const open = await collection
        .find(
          {
            ...ofEvents(tenant, eventIds),
            $or: [{ status: { $in: OPEN_STATUSES } }, { dueAt: { $exists: true } }],
          },
          { projection: { eventId: 1 }, hint: BY_EVENT, ...READ_LIMIT },
        )
        .toArray();
      return new Set(open.map(({ eventId }) => String(eventId)));
    },

    /** Returns true if a delivery of the tenant is on its way. */
    hasOpen: async ({ customerId }: TenantRef): Promise<boolean> =>
      (await collection.findOne(
        { customerId, status: { $in: OPEN_STATUSES } },
        { projection: { _id: 1 }, hint: LIST_INDEXES.byStatus, ...READ_LIMIT },
      )) !== null,

    /** Removes the deliveries of events; an attempt in progress ends without a result. */
    async removeOfEvents(tenant: TenantRef, eventIds: readonly string[]): Promise<void> {
      await Delivery.deleteMany(ofEvents(tenant, eventIds), { hint: BY_EVENT });
    },

    /** Removes the bodies and headers of responses to events, which can repeat their payloads. */
    async removeResponses(tenant: TenantRef, eventIds: readonly string[]): Promise<void> {
      if (eventIds.length === 0) return;
      const withAttempts = { ...ofEvents(tenant, eventIds), 'attempts.0': { $exists: true } };
      await collection.updateMany(
        withAttempts,
        { $set: { 'attempts.$[].responseBody': null, 'attempts.$[].responseHeaders': null } },
        { hint: BY_EVENT },
      );
    },

    /** Returns the next deliveries with a response that mentions the person. */
    async scanResponses(tenant: TenantRef, person: Person, after: unknown) {
      const { filter, isIn } = mentionsOf(person, { isJson: true });
      const match = filter('attempts.responseBody');
      if (!match) return { ids: [], next: null };
      const matches = ({ attempts }: DeliveryDoc) =>
        attempts.some(({ responseBody }) => responseBody != null && isIn(responseBody));
      const bodies = await scanPersonal(personal, { tenant, after, size: WINDOW, match, matches });
      const inHeaders = mentionsOf(person);
      const matchHeaders = inHeaders.filter('attempts.responseHeaders');
      if (!matchHeaders) return bodies;
      const { found } = await scanWindow<Pick<DeliveryDoc, '_id' | 'attempts'>>(collection, {
        ...DELIVERY_FIELDS.scan,
        ...{ of: { customerId: tenant.customerId }, after, size: WINDOW, match: matchHeaders },
        projection: { 'attempts.responseHeaders': 1 },
      });
      const headers = found
        .filter(({ attempts }) =>
          attempts.some(({ responseHeaders }) => responseHeaders && inHeaders.isIn(responseHeaders)),
        )
        .map(({ _id }) => String(_id));
      return { ids: [...new Set([...bodies.ids, ...headers])], next: bodies.next };
    },

    async redactResponses({ customerId }: TenantRef, person: Person, ids: readonly string[]): Promise<void> {
      const { redact } = mentionsOf(person, { isJson: true });
      const found = await Delivery.find({ customerId, _id: { $in: objectIdsOf(ids) } }).lean<DeliveryDoc[]>();
      await rewritePersonal(personal, found, ({ value }) => redact(String(value)));
      const { isIn, redact: redactHeaders } = mentionsOf(person);
      for (const { _id, eventId, attempts } of found)
        for (const { responseHeaders } of attempts)
          if (responseHeaders && isIn(responseHeaders))
            await collection.updateOne(
              { _id: _id as never, customerId, eventId },
              { $set: { 'attempts.$[attempt].responseHeaders': redactHeaders(responseHeaders) } },
              { arrayFilters: [{ 'attempt.responseHeaders': responseHeaders }] },
            );
    },
  };
}

export type DeliveryErasureStore = ReturnType<typeof deliveryErasureStore>;
