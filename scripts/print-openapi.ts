import { buildSchemas } from '../schema/index.ts';
import { openApiDocuments } from '../src/http/openapi/openapi-documents.ts';
import { type Files, writeGenerated } from './generated-files.ts';
import { sidecarOpenApi } from './sidecar-openapi.ts';

/** Returns the OpenAPI documents of the REST mounts, as served, and that of the sidecar. */
export function openApiFiles(): Files {
  const { v1, preview, rpc } = openApiDocuments(buildSchemas());
  const print = (document: unknown) => `${JSON.stringify(document, null, 2)}\n`;
  return {
    'schema/printed/openapi.v1.json': print(v1),
    'schema/printed/openapi.preview.json': print(preview),
    'schema/printed/openapi.rpc.json': print(rpc),
    'docs/sidecar.openapi.json': print(sidecarOpenApi()),
  };
}

if (import.meta.main) await writeGenerated(openApiFiles(), { check: process.argv.includes('--check') });
