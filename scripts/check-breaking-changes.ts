import { type Change, CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';
import type { BreakingChange } from './breaking-changes/breaking-change.ts';
import { openApiChanges } from './breaking-changes/openapi-changes.ts';
import {
  type Documents,
  OPENAPI_FILES,
  PRINTED,
  RELEASED,
  readDocuments,
  readText,
} from './breaking-changes/released-documents.ts';

/** Returns the breaking changes since a release that the changelog does not name. */
export async function undocumentedChanges(
  released: Documents,
  current: Documents,
  changelog: string,
): Promise<BreakingChange[]> {
  const changes = await graphqlChanges(released.schema, current.schema);
  for (const name of OPENAPI_FILES)
    changes.push(...(await openApiChanges(released.openapi[name], current.openapi[name])));
  return unnamedChanges(changes, changelog);
}

/** A new default is none: the field can have had the same one without a declaration. */
const replacesDefault = ({ meta }: Change): boolean => 'oldDefaultValue' in meta;

/** Returns the breaking changes between two printed schemas. */
async function graphqlChanges(released: string, current: string): Promise<BreakingChange[]> {
  const changes = await diff(buildSchema(released), buildSchema(current));
  return changes
    .filter((change) => change.criticality.level === CriticalityLevel.Breaking || replacesDefault(change))
    .map(({ path = '', message }) => ({ subject: path, message }));
}

/** Returns the code spans in the part "Breaking" of the changelog's first version, which is the next release. */
function breakingNames(changelog: string): string[] {
  const [, next = ''] = changelog.split(/^## /m);
  const part = /^### Breaking\n(.*?)(?=^### |$(?![\s\S]))/ms.exec(next)?.[1] ?? '';
  return [...part.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}

/** Returns the changes that the changelog does not name; the name of a field covers its arguments. */
function unnamedChanges(changes: readonly BreakingChange[], changelog: string): BreakingChange[] {
  const names = breakingNames(changelog);
  return changes.filter(
    ({ subject }) => !names.some((name) => subject === name || subject.startsWith(`${name}.`)),
  );
}

/** Fails on a breaking change since the last release that the changelog does not name (docs/versioning.md). */
if (import.meta.main) {
  const changes = await undocumentedChanges(
    await readDocuments(RELEASED),
    await readDocuments(PRINTED),
    await readText('CHANGELOG.md'),
  );
  for (const { subject, message } of changes) console.error(`${subject}: ${message}`);
  if (changes.length > 0) {
    const { version } = JSON.parse(await readText(`${RELEASED}/release.json`)) as { version: string };
    console.error(
      `${changes.length} breaking changes since ${version}. Avoid them, or name each in the part "Breaking" of the next version in CHANGELOG.md, as \`${changes[0]?.subject}\`.`,
    );
    process.exitCode = 1;
  }
}
