import { AppError, invalid } from '../../errors/app-error.ts';
import { LIMITS } from '../../limits/limits.ts';
import { CURSOR_MESSAGE, cursorCodec } from '../../platform/cursor.ts';
import type { HeldTenantLease, TenantLeaseStore } from '../../platform/leases/tenant-lease.store.ts';
import type { AuditService } from '../audit/audit.service.ts';
import type { AuditAct } from '../audit/audit.types.ts';
import {
  EXPORT_KINDS,
  type ExportKind,
  type ExportScope,
  type ExportSource,
} from '../privacy/export-source.ts';
import { type PersonName, personNamed } from '../privacy/person.ts';
import type { PersonFinder } from '../privacy/person-finder.ts';
import { isNamed } from '../privacy/person-name.ts';
import type { PrivacyKey, PrivacyKeyStore } from '../privacy/privacy-keys.store.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import { type ExportedWindow, exportWindows } from './export-windows.ts';

/** Parameters of an export. */
export interface ExportRequest extends PersonName {
  /** Null or absent for all kinds. */
  kind?: ExportKind | null;
  /** Position at which an interrupted export continues; null or absent for the beginning. */
  cursor?: string | null;
}

/** Actor of an export, for the audit log. */
export type Exporter = Pick<AuditAct, 'actor' | 'clientAddress' | 'requestId'>;

/** An export in progress; a tenant has one at a time. */
export interface HeldExport extends AsyncDisposable {
  /** Kinds of the export, in its order. */
  sources: readonly ExportSource[];
  /** Reads the windows from a position on. @throws AppError `CONFLICT` if another export has begun meanwhile */
  windows(from: string | null): AsyncGenerator<ExportedWindow>;
}

interface Deps {
  sources: readonly ExportSource[];
  findPerson: PersonFinder;
  privacyKeys: Pick<PrivacyKeyStore, 'findOrCreate'>;
  leases: TenantLeaseStore;
  audit: Pick<AuditService, 'perform'>;
}

const LEASE_MESSAGES = {
  running: 'An export of this customer is running. Start this one after it has ended.',
  lost: 'Another export of this customer has begun. Start this one again, after that one, to continue.',
};

/** Interval of cursors while no rows are found, which also keeps proxies from closing the connection. Milliseconds. */
const CURSOR_INTERVAL_MS = 1_000;
/** Time after which a client that was refused for the exports of others may try again. Seconds. */
const RETRY_AFTER_SECONDS = 30;
/** Length of the authentication code of a cursor, in characters of base64url: 132 bits. */
const CODE_LENGTH = 22;
/** Text that is sent together. Characters. */
const CHUNK_LENGTH = 64 * 1024;

