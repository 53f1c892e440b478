import { AppError, type ErrorDetail, invalidInput } from '../../../errors/app-error.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { CommitOptions } from '../../../platform/commit/idempotency/idempotent-commit.ts';
import type { Plan } from '../../../platform/commit/unit-of-work.ts';
import { cursorCodec, isInteger } from '../../../platform/cursor.ts';
import { type Page, type PageRequest, readPage } from '../../../platform/list-page.ts';
import type { EventTypeName } from '../../outbox/event-type.ts';
import type { Outbox } from '../../outbox/outbox.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import type { Gates } from '../delivery/gate.ts';
import type { RecoveryStore } from '../delivery/sweep/recovery.store.ts';
import type { StatisticsStore } from '../statistics/statistics.store.ts';
import type { CancelBacklog } from './cancel-backlog.ts';
import { type EndpointDoc, NO_FAILURES, toEndpoint as toEndpointWith } from './endpoint.model.ts';
import type { EndpointChange, EndpointStore } from './endpoint.store.ts';
import { MAX_ENDPOINTS, signingOf, type WebhookEndpoint } from './endpoint.types.ts';
import { endpointChanged, requireEndpoint } from './endpoint-errors.ts';
import type { EndpointSecrets } from './endpoint-secrets.ts';
import {
  hasTargetSettings,
  NEW_ENDPOINT,
  type SettingsPatch,
  type StoredSettings,
  settingIssues,
  storedSettings,
} from './endpoint-settings.ts';
import type { VerifyUrl } from './url-verification.ts';

interface Deps {
  endpoints: EndpointStore;
  cancelBacklog: CancelBacklog;
  recoveries: Pick<RecoveryStore, 'removeOfEndpoint'>;
  statistics: Pick<StatisticsStore, 'removeOf'>;
  outbox: Outbox;
  secrets: EndpointSecrets;
  clock: Clock;
  /** Returns what is wrong with a target URL; null if it is allowed (`src/outbound/target-policy.ts`). */
  checkUrl: (url: string) => string | null;
  /** Asks the receiver to confirm a new URL, if that is required. */
  verifyUrl: VerifyUrl;
  nextId: () => Promise<number>;
  /** Returns the error for an endpoint beyond the limit. */
  limitRefusal: () => AppError;
  /** Default time limit of an attempt. */
  timeoutMs: number;
  gates: Pick<Gates, 'isSteered'>;
  /** Wakes the dispatcher: deliveries of the tenant that waited may be sent. */
  wake: (customerId: number) => void;
}

export interface NewEndpoint extends SettingsPatch {
  url: string;
  description?: string | null;
  /** Names of the events to receive; null or omitted for all of them. */
  events?: EventTypeName[] | null;
}

export interface EndpointPatch extends SettingsPatch {
  url?: string;
  description?: string | null;
  events?: EventTypeName[] | null;
  enabled?: boolean;
}

/** A rotated secret, and the values of the endpoint that changed with it. */
export type RotatedSecret = { id: number; secret: string } & Pick<
  WebhookEndpoint,
  'publicKey' | 'previousSecretExpiresAt'
>;

/** The demo's receivers are the service's own: they are not asked to confirm their URL. */
interface VerificationOptions {
  isVerified?: boolean;
}

interface EndpointUpdate extends VerificationOptions {
  patch: EndpointPatch;
  /** Revisions to which the patch applies; null for any. */
  expectedRevisions?: readonly number[] | null;
  /** Rejects unless the caller may make the change to the endpoint as it is. */
  permit?: (current: WebhookEndpoint) => Promise<void>;
}

/** Returns true if a patch replaces the target of the endpoint: results of earlier attempts no longer count. */
const isTargetReplacedBy = (
  { url = '', enabled }: EndpointPatch,
  current: EndpointDoc,
  settings: StoredSettings,
): boolean => enabled === true || (url !== '' && url !== current.url) || hasTargetSettings(settings);

/** Returns the fields that a patch changes. @param settings stored form of the patch's settings */
function changeOf(
  patch: EndpointPatch,
  settings: StoredSettings,
  { current, replacesTarget }: { current: EndpointDoc; replacesTarget: boolean },
): EndpointChange {
  const change: EndpointChange = {
    ...settings,
    ...(replacesTarget && NO_FAILURES),
  };
  if (patch.url !== undefined) change.url = patch.url;
  if (patch.description !== undefined) change.description = patch.description;
  if (patch.events !== undefined) change.events = patch.events;
  if (patch.enabled === true) Object.assign(change, { enabled: true, disabledReason: null });
  if (patch.enabled === false && current.enabled)
    Object.assign(change, { enabled: false, disabledReason: 'manual', circuit: null });
  return change;
}

