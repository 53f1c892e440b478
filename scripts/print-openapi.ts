import { buildSchemas } from '../schema/index.ts';
import type { Mount } from '../schema/rest-route.ts';
import { asyncApiDocument } from '../src/http/openapi/asyncapi-document.ts';
import { openApiDocument } from '../src/http/openapi/openapi-document.ts';
import { healthType } from '../src/http/openapi/probe-operations.ts';
import { collectRoutes, MOUNT_BASE } from '../src/http/rest/rest-routes.ts';
import { mountSofa } from '../src/http/rest/sofa-adapter.ts';
import { type Files, writeGenerated } from './generated-files.ts';
import { sidecarOpenApi } from './sidecar-openapi.ts';

/** Returns the OpenAPI documents of the REST mounts and the AsyncAPI document, as served, and the document of the sidecar. */
export function openApiFiles(): Files {
  const schemas = buildSchemas();
  const documentOf = (mount: Mount) => {
    const base = MOUNT_BASE[mount];
    const routes = collectRoutes(schemas[mount], mount, base);
    const { document } = mountSofa(schemas[mount], base, routes);
    return openApiDocument({ mount, base, routes, document }, { health: healthType(schemas) });
  };
  const print = (document: unknown) => `${JSON.stringify(document, null, 2)}\n`;
  return {
    'schema/printed/openapi.v1.json': print(documentOf('v1')),
    'schema/printed/openapi.preview.json': print(documentOf('preview')),
    'schema/printed/openapi.rpc.json': print(documentOf('rpc')),
    'schema/printed/asyncapi.json': print(asyncApiDocument()),
    'docs/sidecar.openapi.json': print(sidecarOpenApi()),
  };
}

if (import.meta.main) await writeGenerated(openApiFiles(), { check: process.argv.includes('--check') });
