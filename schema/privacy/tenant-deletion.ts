import { z } from 'zod';
import { DELIVERY_POLICIES } from '../../src/features/erasure/erasure.types.ts';
import type { TenantDeletion as DeletionShape } from '../../src/features/erasure/tenant-deletion.service.ts';
import { text } from '../../src/platform/text-validation.ts';
import { builder, GRAPHQL_AND_V1 } from '../builder.ts';
import { withArgumentPaths } from '../error-paths.ts';
import { targetCustomerArgs, targetCustomerRoute } from '../tenants.ts';
import { DeliveryPolicy, ErasureStatus } from './erasures.ts';

const TenantDeletionCount = builder
  .objectRef<DeletionShape['counts'][number]>('TenantDeletionCount')
  .implement({
    subGraphs: GRAPHQL_AND_V1,
    description: 'Number of removed documents of a collection.',
    fields: (t) => ({
      collection: t.exposeString('collection', {
        description: 'Collection of the database, such as `conversations`.',
      }),
      count: t.exposeInt('count', {
        description: 'Number of documents that were found and removed; of a dry run: that were found.',
      }),
    }),
  });

const TenantDeletion = builder.objectRef<DeletionShape>('TenantDeletion').implement({
  subGraphs: GRAPHQL_AND_V1,
  description:
    'The deletion of a customer with everything that belongs to it: its progress while it runs, and afterwards its receipt.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier of the deletion.' }),
    customerId: t.exposeInt('customerId', { description: 'ID of the customer; it is not used again.' }),
    status: t.expose('status', { type: ErasureStatus, description: 'Status of the deletion.' }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True if it counts only.' }),
    deliveries: t.expose('deliveries', {
      type: DeliveryPolicy,
      description: 'What happens to deliveries that are on their way.',
    }),
    counts: t.expose('counts', {
      type: [TenantDeletionCount],
      description: 'What was removed so far, by collection, without those with nothing.',
    }),
    createdBy: t.exposeString('createdBy', {
      nullable: true,
      description: 'ID of the API key that started it; null for the command line.',
    }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'Time of the start.' }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the end; null while it runs.',
    }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Cause and next step; null unless it was aborted.',
    }),
  }),
});

const deleteTenantInput = z.object({
  orgId: text(),
  dryRun: z.boolean().nullish(),
  deliveries: z.enum(DELIVERY_POLICIES).nullish(),
});

const DeleteTenantInput = builder.inputType('DeleteTenantInput', {
  subGraphs: GRAPHQL_AND_V1,
  description: 'Confirms the deletion of a customer, and says how.',
  validate: { schema: deleteTenantInput },
  fields: (t) => ({
    orgId: t.string({
      required: true,
      description: 'Organization ID of the customer, which confirms that this customer is meant.',
    }),
    dryRun: t.boolean({ defaultValue: false, description: 'True to count only.' }),
    deliveries: t.field({
      type: DeliveryPolicy,
      defaultValue: 'cancel',
      description:
        'What happens to deliveries that are on their way. `finish` also sends those that a suspension has held.',
    }),
  }),
});

const DELETION_EXAMPLE = {
  id: '665f1d52b8e4d3a1f0c9b860',
  customerId: 42,
  status: 'completed',
  dryRun: true,
  deliveries: 'cancel',
  counts: [
    { collection: 'conversationMessages', count: 24 },
    { collection: 'conversations', count: 3 },
    { collection: 'webhookDeliveries', count: 9 },
  ],
  createdBy: '665f1c2ab8e4d3a1f0c9b700',
  startedAt: '2026-01-31T09:30:00.000Z',
  finishedAt: '2026-01-31T09:30:00.250Z',
  error: null,
};

builder.queryField('tenantDeletion', (t) =>
  t.field({
    ...targetCustomerRoute({
      method: 'GET',
      path: '/deletion',
      summary: 'Get the deletion of a customer',
      example: { response: DELETION_EXAMPLE },
    }),
    type: TenantDeletion,
    description:
      'The deletion of a customer, also after its end, or else its latest dry run. Returns `NOT_FOUND` if there is none. Requires an admin key.',
    args: targetCustomerArgs(),
    resolve: (_root, { customerId }, { services }) => services.tenantDeletions.get(customerId),
  }),
);

builder.mutationField('deleteTenant', (t) =>
  t.field({
    ...targetCustomerRoute({
      method: 'POST',
      path: '/deletion',
      body: 'input',
      responseStatus: 202,
      summary: 'Delete a customer',
      example: { body: { orgId: 'org_42', dryRun: true }, response: DELETION_EXAMPLE },
    }),
    type: TenantDeletion,
    description:
      'Deletes a customer with everything that belongs to it, which cannot be undone. From the response on, its requests are `CUSTOMER_SUSPENDED`, also those of admin keys. It is removed in the background, which takes more than a minute; poll `tenantDeletion`. Receipts of erasures and the audit log stay, and the customer ID is not used again. Returns the running deletion if there is one. Requires an admin key.',
    args: {
      ...targetCustomerArgs(),
      input: t.arg({
        type: DeleteTenantInput,
        required: true,
        description: 'Confirmation, and how the customer is deleted.',
      }),
    },
    resolve: (_root, { customerId, input }, { services, principal, signal }) =>
      withArgumentPaths(services.tenantDeletions.start(customerId, input, principal.keyId, signal), {
        orgId: 'input.orgId',
      }),
  }),
);
