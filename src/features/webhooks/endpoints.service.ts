import { AppError, invalid } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { cursorCodec, isInteger } from '../../platform/cursor.ts';
import type { Committer } from '../../platform/mongo/committer.ts';
import { toPage } from '../../platform/mongo/paging.ts';
import type { Page, PageRequest } from '../../platform/page.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import type { EventName } from './catalogue.ts';
import { type EndpointChange, type EndpointStore, MAX_ENDPOINTS } from './endpoints.store.ts';
import type { OutgoingEvent } from './outbox.ts';
import type { QueueStore } from './queue.store.ts';
import type { SecretBox } from './secrets.ts';
import { toEndpoint } from './views.ts';
import type { EndpointDoc } from './webhooks.model.ts';
import type { WebhookEndpoint } from './webhooks.types.ts';

interface Deps {
  endpoints: EndpointStore;
  queue: QueueStore;
  committer: Committer<OutgoingEvent>;
  secrets: SecretBox;
  clock: Clock;
  /** What is wrong with a target's address, or null (`outbound`). */
  checkUrl: (url: string) => string | null;
  nextId: () => Promise<number>;
}

export interface NewEndpoint {
  url: string;
  description?: string | null;
  /** Names of the events to receive; null or omitted: all of them. */
  events?: EventName[] | null;
}

export interface EndpointPatch {
  url?: string;
  description?: string | null;
  events?: EventName[] | null;
  enabled?: boolean;
}

export function endpointService({ endpoints, queue, committer, secrets, clock, checkUrl, nextId }: Deps) {
  const cursorOf = (tenant: Tenant) => cursorCodec(['webhookEndpoints', tenant.customerId], isInteger);
  const notFound = (id: number) => new AppError('NOT_FOUND', `There is no webhook endpoint ${id}.`);

  function requireAllowed(url: string): void {
    const problem = checkUrl(url);
    if (problem !== null) throw invalid('url', problem);
  }

  return {
    /** Registers a receiver. The signing secret is in the answer and can not be had again. */
    async create(tenant: Tenant, input: NewEndpoint): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
      requireAllowed(input.url);
      const id = await nextId();
      const { secret, sealed } = secrets.issue(id);
      const now = clock.now();
      const endpoint: EndpointDoc = {
        id,
        customerId: tenant.customerId,
        url: input.url,
        description: input.description ?? null,
        events: input.events ?? null,
        enabled: true,
        disabledReason: null,
        secret: sealed,
        failures: 0,
        failingSince: null,
        createdAt: now,
        updatedAt: now,
      };
      return committer.commit(async () => {
        if ((await endpoints.count(tenant)) >= MAX_ENDPOINTS)
          throw new AppError('CONFLICT', `A customer can have at most ${MAX_ENDPOINTS} webhook endpoints.`);
        return {
          writes: endpoints.insertion(endpoint),
          events: [],
          result: { endpoint: toEndpoint(endpoint), secret },
        };
      });
    },

    /** Newest first. */
    async list(tenant: Tenant, { limit, after }: PageRequest): Promise<Page<WebhookEndpoint>> {
      const cursor = cursorOf(tenant);
      const rows = await endpoints.list(tenant, after === null ? null : cursor.decode(after), limit + 1);
      return toPage(rows, limit, (row) => ({ cursor: cursor.encode(row.id), node: toEndpoint(row) }));
    },

    /** Null when the tenant has no such endpoint. */
    async find(tenant: Tenant, id: number): Promise<WebhookEndpoint | null> {
      const found = await endpoints.find(tenant, id);
      return found && toEndpoint(found);
    },

    /** `NOT_FOUND` when the tenant has no such endpoint. */
    async get(tenant: Tenant, id: number): Promise<WebhookEndpoint> {
      const found = await endpoints.find(tenant, id);
      if (!found) throw notFound(id);
      return toEndpoint(found);
    },

    /** Changes what is named. Enabling clears the counters; disabling cancels what waits. */
    async update(tenant: Tenant, id: number, patch: EndpointPatch): Promise<WebhookEndpoint> {
      if (patch.url !== undefined) requireAllowed(patch.url);
      const before = await endpoints.find(tenant, id);
      if (!before) throw notFound(id);
      const change: EndpointChange = {};
      if (patch.url !== undefined) change.url = patch.url;
      if (patch.description !== undefined) change.description = patch.description;
      if (patch.events !== undefined) change.events = patch.events;
      if (patch.enabled === true)
        Object.assign(change, { enabled: true, disabledReason: null, failures: 0, failingSince: null });
      if (patch.enabled === false && before.enabled)
        Object.assign(change, { enabled: false, disabledReason: 'manual' });
      if (Object.keys(change).length === 0) return toEndpoint(before);
      const updated = await endpoints.update(tenant, id, change, clock.now());
      if (!updated) throw notFound(id);
      if (!updated.enabled) await queue.cancelWaiting(id, clock.now());
      return toEndpoint(updated);
    },

    /** Removes an endpoint; its waiting deliveries become `cancelled`. */
    async remove(tenant: Tenant, id: number): Promise<{ id: number; deleted: true }> {
      await committer.commit(async () => {
        if (!(await endpoints.find(tenant, id))) throw notFound(id);
        return { writes: endpoints.removal(tenant, id), events: [], result: undefined };
      });
      await queue.endRecoveriesOf(id);
      await queue.cancelWaiting(id, clock.now());
      return { id, deleted: true };
    },

    /** Replaces the signing secret; what is signed from now on carries the new one. */
    async rotateSecret(tenant: Tenant, id: number): Promise<{ id: number; secret: string }> {
      const { secret, sealed } = secrets.issue(id);
      const updated = await endpoints.update(tenant, id, { secret: sealed }, clock.now());
      if (!updated) throw notFound(id);
      return { id, secret };
    },
  };
}

export type EndpointService = ReturnType<typeof endpointService>;