/** Exports the data of tenants and of people. */
export function exportService({ sources, findPerson, privacyKeys, leases, audit }: Deps) {
  /** Streamed exports of this process. */
  let streams = 0;

  /** Counts a streamed export until the returned function is called. @throws AppError `SERVICE_UNAVAILABLE` */
  function beginStream(): () => void {
    const maximum = LIMITS.streamedExports.default;
    if (streams >= maximum)
      throw new AppError(
        'SERVICE_UNAVAILABLE',
        `${maximum} exports are in progress in this process, which is the maximum. Retry after the time in Retry-After.`,
        { retryAfter: RETRY_AFTER_SECONDS },
      );
    streams += 1;
    return () => {
      streams -= 1;
    };
  }

  const ordered = EXPORT_KINDS.flatMap((kind) => sources.filter((source) => source.kind === kind));

  interface OpenOptions {
    kind?: ExportKind | null | undefined;
    /** False to fail at once while another export is running. */
    waits: boolean;
    /** Ends the search for the identifiers of the person. */
    signal?: AbortSignal;
  }

  /**
   * Begins an export, which ends when it is disposed of.
   *
   * @param name null for everything of the tenant
   * @throws AppError `CONFLICT` if an export of the tenant is running, or the identifiers join more than one person;
   *   `VALIDATION_FAILED` for a kind that has nothing about people
   */
  async function open(tenant: Tenant, name: PersonName | null, options: OpenOptions): Promise<HeldExport> {
    const permitted = ordered.filter(
      ({ subject }) => subject === 'both' || subject === (name ? 'people' : 'tenants'),
    );
    const selected = permitted.filter(({ kind }) => options.kind == null || kind === options.kind);
    if (selected.length === 0)
      throw invalid(
        'kind',
        `Must be one of ${permitted.map(({ kind }) => kind).join(', ')} in the export of a ${name ? 'person' : 'customer'}.`,
      );
    const lease = await leases.hold(tenant, { waits: options.waits, messages: LEASE_MESSAGES });
    try {
      const person = name && (await findPerson(tenant, personNamed(name), options.signal));
      return held({ tenant, person }, selected, lease);
    } catch (error) {
      await lease[Symbol.asyncDispose]();
      throw error;
    }
  }

  const held = (
    scope: ExportScope,
    selected: readonly ExportSource[],
    lease: HeldTenantLease,
  ): HeldExport => ({
    sources: selected,
    async *windows(from) {
      for await (const window of exportWindows(selected, scope, from)) {
        await lease.ensureHeld();
        yield window;
      }
    },
    [Symbol.asyncDispose]: () => lease[Symbol.asyncDispose](),
  });

  /** Returns the cursors of an export. They are authenticated, because sources rely on the types of positions. */
  function cursors(key: PrivacyKey, { kind, email, resolvedPersonId, visitorId }: ExportRequest) {
    const codeOf = (position: string): string =>
      key
        .hash(JSON.stringify([kind, email, resolvedPersonId, visitorId, position]), 'export_cursor')
        .slice(0, CODE_LENGTH);
    const codec = cursorCodec(['export'], (value) => typeof value === 'string');
    return {
      encode: (position: string): string => codec.encode(codeOf(position) + position),
      decode(cursor: string): string {
        const text = codec.decode(cursor);
        const position = text.slice(CODE_LENGTH);
        if (codeOf(position) !== text.slice(0, CODE_LENGTH)) throw invalid('cursor', CURSOR_MESSAGE);
        return position;
      },
    };
  }

  /** Encodes an export as JSON lines: rows, cursors behind some of them, and at last the number of rows. */
  async function* linesOf(
    { exported, resources }: { exported: HeldExport; resources: AsyncDisposableStack },
    from: string | null,
    encode: (position: string) => string,
  ): AsyncGenerator<string> {
    await using _resources = resources;
    let count = 0;
    let countAtCursor = 0;
    let sentAt = performance.now();
    let chunk = '';
    for await (const { source, rows, next } of exported.windows(from)) {
      for await (const row of rows) {
        chunk += `${JSON.stringify({ kind: source.kind, row })}\n`;
        count += 1;
        if (chunk.length < CHUNK_LENGTH) continue;
        yield chunk;
        chunk = '';
      }
      if (!next) yield `${chunk}${JSON.stringify({ end: true, rows: count })}\n`;
      else if (count > countAtCursor || performance.now() - sentAt >= CURSOR_INTERVAL_MS) {
        yield `${chunk}${JSON.stringify({ cursor: encode(next) })}\n`;
        chunk = '';
        countAtCursor = count;
        sentAt = performance.now();
      }
    }
  }

  return {
    open,

    /**
     * Streams an export as JSON lines, and records it in the audit log before the first one. The export ends with the
     * iteration, which the caller begins: without it, the tenant's next export is refused.
     *
     * @throws AppError as `open` does; `VALIDATION_FAILED` for a cursor of another export; `SERVICE_UNAVAILABLE` at the
     *   maximum of streamed exports
     */
    async stream(
      tenant: Tenant,
      request: ExportRequest,
      { signal, ...exporter }: Exporter & { signal: AbortSignal },
    ): Promise<AsyncGenerator<string>> {
      await using resources = new AsyncDisposableStack();
      const { kind = null, cursor = null } = request;
      const { encode, decode } = cursors(await privacyKeys.findOrCreate(tenant), request);
      const from = cursor === null ? null : decode(cursor);
      resources.defer(beginStream());
      const name = isNamed(request) ? request : null;
      const target = { type: name ? 'person' : 'tenant', id: name ? null : String(tenant.customerId) };
      const exported = resources.use(
        await audit.perform(
          { customerId: tenant.customerId, action: 'exportCustomer', ...exporter, target },
          () => open(tenant, name, { kind, waits: false, signal }),
          () => ({ target, before: null, after: { kind, continued: from !== null } }),
        ),
      );
      return linesOf({ exported, resources: resources.move() }, from, encode);
    },
  };
}

export type ExportService = ReturnType<typeof exportService>;
