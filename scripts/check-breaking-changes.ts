import type { BreakingChange } from './breaking-changes/breaking-change.ts';
import { unnamedChanges } from './breaking-changes/changelog.ts';
import { graphqlChanges } from './breaking-changes/graphql-changes.ts';
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
