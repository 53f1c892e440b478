import { rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { SourceMapSegment } from '@jridgewell/sourcemap-codec';
import type { OutputChunk } from 'rolldown';

/**
 * Builds the service into `dist/service`, which `src/cli/main.ts` runs while the source is unchanged (ADR 20); skipped
 * without the development dependencies.
 */
const rolldown = await import('rolldown').catch(() => null);

const ROOT = join(import.meta.dirname, '..');

/** Packages that remain separate files. */
const SEPARATE = [
  // OpenTelemetry instruments the driver where Node.js loads it.
  'mongodb',
  'bson',
  '@opentelemetry/',
  // Starts worker threads from files of its own.
  'pino',
  // Loaded by few processes.
  'mongodb-memory-server-core',
];

const isSeparate = (id: string): boolean =>
  SEPARATE.some((name) => id === name || id.startsWith(name.endsWith('/') ? name : `${name}/`));

/**
 * Reduces the source map of a file to what stack traces need: the lines of the project's own source. Node.js keeps an
 * object per mapping, 30 MB for those of every expression and package.
 */
async function writeLineMap({ fileName, map }: OutputChunk, dir: string): Promise<void> {
  if (!map) return;
  const { decode, encode } = await import('@jridgewell/sourcemap-codec');
  const own = map.sources.filter((source) => !source.includes('node_modules'));
  const indexes = map.sources.map((source) => own.indexOf(source));
  let before = '';
  const mappings = decode(map.mappings).map((segments) =>
    segments.flatMap(([column, source, line = 0, sourceColumn = 0]): SourceMapSegment[] => {
      const index = source === undefined ? -1 : (indexes[source] ?? -1);
      const place = index < 0 ? '' : `${index}:${line}`;
      if (place === before) return [];
      before = place;
      return [index < 0 ? [column] : [column, index, line, sourceColumn]];
    }),
  );
  const lineMap = { version: 3, sources: own, names: [], mappings: encode(mappings) };
  await writeFile(join(dir, `${fileName}.map`), JSON.stringify(lineMap));
}

async function build({ rolldown }: typeof import('rolldown')): Promise<void> {
  // Not imported above: an image installs its packages before it has the source.
  const { digestOf, INPUTS_FILE, PREBUILT_DIR, PREBUILT_ENTRY } = await import('../src/runtime/prebuilt.ts');
  const dir = join(ROOT, PREBUILT_DIR);
  await rm(dir, { recursive: true, force: true });
  const bundle = await rolldown({
    input: join(ROOT, 'src/cli/run.ts'),
    platform: 'node',
    external: isSeparate,
  });
  const { output } = await bundle.write({
    dir,
    entryFileNames: PREBUILT_ENTRY,
    // V8 keeps the text of a file in memory, with two bytes per character if one of them is not Latin-1.
    comments: false,
    charset: 'ascii',
    sourcemap: true,
    sourcemapExcludeSources: true,
  });
  await bundle.close();
  const chunks = output.filter((file) => file.type === 'chunk');
  for (const chunk of chunks) await writeLineMap(chunk, dir);
  const modules = chunks.flatMap(({ moduleIds }) => moduleIds);
  const files = ['package-lock.json', ...modules.map((path) => relative(ROOT, path))]
    .filter((path) => !path.includes('node_modules') && !path.startsWith('\0'))
    .sort();
  await writeFile(join(dir, INPUTS_FILE), JSON.stringify({ files, digest: digestOf(files) }));
}

if (rolldown) {
  await build(rolldown);
} else {
  console.warn(
    'The service is not prebuilt because the development dependencies are not installed. It runs from its source.',
  );
}
