import { AppError } from '../../errors/app-error.ts';
import type { TenantLimit } from '../../limits/tenant-limits.ts';
import type { Clock } from '../../platform/clock.ts';
import type { CommitOptions } from '../../platform/commit/idempotency/idempotent-commit.ts';
import type { UnitOfWork } from '../../platform/commit/unit-of-work.ts';
import { cursorCodec } from '../../platform/cursor.ts';
import {
  type IdPage,
  type IdPageRequest,
  type Page,
  type PageRequest,
  readPage,
  toIdPage,
} from '../../platform/list-page.ts';
import { isObjectIdText, newObjectId } from '../../platform/mongo/object-id.ts';
import { CUSTOM_EVENT } from '../../shared/custom-events.ts';
import { MAX_TEXT } from '../../shared/text-limits.ts';
import type { ConversionOptions, Conversions } from '../conversations/conversions.ts';
import type { CommitOrder } from '../outbox/commit-order.ts';
import { CONVERSION, customTypeName, type Subscribes } from '../outbox/event-type.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { newEvent, type OutboxEvent } from '../outbox/outbox-event.ts';
import { redactValue } from '../privacy/mentions.ts';
import { SUPPRESSED } from '../privacy/person.ts';
import { cutTo } from '../privacy/replacements.ts';
import type { Suppressions } from '../privacy/suppression.service.ts';
import type { Suppressor } from '../privacy/suppressor.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import { type PreviewEventDoc, toPreviewEvent } from './preview-event.model.ts';
import type { PreviewEventStore } from './preview-event.store.ts';
import type { CustomEventFilter, PreviewEvent } from './preview-event.types.ts';

export interface RecordEventInput {
  /** `conversion` or a custom type. */
  type: string;
  visitorId: string;
  /** Required for a conversion. */
  goal?: string | null;
  conversationId?: string | null;
  value?: number | null;
  /** The current time by default. */
  occurredAt?: Date | null;
  properties?: Record<string, unknown> | null;
}

interface PlannedEvent extends Pick<ConversionOptions, 'conversation'> {
  doc: PreviewEventDoc;
}

interface Deps {
  events: PreviewEventStore;
  conversions: Conversions;
  outbox: Outbox;
  order: Pick<CommitOrder, 'list'>;
  /** Limits the custom events of each tenant; null for no limit. */
  limit: TenantLimit | null;
  /** Returns whether an endpoint or a feed of the tenant names an event type. */
  subscribes: Subscribes;
  suppressions: Suppressions;
  clock: Clock;
}

/** Returns what is stored of a suppressed person's event. */
const ofSuppressed = (input: RecordEventInput): RecordEventInput => ({
  ...input,
  visitorId: SUPPRESSED,
  properties: null,
});

/** Returns an event without what names a suppressed person. */
function withoutSuppressed(input: RecordEventInput, suppressor: Suppressor | null): RecordEventInput {
  if (!suppressor) return input;
  const { redact } = suppressor;
  const isSuppressed = suppressor.isSuppressed({ visitorId: input.visitorId });
  const { goal, properties } = input;
  const redacted = {
    ...input,
    goal: goal && cutTo(MAX_TEXT, redact(goal)),
    properties: properties
      ? (redactValue(properties, { redact, redactKey: redact }) as typeof properties)
      : null,
  };
  return isSuppressed ? ofSuppressed(redacted) : redacted;
}

/**
 * Events that clients report to the preview API. A conversion is stored only as the event that is published of it; an event
 * of a custom type has a document of its own.
 */
