import { listedSource, settingsSource } from '../features/export/export-sources.ts';
import type { ExportSource } from '../features/privacy/export-source.ts';
import type { Services } from '../features/services.ts';

type Listing = Pick<
  Services,
  | 'keys'
  | 'retention'
  | 'providerConnection'
  | 'fieldMapping'
  | 'endpoints'
  | 'webhookStatistics'
  | 'syncs'
  | 'erasures'
  | 'suppressions'
  | 'audit'
>;

/** Returns the export sources that read the services' public lists and settings. */
export function exportedLists(
  services: Listing,
  { hasMeetingProvider }: { hasMeetingProvider: boolean },
): ExportSource[] {
  const { keys, retention, providerConnection, fieldMapping, endpoints } = services;
  const { webhookStatistics, syncs, erasures, suppressions, audit } = services;
  return [
    settingsSource([
      { name: 'customer', collection: 'tenants', read: async (tenant) => tenant },
      { name: 'retention', collection: 'retentionPolicies', read: retention.get },
      {
        name: 'recorderConnection',
        collection: 'recorderConnections',
        read: hasMeetingProvider ? providerConnection.find : async () => null,
      },
      { name: 'recorderFieldMapping', collection: 'recorderMappings', read: fieldMapping.get },
    ]),
    listedSource({
      kind: 'apiKeys',
      collection: 'apiKeys',
      list: ({ customerId }, page) => keys.list(page, { customerId, scope: null, state: null, text: null }),
    }),
    listedSource({ kind: 'webhookEndpoints', collection: 'webhookEndpoints', list: endpoints.list }),
    listedSource({
      kind: 'webhookStatistics',
      collection: 'webhookStatistics',
      list: endpoints.list,
      rowsOf: webhookStatistics.stored,
    }),
    listedSource({ kind: 'meetingSyncs', collection: 'meetingSyncRuns', list: syncs.list }),
    listedSource({
      kind: 'meetingSyncLog',
      collection: 'meetingSyncLog',
      list: syncs.list,
      rowsOf: syncs.storedLog,
    }),
    listedSource({ kind: 'erasures', collection: 'erasures', list: erasures.list }),
    listedSource({ kind: 'suppressions', collection: 'suppressions', list: suppressions.list }),
    listedSource({
      kind: 'auditLog',
      collection: 'auditEntries',
      list: ({ customerId }, page) => audit.list(customerId, { ...page, action: null, actor: null }),
    }),
  ];
}
