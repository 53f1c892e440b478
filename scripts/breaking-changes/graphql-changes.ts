import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';
import type { BreakingChange } from './breaking-change.ts';

/** Returns the breaking changes between two printed schemas. */
export async function graphqlChanges(released: string, current: string): Promise<BreakingChange[]> {
  const changes = await diff(buildSchema(released), buildSchema(current));
  return changes
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .map(({ path = '', message }) => ({ subject: path, message }));
}
