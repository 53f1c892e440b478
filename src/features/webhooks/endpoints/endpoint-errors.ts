import { AppError } from '../../../errors/app-error.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import type { EndpointDoc } from './endpoint.model.ts';
import type { EndpointStore } from './endpoint.store.ts';

export const endpointNotFound = (id: number): AppError =>
  new AppError('NOT_FOUND', `Webhook endpoint ${id} does not exist.`);

export const endpointChanged = (id: number): AppError =>
  new AppError('PRECONDITION_FAILED', `Webhook endpoint ${id} has changed since it was read; read it again.`);

export const endpointDisabled = (id: number): AppError =>
  new AppError('CONFLICT', `Webhook endpoint ${id} is disabled; enable it first.`);

/** @throws AppError `NOT_FOUND` when the tenant has no such endpoint */
export async function requireEndpoint(
  endpoints: Pick<EndpointStore, 'find'>,
  tenant: Tenant,
  id: number,
): Promise<EndpointDoc> {
  const endpoint = await endpoints.find(tenant, id);
  if (!endpoint) throw endpointNotFound(id);
  return endpoint;
}

/** @throws AppError `NOT_FOUND` as `requireEndpoint`; `CONFLICT` when the endpoint is disabled */
export async function requireEnabledEndpoint(
  endpoints: Pick<EndpointStore, 'find'>,
  tenant: Tenant,
  id: number,
): Promise<EndpointDoc> {
  const endpoint = await requireEndpoint(endpoints, tenant, id);
  if (!endpoint.enabled) throw endpointDisabled(id);
  return endpoint;
}
