import { join } from 'node:path';
import type { HeldExport } from '../../features/export/export.service.ts';
import type { ExportedWindow } from '../../features/export/export-windows.ts';
import type { ExportKind, ExportSource } from '../../features/privacy/export-source.ts';
import { csvLine } from '../../platform/csv.ts';
import { valueAt } from '../../platform/value-at.ts';
import { ExportFile } from './export-file.ts';
import { type Manifest, storeManifest } from './export-manifest.ts';

/** Interval at which the manifest records the progress: how much an interrupted export repeats. Milliseconds. */
const CHECKPOINT_MS = 1_000;

/** The files of one kind. */
interface KindFiles {
  kind: ExportKind;
  files: { name: string; file: ExportFile; encode(row: object): string }[];
}

/** Opens the files of a kind, to continue after the state in the manifest. */
async function openKind(
  folder: string,
  { kind, columns }: ExportSource,
  { format, files: recorded }: Manifest,
): Promise<KindFiles> {
  const openFile = (name: string) =>
    ExportFile.open(join(folder, name), recorded.find((one) => one.name === name) ?? null);
  const lines = { name: `${kind}.jsonl`, encode: (row: object) => `${JSON.stringify(row)}\n` };
  const files = [{ ...lines, file: await openFile(lines.name) }];
  if (format === 'csv' && columns) {
    const name = `${kind}.csv`;
    const file = await openFile(name);
    if (!recorded.some((one) => one.name === name)) await file.write(csvLine(columns), 0);
    files.push({ name, file, encode: (row) => csvLine(columns.map((path) => valueAt(row, path))) });
  }
  return { kind, files };
}

/** Returns the manifest with the current state of the files. */
async function recorded(
  manifest: Manifest,
  { kind, files }: KindFiles,
  { endsKind: isComplete, next: position }: Pick<ExportedWindow, 'endsKind' | 'next'>,
): Promise<Manifest> {
  const current = await Promise.all(
    files.map(async ({ name, file }) => ({ name, kind, ...(await file.state()), isComplete })),
  );
  const others = manifest.files.filter(({ name }) => !current.some((file) => file.name === name));
  return { ...manifest, files: [...others, ...current], position };
}

/** Compares the files of a complete export with its manifest. @throws AppError `CONFLICT` if one was changed or deleted */
export async function verifyExport(folder: string, { files }: Manifest): Promise<void> {
  for (const file of files) await ExportFile.verify(join(folder, file.name), file);
}

/**
 * Writes an export to a folder, from where its manifest says, a file per kind. A file has its name once it is complete, and
 * the folder its `manifest.json` once the export is.
 */
export async function writeExport(
  exported: HeldExport,
  { folder, initial, now }: { folder: string; initial: Manifest; now: () => Date },
): Promise<Manifest> {
  let manifest = initial;
  let current: KindFiles | null = null;
  let storedAt = performance.now();
  const complete = (files: readonly { name: string }[]) =>
    Promise.all(files.map(({ name }) => ExportFile.complete(join(folder, name))));
  // A crash may have left complete files under their first name.
  await complete(manifest.files.filter(({ isComplete }) => isComplete));
  const from = manifest.position;
  const isEnded = from === null && manifest.files.length > 0;
  try {
    for await (const window of isEnded ? [] : exported.windows(from)) {
      const { source, rows, endsKind } = window;
      current ??= await openKind(folder, source, manifest);
      for await (const row of rows)
        for (const { file, encode } of current.files) await file.write(encode(row), 1);
      if (!endsKind && performance.now() - storedAt < CHECKPOINT_MS) continue;
      manifest = await recorded(manifest, current, window);
      await storeManifest(folder, manifest);
      storedAt = performance.now();
      if (!endsKind) continue;
      await Promise.all(current.files.map(({ file }) => file.close()));
      await complete(current.files);
      current = null;
    }
  } finally {
    await Promise.all((current?.files ?? []).map(({ file }) => file.close()));
  }
  await complete(manifest.files);
  manifest = { ...manifest, completedAt: now().toISOString() };
  await storeManifest(folder, manifest);
  return manifest;
}
