import { z } from 'zod';
import type { Tenant as TenantShape } from '../src/features/tenants/tenants.types.ts';
import { trimmedText } from '../src/platform/text-validation.ts';
import { MAX_INT32 } from '../src/shared/int32.ts';
import { builder, GRAPHQL_AND_V1 } from './builder.ts';
import { connectionArgs, connectionCost, connectionRequest, connectionType, toConnection } from './paging.ts';
import { type RestFieldOptions, restField } from './rest-route.ts';

export const customerId = z.int().min(1, 'Must be a positive integer.').max(MAX_INT32);

export const Tenant = builder.objectRef<TenantShape>('Tenant').implement({
  subGraphs: GRAPHQL_AND_V1,
  description: 'A customer of the service; every stored object belongs to exactly one.',
  fields: (t) => ({
    customerId: t.exposeInt('customerId', {
      description: 'ID of the customer; `data.customerId` of every webhook.',
    }),
    orgId: t.exposeString('orgId', {
      description: 'Identifier of the organization; `data.orgId` of every webhook.',
    }),
    name: t.exposeString('name', { description: 'Name of the customer.' }),
    verifyEndpoints: t.boolean({
      description:
        'True if a receiver has to confirm each new URL of a webhook endpoint. The setting WEBHOOK_VERIFICATION can require that for all customers.',
      resolve: ({ verifyEndpoints = false }) => verifyEndpoints,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
    suspendedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'Time of the suspension: since then, all requests with keys of the customer are refused, and its deliveries wait. Null if it is not suspended.',
      resolve: (tenant, _args, { services }) => services.tenants.suspendedAt(tenant),
    }),
    deletionStartedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Start of the deletion of the customer; null if it is not being deleted.',
      resolve: (tenant, _args, { services }) => services.tenants.deletionStartedAt(tenant),
    }),
  }),
});

const TenantConnection = connectionType('Tenant', Tenant, {
  rows: 'customers',
  order: 'by customer ID, highest first',
});

const createTenantInput = z.object({
  customerId,
  orgId: trimmedText,
  name: trimmedText,
  verifyEndpoints: z.boolean().nullish(),
});

const CreateTenantInput = builder.inputType('CreateTenantInput', {
  description: 'Properties of a new customer.',
  validate: { schema: createTenantInput },
  fields: (t) => ({
    customerId: t.int({ required: true, description: 'Positive number; unique.' }),
    orgId: t.string({
      required: true,
      description: 'Identifier of the organization; unique, at most 500 characters.',
    }),
    name: t.string({ required: true, description: 'Name of the customer, at most 500 characters.' }),
    verifyEndpoints: t.boolean({
      description:
        'True if a receiver must confirm each new URL of a webhook endpoint by responding to a challenge; false by default.',
    }),
  }),
});

builder.queryField('tenants', (t) =>
  t.field({
    type: TenantConnection,
    description: 'All customers by customer ID, highest first. Requires an admin key.',
    scope: 'admin',
    resource: 'account',
    args: connectionArgs(),
    complexity: connectionCost,
    resolve: (_root, args, { services }) =>
      toConnection(services.tenants.list(connectionRequest(args)), args),
  }),
);

builder.mutationField('createTenant', (t) =>
  t.field({
    type: Tenant,
    description: 'Creates a customer. Requires an admin key.',
    scope: 'admin',
    resource: 'account',
    args: {
      input: t.arg({ type: CreateTenantInput, required: true, description: 'Properties of the customer.' }),
    },
    resolve: (_root, { input }, { services }) => services.tenants.create(input),
  }),
);

const TENANT_EXAMPLE = {
  customerId: 42,
  orgId: 'org_42',
  name: 'Example Ltd',
  verifyEndpoints: false,
  createdAt: '2026-01-31T09:30:00.000Z',
};

type TargetCustomerRoute = Pick<RestFieldOptions, 'method' | 'path' | 'summary' | 'example'> &
  Partial<RestFieldOptions>;

/** Declares a route of admin keys on a customer; `path` is relative to the customer. */
export const targetCustomerRoute = (route: TargetCustomerRoute) =>
  restField({
    graphql: true,
    mount: 'v1',
    params: { customer: 'customerId' },
    scope: 'admin',
    resource: 'account',
    tag: 'Customers',
    ...route,
    path: `/customers/:customer${route.path}`,
  });

/** Declares a route that changes the state of a customer. */
const stateRoute = (path: string, summary: string, suspendedAt: string | null) =>
  targetCustomerRoute({
    method: 'POST',
    path,
    summary,
    example: { response: { ...TENANT_EXAMPLE, suspendedAt, deletionStartedAt: null } },
  });

/** The argument of operations of an admin key on a customer. */
export const targetCustomerArgs = () =>
  builder.args((t) => ({
    customerId: t.int({
      required: true,
      description: 'ID of the customer.',
      validate: { schema: customerId },
    }),
  }));

builder.mutationFields((t) => ({
  suspendTenant: t.field({
    ...stateRoute('/suspend', 'Suspend a customer', '2026-02-01T09:30:00.000Z'),
    type: Tenant,
    description:
      'Suspends a customer: all requests with its keys and console sessions are `CUSTOMER_SUSPENDED`, its subscriptions end, and its deliveries and scheduled syncs wait until `resumeTenant`. Admin keys can still act for it. A repetition changes nothing. Requires an admin key.',
    args: targetCustomerArgs(),
    resolve: (_root, args, { services }) => services.tenants.suspend(args.customerId),
  }),
  resumeTenant: t.field({
    ...stateRoute('/resume', 'Lift the suspension of a customer', null),
    type: Tenant,
    description:
      'Lifts the suspension of a customer; its deliveries continue. A repetition changes nothing. Requires an admin key.',
    args: targetCustomerArgs(),
    resolve: (_root, args, { services }) => services.tenants.resume(args.customerId),
  }),
}));
