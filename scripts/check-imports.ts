import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { parseSync } from 'oxc-parser';

/** Below everything else. */
const BASE = ['src/errors', 'src/platform'];
/** What every feature may import besides other features. */
const BELOW_FEATURES = [
  ...BASE,
  'src/shared',
  'src/limits',
  'src/outbound',
  // For their types.
  'src/config/config.ts',
  'src/database/models.ts',
  'src/jobs',
  'mongoose',
];

/**
 * The rooms of the tree, and what the files of each may import from outside of their room: folders, files and packages.
 * A file belongs to the room with the longest path. Only `mongoose` is restricted of all packages, and with it
 * stores and models: a room without it reaches data through services.
 */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  'packages/client': [],

  // Limits, defaults and texts that the console and the service both use.
  'src/shared': [],

  'src/errors': ['src/platform'],
  'src/platform': ['src/errors', 'src/shared', 'mongoose'],
  'src/outbound': ['src/platform', 'src/shared'],
  'src/jobs': ['src/platform', 'mongoose'],
  'src/limits': [...BASE, 'src/shared', 'mongoose'],
  'src/config': ['src/platform', 'src/shared', 'src/limits', 'src/outbound'],
  'src/database': ['src/platform', 'src/limits', 'src/jobs', 'src/features', 'mongoose'],

  'src/features/tenants': BELOW_FEATURES,
  'src/features/health': BELOW_FEATURES,
  'src/features/key-expiry': [
    ...BELOW_FEATURES,
    'src/features/tenants',
    'src/features/outbox',
    'src/features/webhooks/operational-events.ts',
  ],
  'src/features/activity': [...BELOW_FEATURES, 'src/features/tenants'],
  'src/features/audit': [
    ...BELOW_FEATURES,
    'src/features/tenants',
    'src/features/outbox',
    'src/features/privacy',
    'src/features/webhooks/operational-events.ts',
  ],
  'src/features/privacy': [...BELOW_FEATURES, 'src/features/tenants'],
  'src/features/retention': [...BELOW_FEATURES, 'src/features/privacy'],
  'src/features/erasure': [
    ...BELOW_FEATURES,
    'src/features/tenants',
    'src/features/outbox',
    'src/features/privacy',
    'src/features/webhooks/operational-events.ts',
  ],
  'src/features/export': [
    ...BELOW_FEATURES,
    'src/features/tenants',
    'src/features/privacy',
    'src/features/audit',
  ],
  'src/features/meetings': [
    ...BELOW_FEATURES,
    'src/features/tenants',
    'src/features/outbox',
    'src/features/privacy',
    'src/features/webhooks/operational-events.ts',
  ],
  'src/features/outbox': [...BELOW_FEATURES, 'src/features/tenants', 'src/features/privacy'],
  'src/features/conversations': [
    ...BELOW_FEATURES,
    'src/features/tenants',
    'src/features/outbox',
    'src/features/privacy',
  ],
  'src/features/drift': [
    ...BELOW_FEATURES,
    'src/features/tenants',
    'src/features/privacy',
    'src/features/outbox',
  ],
  'src/features/webhooks': [
    ...BELOW_FEATURES,
    'src/features/tenants',
    'src/features/outbox',
    'src/features/privacy',
  ],
  'src/features/preview-events': [
    ...BELOW_FEATURES,
    'src/features/tenants',
    'src/features/outbox',
    'src/features/privacy',
    'src/features/conversations/conversions.ts',
  ],
  'src/features/event-feeds': [
    ...BELOW_FEATURES,
    'src/features/tenants',
    'src/features/outbox',
    'src/features/privacy',
    'src/features/webhooks/endpoints/filter.ts',
    'src/features/webhooks/endpoints/filter-evaluation.ts',
  ],
  // The type of all services together.
  'src/features/services.ts': ['src/features', 'src/limits', 'src/platform'],

  // A resolver hands typed input to a service.
  schema: [...BASE, 'src/shared', 'src/limits', 'src/features'],
  'src/http': [
    ...BASE,
    'src/shared',
    'schema',
    'src/limits',
    'src/config',
    'src/features',
    'src/console/generated',
  ],
  // A client of the public API.
  'src/console': ['src/shared'],
  // A process of its own.
  'src/sidecar': [...BASE, 'src/shared', 'src/config', 'mongoose'],

  'src/demo': [
    ...BASE,
    'src/limits',
    'src/config',
    'src/database',
    'src/features',
    'src/sidecar',
    'mongoose',
  ],
  'src/runtime': [
    ...BASE,
    'src/outbound',
    'src/limits',
    'src/config',
    'src/database',
    'src/features',
    'src/jobs',
    'src/http',
    'src/demo',
    'schema',
    'mongoose',
  ],
  'src/cli': [
    ...BASE,
    'src/shared',
    'packages/client/src/index.ts',
    'src/outbound',
    'src/config',
    'src/database',
    'src/features',
    'src/jobs',
    'src/runtime',
    'src/demo',
    'src/sidecar',
    'mongoose',
  ],
};

const STORE_OR_MODEL = /\.(store|model)\.ts$/;

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

const roomOf = (path: string): string | undefined =>
  Object.keys(ROOMS)
    .filter((room) => isWithin(path, room))
    .sort((a, b) => b.length - a.length)[0];

/** Returns the modules that a file imports, for their types as well: paths of files, and names of packages. */
function importsOf(path: string, source: string): string[] {
  const { module, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);
  const specifiers = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
    ),
    // Without its quotes.
    ...module.dynamicImports.map(({ moduleRequest }) =>
      source.slice(moduleRequest.start + 1, moduleRequest.end - 1),
    ),
  ];
  return specifiers.map((specifier) =>
    specifier.startsWith('.') ? join(dirname(path), specifier) : specifier,
  );
}

/** Returns the imports of a file that the table does not permit, each as a line. */
export function importProblems(path: string, source: string): string[] {
  const room = roomOf(path);
  if (!room) return [`${path} belongs to no room of scripts/check-imports.ts.`];
  const permitted = ROOMS[room] ?? [];
  const isPermitted = (target: string): boolean => {
    if (target === 'mongoose') return permitted.includes('mongoose');
    const isOwnTree = /^(src|schema|packages|test|scripts)\/|^package\.json$/.test(target);
    if (!isOwnTree || roomOf(target) === room) return true;
    if (STORE_OR_MODEL.test(target) && !permitted.includes('mongoose')) return false;
    return permitted.some((folder) => isWithin(target, folder));
  };
  return importsOf(path, source)
    .filter((target) => !isPermitted(target))
    .map((target) => `${path} imports ${target}, which ${room} must not (scripts/check-imports.ts).`);
}

/** Fails on an import across rooms that the table does not permit. */
if (import.meta.main) {
  const files = globSync('{src,schema,packages/client/src}/**/*.{ts,tsx}');
  const problems = files.flatMap((path) => importProblems(path, readFileSync(path, 'utf8')));
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
