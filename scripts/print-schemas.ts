import { printSchema } from 'graphql';
import { buildSchemas } from '../schema/index.ts';
import { writeGenerated } from './generated-files.ts';

/** Writes the printed GraphQL schema; with `--check` only compares it. */
await writeGenerated(
  { 'schema/printed/schema.graphql': `${printSchema(buildSchemas().graphql)}\n` },
  { check: process.argv.includes('--check') },
);
