import {
  OPENAPI_FILES,
  PRINTED,
  RELEASED,
  readText,
  SCHEMA_FILE,
} from './breaking-changes/released-documents.ts';
import { type Files, writeGenerated } from './generated-files.ts';

/** Copies the printed documents to the released ones, with the new version: one step of a release (CONTRIBUTING.md). */
const { version } = JSON.parse(await readText('package.json')) as { version: string };
const files: Files = { [`${RELEASED}/release.json`]: `${JSON.stringify({ version }, null, 2)}\n` };
for (const name of [SCHEMA_FILE, ...OPENAPI_FILES])
  files[`${RELEASED}/${name}`] = await readText(`${PRINTED}/${name}`);
await writeGenerated(files, { check: false });