/** Returns the endpoint. @throws AppError `PRECONDITION_FAILED` when it has another revision */
function unchanged(endpoint: WebhookEndpoint, expectedRevisions: readonly number[] | null): WebhookEndpoint {
  if (expectedRevisions && !expectedRevisions.includes(endpoint.revision)) throw endpointChanged(endpoint.id);
  return endpoint;
}

/** Number of times that a change is checked: each further one follows a change by another request. */
const MAX_UPDATE_TRIES = 50;

/** Manages webhook endpoints: settings, secrets, state and deletion. */
export function endpointService(deps: Deps) {
  const {
    endpoints,
    cancelBacklog,
    recoveries,
    statistics,
    outbox,
    secrets,
    clock,
    checkUrl,
    verifyUrl,
    nextId,
    limitRefusal,
    timeoutMs,
    gates,
    wake,
  } = deps;
  const toEndpoint = (doc: EndpointDoc): WebhookEndpoint => toEndpointWith(doc, timeoutMs);
  const cursorOf = (tenant: Tenant) => cursorCodec(['webhookEndpoints', tenant.customerId], isInteger);

  /** Returns the issues that only the service finds. @param current the endpoint to change; null if it is not known */
  function issuesOf(
    patch: EndpointPatch,
    current: Pick<EndpointDoc, 'events' | 'filter'> | null,
  ): ErrorDetail[] {
    const problem = patch.url === undefined ? null : checkUrl(patch.url);
    return [
      ...(problem === null ? [] : [{ path: 'url', message: problem }]),
      ...settingIssues(patch, current),
    ];
  }

  function requireValid(...input: Parameters<typeof issuesOf>): void {
    const issues = issuesOf(...input);
    if (issues.length > 0) throw invalidInput(issues);
  }

  async function requireRoom(tenant: Tenant): Promise<void> {
    if ((await endpoints.count(tenant)) >= MAX_ENDPOINTS) throw limitRefusal();
  }

  const commitChange = <T>(
    tenant: Tenant,
    { idempotency }: CommitOptions,
    plan: Plan<never, T>,
  ): Promise<T> =>
    endpoints.change(tenant, async () => (await outbox.commit(plan, { tenant, idempotency })).result);

  return {
    /** Returns the issues that depend on the service's configuration. @param input the fields that have the right type */
    inputIssues: (input: EndpointPatch): ErrorDetail[] => issuesOf(input, null),

    /** Creates an endpoint. The response is the only place where its signing secret appears. */
    async create(
      tenant: Tenant,
      input: NewEndpoint,
      { isVerified = false, idempotency = null }: VerificationOptions & CommitOptions = {},
    ): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
      requireValid(input, NEW_ENDPOINT);
      const id = await nextId();
      const { secret, stored } = secrets.issue({ customerId: tenant.customerId, id }, 'hmac');
      const now = clock.now();
      const created: EndpointDoc = {
        id,
        customerId: tenant.customerId,
        url: input.url,
        description: input.description ?? null,
        events: input.events ?? null,
        enabled: true,
        disabledReason: null,
        ...stored,
        failures: 0,
        failingSince: null,
        createdAt: now,
        updatedAt: now,
        revision: 0,
      };
      const endpoint = {
        ...created,
        ...storedSettings({ patch: input, current: created, secrets, checkUrl, now }),
      };
      if (!isVerified) {
        // No challenge for an endpoint that cannot be created.
        await requireRoom(tenant);
        await verifyUrl(tenant, endpoint);
      }
      return commitChange(tenant, { idempotency }, async () => {
        await endpoints.ensureCounter(tenant);
        await requireRoom(tenant);
        const result = { endpoint: toEndpoint(endpoint), secret };
        return { writes: endpoints.insertion(endpoint), events: [], result };
      });
    },

    /** Lists endpoints, newest first. */
    list: (tenant: Tenant, page: PageRequest): Promise<Page<WebhookEndpoint>> =>
      readPage(page, {
        cursor: cursorOf(tenant),
        read: (before, limit) => endpoints.list(tenant, { before, limit }),
        positionOf: ({ id }) => id,
        toNode: toEndpoint,
      }),

    /** Null if the tenant has no such endpoint. */
    async find(tenant: Tenant, id: number): Promise<WebhookEndpoint | null> {
      const found = await endpoints.find(tenant, id);
      return found && toEndpoint(found);
    },

    /** Endpoints by ID, in one read; without those that the tenant does not have. */
    async findMany(tenant: Tenant, ids: readonly number[]): Promise<Map<number, WebhookEndpoint>> {
      const found = await endpoints.findMany(tenant, [...new Set(ids)]);
      return new Map(found.map((endpoint) => [endpoint.id, toEndpoint(endpoint)]));
    },

    /** @throws AppError `NOT_FOUND` when the tenant has no such endpoint */
    get: async (tenant: Tenant, id: number): Promise<WebhookEndpoint> =>
      toEndpoint(await requireEndpoint(endpoints, tenant, id)),

    /**
     * Changes the given fields. Enabling resets the failure counters; disabling cancels due deliveries. A change is made to
     * the endpoint that it was checked against: if that has changed meanwhile, it is checked again.
     *
     * @throws AppError `PRECONDITION_FAILED` when the endpoint has another revision
     */
    async update(
      tenant: Tenant,
      id: number,
      { patch, expectedRevisions = null, isVerified = false, permit }: EndpointUpdate,
    ): Promise<WebhookEndpoint> {
      // Input that is invalid for every endpoint is a 422 even if this endpoint does not exist (contract 4).
      requireValid(patch, null);
      let needsVerification = !isVerified;
      for (let tries = 0; tries < MAX_UPDATE_TRIES; tries += 1) {
        const current = await requireEndpoint(endpoints, tenant, id);
        requireValid(patch, current);
        const settings = storedSettings({ patch, current, secrets, checkUrl, now: clock.now() });
        const replacesTarget = isTargetReplacedBy(patch, current, settings);
        const changed = changeOf(patch, settings, { current, replacesTarget });
        const endpoint = unchanged(toEndpoint(current), expectedRevisions);
        await permit?.(endpoint);
        if (Object.keys(changed).length === 0) {
          if (patch.enabled === undefined || (await endpoints.confirm(current))) return endpoint;
          continue;
        }
        if (changed.url !== undefined && changed.url !== current.url && needsVerification) {
          await verifyUrl(tenant, { ...current, ...changed });
          needsVerification = false;
        }
        const updated = await endpoints.update(current, { changed, at: clock.now(), replacesTarget });
        if (!updated) continue;
        if (!updated.enabled) await cancelBacklog({ customerId: tenant.customerId, endpointId: id });
        else if (gates.isSteered(current)) wake(tenant.customerId);
        return toEndpoint(updated);
      }
      throw new AppError('CONFLICT', 'Conflicting concurrent updates; retry the request.');
    },

    /**
     * Cancels the open deliveries accepted so far, except those in flight, and ends a recovery or replay. Returns the
     * number of cancelled deliveries.
     */
    async cancelBacklog(tenant: Tenant, id: number): Promise<{ cancelled: number }> {
      await requireEndpoint(endpoints, tenant, id);
      await recoveries.removeOfEndpoint(tenant, id);
      const { customerId } = tenant;
      return { cancelled: await cancelBacklog({ customerId, endpointId: id }, clock.now()) };
    },

    /** Deletes an endpoint and its statistics, and cancels its due deliveries. */
    async remove(tenant: Tenant, id: number): Promise<{ id: number; deleted: true }> {
      await commitChange(tenant, {}, async () => {
        await requireEndpoint(endpoints, tenant, id);
        await endpoints.ensureCounter(tenant);
        return { writes: endpoints.removal(tenant, id), events: [], result: undefined };
      });
      await recoveries.removeOfEndpoint(tenant, id);
      await statistics.removeOf(tenant, id);
      await cancelBacklog({ customerId: tenant.customerId, endpointId: id });
      return { id, deleted: true };
    },

    /**
     * Replaces the signing secret, and the key pair of an endpoint that has one. The new ones sign every attempt from now
     * on; the previous ones sign as well until the overlap ends. Older ones stop at once, even within their own overlap.
     */
    async rotateSecret(
      tenant: Tenant,
      id: number,
      { overlapSeconds = 0, idempotency = null }: CommitOptions & { overlapSeconds?: number } = {},
    ): Promise<RotatedSecret> {
      return commitChange(tenant, { idempotency }, async () => {
        const current = await requireEndpoint(endpoints, tenant, id);
        const { secret, stored: key } = secrets.issue(current, signingOf(current));
        const at = clock.now();
        const overlapUntil = overlapSeconds > 0 ? new Date(at.getTime() + overlapSeconds * 1000) : null;
        const write = endpoints.rotation(current, { key, overlapUntil, at });
        const result = {
          id,
          secret,
          publicKey: key.publicKey ?? null,
          previousSecretExpiresAt: overlapUntil,
        };
        return { writes: [write], events: [], result };
      });
    },
  };
}

export type EndpointService = ReturnType<typeof endpointService>;
