import type { GraphQLContext } from '../../schema/context.ts';
import { AppError } from '../errors.ts';
import type { Principal, Tenant } from '../features/tenants/tenants.types.ts';
import type { Logger } from '../platform/logger.ts';
import type { Services } from '../services.ts';
import type { Exchange } from './exchange.ts';

/** What resolvers get beside their arguments, REST and GraphQL alike. */
export function createContext(
  { requestId }: Exchange,
  principal: Principal,
  tenant: Tenant | AppError,
  { services, log }: { services: Services; log: Logger },
  idempotencyKey: string | null = null,
): GraphQLContext {
  return {
    principal,
    tenant() {
      if (tenant instanceof AppError) throw tenant;
      return tenant;
    },
    services,
    requestId,
    log,
    idempotencyKey,
    responseHeaders: {},
  };
}
