/** A package of package-lock.json. */
export interface LockedPackage {
  version?: string;
  resolved?: string;
  integrity?: string;
  link?: boolean;
  /** Name in the registry, if it differs from the folder. */
  name?: string;
  hasInstallScript?: boolean;
}

/** Packages by path, as in package-lock.json. */
export type LockedPackages = Record<string, LockedPackage>;

/** A range of versions, from the first to below the second. */
type AffectedRange = [string, string];

export interface Advisory {
  id: string;
  package: string;
  /** URL of the advisory, in the GitHub Advisory Database. */
  source: string;
  /** Date of the version of the advisory that `affected` was copied from. */
  modified: string;
  affected: AffectedRange[];
}

const nameOf = (path: string, { name }: LockedPackage): string =>
  name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** Installed packages of other authors; the root and the workspaces are not. */
export const dependencies = (packages: LockedPackages): { name: string; locked: LockedPackage }[] =>
  Object.entries(packages).flatMap(([path, locked]) =>
    path.includes('node_modules/') && !locked.link ? [{ name: nameOf(path, locked), locked }] : [],
  );

const REGISTRY = 'https://registry.npmjs.org/';

/** Returns the dependencies that are not pinned by SHA-512 or come from elsewhere than the registry. */
export const unpinned = (packages: LockedPackages): string[] =>
  dependencies(packages).flatMap(({ name, locked: { version, integrity, resolved } }) => {
    if (resolved !== undefined && !resolved.startsWith(REGISTRY))
      return [`${name}: comes from ${resolved}, not from the registry`];
    if (!/^\d+\.\d+\.\d+/.test(version ?? '')) return [`${name}: has no version`];
    return integrity?.startsWith('sha512-') ? [] : [`${name}@${version}: has no SHA-512 in the lockfile`];
  });

/** Compares the numbers of two versions; a prerelease counts as its release. */
function isBelow(version: string, other: string): boolean {
  const [a, b] = [version, other].map((text) => text.split(/[-+]/, 1)[0]?.split('.').map(Number) ?? []);
  for (let index = 0; index < 3; index += 1)
    if (a?.[index] !== b?.[index]) return (a?.[index] ?? 0) < (b?.[index] ?? 0);
  return false;
}

/** Returns the dependencies with a known vulnerability. */
export const vulnerable = (
  packages: LockedPackages,
  advisories: readonly Pick<Advisory, 'id' | 'package' | 'affected'>[],
): string[] =>
  dependencies(packages).flatMap(({ name, locked: { version = '' } }) =>
    advisories
      .filter((advisory) => advisory.package === name)
      .filter(({ affected }) =>
        affected.some(([first, fixed]) => !isBelow(version, first) && isBelow(version, fixed)),
      )
      .map(({ id }) => `${name}@${version}: ${id}`),
  );
