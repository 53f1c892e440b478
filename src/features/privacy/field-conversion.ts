import type { Connection, mongo } from 'mongoose';
import { hasCode } from '../../errors/app-error.ts';
import { pauseAfterBatch } from '../../platform/batch-pause.ts';
import { systemRuntime } from '../../platform/runtime.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import type { FieldEncryption } from './field-encryption.ts';
import type { PersonalFields } from './personal-fields.ts';
import { type ConvertedWindow, convertWindow, type WindowPosition } from './personal-scan.ts';

/** Documents that a window spans, so that each read and write is short. */
const WINDOW = 500;
/** Number of times that a window is converted while documents in it change. */
const MAX_TRIES = 5;

/** Result of a conversion of stored data in a collection. */
export interface ConvertedCollection {
  collection: string;
  /** Documents with a value that was converted. */
  converted: number;
  /** Documents with a value that cannot be decrypted: they stay as they are. */
  unreadable: number;
  /** Documents that changed during each of the tries, and may still have values in the other form. */
  skipped: number;
}

/** A collection whose stored data a conversion changes. */
export interface ConvertibleCollection {
  collection: string;
  /** Converts the next window to the setting. */
  convert(window: WindowPosition): Promise<ConvertedWindow>;
}

interface Deps {
  connection: Connection;
  personalFields: readonly PersonalFields[];
  /** Collections whose ids change with their values, and which a feature converts therefore. */
  others?: readonly ConvertibleCollection[];
  encryption: FieldEncryption;
  /** Returns false once a tenant is removed, which precedes the removal of its key. */
  hasTenant: (customerId: number) => Promise<boolean>;
}

interface Options {
  tenants: readonly TenantRef[];
  /** Called after each window. */
  onProgress: (progress: { doneTenants: number; converted: number }) => void;
}

/** The conversion of a collection of a tenant. */
interface TenantConversion {
  tenant: TenantRef;
  /** Of the collection, over all tenants. */
  total: ConvertedCollection;
  onWindow: (window: ConvertedWindow) => void;
}

/**
 * Converts stored personal data to the setting: encrypts what is plain or, while encryption is off, decrypts what is
 * encrypted. It keeps no position: what a killed run has converted, the next one passes over, and a run that ends has
 * seen every document. Each write is conditional on the value that was read, so that two runs at the same time do the same
 * work once; a window is repeated while documents in it change. It pauses after each window, for the requests of clients.
 */
export function fieldConversion({ connection, personalFields, others = [], encryption, hasTenant }: Deps) {
  const convertible = (personal: PersonalFields): ConvertibleCollection => {
    const { collection: name } = personal;
    const collection = connection
      .getClient()
      .db(connection.name)
      .collection(name) as unknown as mongo.Collection;
    return {
      collection: name,
      convert: (window) => convertWindow({ collection, personal, encryption }, window),
    };
  };

  /** Converts a collection of a tenant, window by window, and adds to its total. */
  async function convertAll(
    { convert }: ConvertibleCollection,
    { tenant, total, onWindow }: TenantConversion,
  ): Promise<void> {
    let after: unknown = null;
    let tries = 0;
    do {
      const startedAt = systemRuntime.monotonicMs();
      const window = await convert({ tenant, after, size: WINDOW });
      total.converted += window.converted;
      onWindow(window);
      await pauseAfterBatch(startedAt);
      // A removal between the read and the decryption: neither the documents nor the key exist any more.
      if (window.unreadable + window.skipped > 0 && !(await hasTenant(tenant.customerId))) return;
      tries += 1;
      if (window.skipped > 0 && tries < MAX_TRIES) continue;
      total.unreadable += window.unreadable;
      total.skipped += window.skipped;
      after = window.next;
      tries = 0;
    } while (after !== null || tries > 0);
  }

  return {
    /** True if `run` encrypts, false if it decrypts. */
    encrypts: encryption.isOn,

    /** Passes over tenants that are removed meanwhile. */
    async run({ tenants, onProgress }: Options): Promise<ConvertedCollection[]> {
      const totals = new Map(
        [...personalFields.map(convertible), ...others].map((one) => [
          one,
          { collection: one.collection, converted: 0, unreadable: 0, skipped: 0 },
        ]),
      );
      let converted = 0;
      for (const [doneTenants, tenant] of tenants.entries()) {
        const onWindow = (window: ConvertedWindow) => {
          converted += window.converted;
          onProgress({ doneTenants, converted });
        };
        try {
          for (const [collection, total] of totals) await convertAll(collection, { tenant, total, onWindow });
        } catch (error) {
          // The key of the tenant is destroyed, and its data is removed.
          if (!hasCode(error, 'NOT_FOUND')) throw error;
        }
      }
      return [...totals.values()];
    },
  };
}

export type FieldConversion = ReturnType<typeof fieldConversion>;
