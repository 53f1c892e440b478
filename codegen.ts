import type { CodegenConfig } from '@graphql-codegen/cli';

/**
 * Types of the operations that tests send, from the printed schema: a field renamed by mistake is a type error there.
 * `graphql-codegen --check` names what is stale.
 */
const config: CodegenConfig = {
  schema: 'schema/printed/schema.graphql',
  documents: ['test/**/*.ts', '!test/generated/**'],
  ignoreNoDocuments: true,
  importExtension: '.ts',
  generates: {
    'test/generated/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        documentMode: 'string',
        useTypeImports: true,
        enumsAsTypes: true,
        strictScalars: true,
        scalars: { DateTime: 'string', JSON: 'Record<string, unknown>' },
      },
    },
  },
};

export default config;
