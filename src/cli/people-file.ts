import { readFile } from 'node:fs/promises';
import { AppError } from '../errors/app-error.ts';
import type { PersonName } from '../features/privacy/person.ts';
import { personName } from '../features/privacy/person-name.ts';
import { notReadable } from './output/not-readable.ts';

/** People of a file, which is in memory as a whole. */
const MAX_PEOPLE = 100_000;
/** Bad lines that an error names. */
const MAX_DETAILS = 20;

/**
 * Reads a list of people: JSON lines with `email`, `visitorId` or `resolvedPersonId`.
 *
 * @throws AppError `BAD_REQUEST` if it cannot be read; `VALIDATION_FAILED` with the lines that name no person
 */
export async function readPeople(path: string): Promise<PersonName[]> {
  const content = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw notReadable(path, error);
  });
  const people: PersonName[] = [];
  const details: { path: string; message: string }[] = [];
  for (const [index, line] of content
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (line.trim() === '') continue;
    const { data, error } = personName.strict().safeParse(parsed(line));
    if (data) people.push(data);
    else details.push({ path: `line ${index + 1}`, message: error?.issues[0]?.message ?? '' });
  }
  if (people.length > MAX_PEOPLE)
    throw new AppError(
      'VALIDATION_FAILED',
      `The file names more than ${MAX_PEOPLE.toLocaleString('en')} people; split it.`,
    );
  if (details.length > 0)
    throw new AppError('VALIDATION_FAILED', `${path} has lines that name no person; nothing was erased.`, {
      details: details.slice(0, MAX_DETAILS),
    });
  return people;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
