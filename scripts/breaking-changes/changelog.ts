import type { BreakingChange } from './breaking-change.ts';

/** Returns the code spans in the part "Breaking" of the changelog's first version, which is the next release. */
function breakingNames(changelog: string): string[] {
  const [, next = ''] = changelog.split(/^## /m);
  const part = /^### Breaking\n(.*?)(?=^### |$(?![\s\S]))/ms.exec(next)?.[1] ?? '';
  return [...part.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}

/** Returns the changes that the changelog does not name; the name of a field covers its arguments. */
export function unnamedChanges(changes: readonly BreakingChange[], changelog: string): BreakingChange[] {
  const names = breakingNames(changelog);
  return changes.filter(
    ({ subject }) => !names.some((name) => subject === name || subject.startsWith(`${name}.`)),
  );
}
