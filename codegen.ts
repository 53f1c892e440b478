import type { CodegenConfig } from '@graphql-codegen/cli';

/** Types of operations, from the printed schema: a field renamed by mistake is a type error where it is used. */
const client = {
  preset: 'client',
  presetConfig: { fragmentMasking: false },
  config: {
    documentMode: 'string',
    useTypeImports: true,
    enumsAsTypes: true,
    strictScalars: true,
    scalars: { DateTime: 'string', JSON: 'Record<string, unknown>' },
  },
} as const;

/** `graphql-codegen --check` names what is stale. */
const config: CodegenConfig = {
  schema: 'schema/printed/schema.graphql',
  ignoreNoDocuments: true,
  importExtension: '.ts',
  generates: {
    'test/generated/': { ...client, documents: ['test/**/*.ts', '!test/generated/**'] },
    'src/console/generated/': {
      ...client,
      // The trusted documents of the service (`src/http/graphql/trusted-documents.ts`).
      presetConfig: {
        ...client.presetConfig,
        persistedDocuments: {
          mode: 'embedHashInDocument',
          hashAlgorithm: 'sha256',
          hashPropertyName: 'documentId',
        },
      },
      documents: ['src/console/**/*.{ts,tsx}', '!src/console/generated/**'],
    },
  },
};

export default config;