export function previewEventService(deps: Deps) {
  const { events, conversions, outbox, order, limit, subscribes, suppressions, clock } = deps;

  /** Returns the given conversation or, for a conversion without one, the visitor's newest. */
  async function conversationOf(tenant: Tenant, { type, visitorId, conversationId }: RecordEventInput) {
    if (conversationId) return conversions.requireOfVisitor(tenant, visitorId, conversationId);
    return type === CONVERSION ? conversions.newestOfVisitor(tenant, visitorId) : null;
  }

  /** Plans a conversion, whose only document is its event in the outbox. */
  function planConversion(tenant: Tenant, { goal, doc, conversation }: PlannedEvent & { goal: string }) {
    const { _id: id, value, visitorId, occurredAt, properties, createdAt: now } = doc;
    const source = { visitorId, occurredAt, properties };
    const conversion = { id, goal, type: goal, value, source };
    return conversions.planWithConversation(tenant, { conversation, conversion, now });
  }

  /** Plans an event of a custom type; it is published only if an endpoint or a feed names its type or `custom.*`. */
  async function planCustom(
    tenant: Tenant,
    { doc, conversation }: PlannedEvent,
  ): Promise<UnitOfWork<OutboxEvent, PreviewEvent>> {
    if (!(await subscribes(tenant, customTypeName(doc.type))))
      return { writes: await events.insertions([doc]), events: [], result: toPreviewEvent(doc) };
    const { type, goal, visitorId, value, occurredAt, properties, createdAt: now } = doc;
    const event = newEvent({
      tenant,
      event: CUSTOM_EVENT,
      data: {
        customEventId: doc._id.toHexString(),
        ...{ type, visitorId, goal, value },
        conversationId: doc.conversationId?.toHexString() ?? null,
        properties: properties === null ? null : JSON.parse(properties),
        occurredAt: occurredAt.toISOString(),
      },
      source: { visitorId, occurredAt, properties: null },
      now,
    });
    const published = { ...doc, eventId: event.id };
    return {
      writes: [
        ...(await events.insertions([published])),
        ...(conversation ? [await conversions.planEventAt(tenant, conversation, now)] : []),
      ],
      events: [event],
      result: toPreviewEvent(published),
    };
  }

  async function plan(
    tenant: Tenant,
    given: RecordEventInput,
    reserve: ((wanted: number) => Promise<void>) | undefined,
  ): Promise<UnitOfWork<OutboxEvent, PreviewEvent>> {
    const conversation = await conversationOf(tenant, given);
    const isSuppressed =
      conversation !== null && 'visitorId' in conversation && conversation.visitorId === SUPPRESSED;
    const input = isSuppressed ? ofSuppressed(given) : given;
    const now = conversions.timeOf(conversation, clock.now());
    const goal = input.goal ?? null;
    const doc: PreviewEventDoc = {
      _id: newObjectId(now),
      customerId: tenant.customerId,
      type: input.type,
      goal,
      visitorId: input.visitorId,
      conversationId: conversation?._id ?? null,
      value: input.value ?? null,
      properties: input.properties ? JSON.stringify(input.properties) : null,
      occurredAt: input.occurredAt ?? now,
      createdAt: now,
    };
    if (input.type === CONVERSION && goal !== null) {
      const unit = await planConversion(tenant, { goal, doc, conversation });
      const eventId = unit.events[0]?.id;
      return { ...unit, result: toPreviewEvent({ ...doc, ...(eventId && { eventId }) }) };
    }
    await reserve?.(1);
    return planCustom(tenant, { doc, conversation });
  }

  const listBefore = (
    tenant: Tenant,
    filter: CustomEventFilter,
    { before, limit }: { before: string | null; limit: number },
  ): Promise<PreviewEventDoc[]> =>
    order.list(tenant, { before, positionOf: ({ id }) => id.toHexString() }, (bound) =>
      events.list(tenant, filter, { before: bound, limit }),
    );

  return {
    /**
     * Records an event. A conversion is published as `conversion.recorded`, a custom type that is named somewhere as
     * `custom.<type>`.
     *
     * @throws AppError `NOT_FOUND` or `VALIDATION_FAILED` for the conversation, `CONFLICT` beyond the tenant's limit
     */
    record: async (
      tenant: Tenant,
      input: RecordEventInput,
      { idempotency }: CommitOptions = {},
    ): Promise<PreviewEvent> => {
      const reserve = limit?.reservation(tenant);
      const { result } = await suppressions.whileStoring(tenant, (suppressor) => {
        const stored = withoutSuppressed(input, suppressor);
        return outbox.commit(() => plan(tenant, stored, reserve), { tenant, idempotency });
      });
      if (result.suppressed) suppressions.count('events');
      return result;
    },

    /** Returns events of custom types, newest first. */
    async list(tenant: Tenant, filter: CustomEventFilter, page: PageRequest): Promise<Page<PreviewEvent>> {
      const { type, visitorId, since, until } = filter;
      const list = ['customEvents', tenant.customerId, type, visitorId, since?.getTime(), until?.getTime()];
      return readPage(page, {
        cursor: cursorCodec(list, isObjectIdText),
        read: (before, limit) => listBefore(tenant, filter, { before, limit }),
        positionOf: ({ _id }) => _id.toHexString(),
        toNode: toPreviewEvent,
      });
    },

    /** As `list`, after the event with an id. @throws AppError `NOT_FOUND` */
    async listAfterId(
      tenant: Tenant,
      filter: CustomEventFilter,
      { limit, afterId }: IdPageRequest,
    ): Promise<IdPage<PreviewEvent>> {
      if (afterId !== null && !(await events.exists(tenant, afterId)))
        throw new AppError('NOT_FOUND', 'The event does not exist.');
      const rows = await listBefore(tenant, filter, { before: afterId, limit: limit + 1 });
      return toIdPage(rows, limit, toPreviewEvent);
    },
  };
}

export type PreviewEventService = ReturnType<typeof previewEventService>;
