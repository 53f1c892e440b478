import { readFile } from 'node:fs/promises';

/** Printed documents: clients of GraphQL and REST depend on them. */
export interface Documents {
  schema: string;
  openapi: Record<(typeof OPENAPI_FILES)[number], Record<string, unknown>>;
}

export const SCHEMA_FILE = 'schema.graphql';
export const OPENAPI_FILES = ['openapi.v1.json', 'openapi.preview.json', 'openapi.rpc.json'] as const;

/** Folders below the project's root: what the service has, and what the last release had. */
export const PRINTED = 'schema/printed';
export const RELEASED = 'schema/released';

const ROOT = new URL('../../', import.meta.url);

export const readText = (path: string): Promise<string> => readFile(new URL(path, ROOT), 'utf8');

export async function readDocuments(folder: string): Promise<Documents> {
  const openapi = await Promise.all(
    OPENAPI_FILES.map(async (name) => [name, JSON.parse(await readText(`${folder}/${name}`))]),
  );
  return { schema: await readText(`${folder}/${SCHEMA_FILE}`), openapi: Object.fromEntries(openapi) };
}
