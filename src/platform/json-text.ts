/** Maximum depth of JSON from outside; the value itself is the first level. */
export const MAX_JSON_LEVELS = 100;
/** Maximum number of characters that an error quotes from a member's name. */
const MAX_SHOWN_NAME = 100;

/** Refusal of a text. `problem` completes a sentence whose subject is the text. */
export class JsonError extends Error {
  readonly problem: string;

  constructor(problem: string, cause?: unknown) {
    super(`The text ${problem}`, { cause });
    this.name = 'JsonError';
    this.problem = problem;
  }
}

/**
 * Parses JSON from outside. Unlike `JSON.parse`, it refuses values that are too deep for recursive functions, and
 * objects with duplicate names: two parsers can choose different members (RFC 8259 section 4).
 * @throws JsonError
 */
export function parseJsonText(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new JsonError('is not valid JSON.', error);
  }
  // The parsed value has each name once, so a count finds duplicates; a set of names per object is slower.
  if (countMembers(value, MAX_JSON_LEVELS) < countNames(text)) {
    const name = repeatedName(text) ?? '';
    const shown = name.length > MAX_SHOWN_NAME ? 'with a long name' : JSON.stringify(name);
    throw new JsonError(`contains the member ${shown} twice in one object.`);
  }
  return value;
}

/** Counts the members of all objects. @throws JsonError if there are more than `levels` levels */
function countMembers(value: unknown, levels: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (levels === 0) throw new JsonError(`is nested more than ${MAX_JSON_LEVELS} levels deep.`);
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') count += countMembers(item, levels - 1);
    return count;
  }
  // Safe without `hasOwn`: no prototype here has enumerable properties.
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name];
    count += typeof member === 'object' ? 1 + countMembers(member, levels - 1) : 1;
  }
  return count;
}

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/** Counts the names of members in valid JSON, including repeated names. */
function countNames(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(text, at);
    else if (code === COLON) count += 1;
  }
  return count;
}

/** Returns the position of the quote that ends a string. */
function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let last = end - 1;
    while (text.charCodeAt(last) === BACKSLASH) last -= 1;
    if ((end - last) % 2 === 1) return end;
  }
}

/** Returns the first name that an object of valid JSON repeats; undefined if there is none. */
function repeatedName(text: string): string | undefined {
  const open: Set<string>[] = [];
  let latest = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '{') open.push(new Set());
    else if (character === '}') open.pop();
    else if (character === '"') {
      const end = stringEnd(text, at);
      latest = text.slice(at, end + 1);
      at = end;
    } else if (character === ':') {
      const names = open.at(-1);
      const name = JSON.parse(latest) as string;
      if (names?.has(name)) return name;
      names?.add(name);
    }
  }
  return undefined;
}
