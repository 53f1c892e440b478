import { type Change, CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';
import type { BreakingChange } from './breaking-change.ts';

/** A new default is none: the field can have had the same one without a declaration. */
const replacesDefault = ({ meta }: Change): boolean => 'oldDefaultValue' in meta;

/** Returns the breaking changes between two printed schemas. */
export async function graphqlChanges(released: string, current: string): Promise<BreakingChange[]> {
  const changes = await diff(buildSchema(released), buildSchema(current));
  return changes
    .filter((change) => change.criticality.level === CriticalityLevel.Breaking || replacesDefault(change))
    .map(({ path = '', message }) => ({ subject: path, message }));
}
