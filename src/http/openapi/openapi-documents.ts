import type { Schemas } from '../../../schema/index.ts';
import type { Mount } from '../../../schema/rest-route.ts';
import { collectRoutes, MOUNT_BASE } from '../rest/rest-routes.ts';
import { mountSofa } from '../rest/sofa-adapter.ts';
import { openApiDocument } from './openapi-document.ts';
import type { OpenApiDocument } from './openapi-types.ts';
import { healthType } from './probe-operations.ts';

/** Builds the OpenAPI documents as they are served, without a server; for printing. */
export function openApiDocuments(schemas: Schemas): Record<Mount, OpenApiDocument> {
  const documentOf = (mount: Mount) => {
    const base = MOUNT_BASE[mount];
    const routes = collectRoutes(schemas[mount], mount, base);
    const { document } = mountSofa(schemas[mount], base, routes);
    return openApiDocument({ mount, base, routes, document }, { health: healthType(schemas) });
  };
  return { v1: documentOf('v1'), preview: documentOf('preview'), rpc: documentOf('rpc') };
}
