import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from '../../errors/app-error.ts';
import { EXPORT_KINDS } from '../../features/privacy/export-source.ts';
import { notWritable } from '../output/not-writable.ts';

const COMPLETE = 'manifest.json';
/** Name of the manifest of an export that is not complete. */
const PARTIAL = 'manifest.partial.json';
/** Written before it replaces another one. */
const DRAFT = 'manifest.draft.json';

const name = z.string().optional();

const manifestSchema = z.strictObject({
  version: z.literal(1),
  customerId: z.int(),
  /** Identifiers of the person; null in an export of everything of the customer. */
  person: z.strictObject({ email: name, resolvedPersonId: name, visitorId: name }).nullable(),
  format: z.enum(['jsonl', 'csv']),
  startedAt: z.iso.datetime(),
  /** Null until the export is complete. */
  completedAt: z.iso.datetime().nullable(),
  files: z.array(
    z.strictObject({
      name: z.string(),
      kind: z.enum(EXPORT_KINDS),
      rows: z.int(),
      bytes: z.int(),
      sha256: z.string(),
      isComplete: z.boolean(),
    }),
  ),
  /** Position at which the export continues; null at the beginning, and at the end. */
  position: z.string().nullable(),
});

/** Content of a folder, and the position at which its export continues. */
export type Manifest = z.output<typeof manifestSchema>;

/** Subject of an export: another run continues the export only if it is the same. */
export type ManifestSubject = Pick<Manifest, 'customerId' | 'person' | 'format'>;

const readIfPresent = (path: string): Promise<string | null> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new AppError('BAD_REQUEST', `Cannot read ${path}: ${error.code ?? error.message}.`, {
      cause: error,
    });
  });

function parse(path: string, text: string): Manifest {
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new AppError('CONFLICT', `${path} is no manifest of an export. Export to an empty folder.`, {
      cause,
    });
  }
}

const textOf = (manifest: Manifest): string => `${JSON.stringify(manifest, null, 2)}\n`;

const subjectOf = ({ customerId, person, format }: ManifestSubject): string =>
  JSON.stringify([customerId, person?.email, person?.resolvedPersonId, person?.visitorId, format]);

/**
 * Returns the manifest of the export in a folder, or a new one that is not stored yet; creates the folder.
 *
 * @throws AppError `CONFLICT` for a folder with anything else
 */
export async function openManifest(folder: string, subject: ManifestSubject, now: Date): Promise<Manifest> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    throw notWritable(folder, error);
  });
  for (const file of [COMPLETE, PARTIAL]) {
    const path = join(folder, file);
    const text = await readIfPresent(path);
    if (text === null) continue;
    const manifest = parse(path, text);
    if (subjectOf(manifest) === subjectOf(subject)) return manifest;
    throw new AppError(
      'CONFLICT',
      `${folder} has the export of another customer, person or format. Export to an empty folder.`,
    );
  }
  const others = (await readdir(folder)).filter((file) => file !== DRAFT);
  if (others.length > 0)
    throw new AppError('CONFLICT', `${folder} is not empty and has no manifest. Export to an empty folder.`);
  const start = { version: 1, startedAt: now.toISOString(), completedAt: null } as const;
  return { ...start, ...subject, files: [], position: null };
}

/**
 * Stores the manifest of a new export before its first file, so that no other export begins in the folder. That of an
 * interrupted one is there already.
 *
 * @throws AppError `CONFLICT` if another export has begun in the folder
 */
export async function reserveFolder(folder: string, manifest: Manifest): Promise<void> {
  if (manifest.files.length > 0) return;
  const path = join(folder, PARTIAL);
  try {
    await using file = await open(path, 'wx', 0o600);
    await file.writeFile(textOf(manifest));
    await file.sync();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw notWritable(path, error as NodeJS.ErrnoException);
    // Interrupted before its first file.
    const stored = parse(path, (await readIfPresent(path)) ?? '');
    if (subjectOf(stored) === subjectOf(manifest)) return;
    throw new AppError('CONFLICT', `${folder} has another export. Export to an empty folder.`);
  }
}

/** Stores a manifest, durably and atomically. The one of a complete export has a name of its own. */
export async function storeManifest(folder: string, manifest: Manifest): Promise<void> {
  const [draft, partial] = [join(folder, DRAFT), join(folder, PARTIAL)];
  try {
    await using file = await open(draft, 'w', 0o600);
    await file.writeFile(textOf(manifest));
    await file.sync();
  } catch (error) {
    throw notWritable(draft, error as NodeJS.ErrnoException);
  }
  if (manifest.completedAt === null) await rename(draft, partial);
  else {
    await rename(draft, join(folder, COMPLETE));
    await rm(partial, { force: true });
  }
}
