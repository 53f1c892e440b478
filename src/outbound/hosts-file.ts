import type { LookupAddress } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

/** Milliseconds after which the file is read again. */
const REREAD_AFTER = 10_000;

/**
 * Looks names up in the machine's hosts file, which DNS libraries leave out and containers and developers rely on.
 * A file that cannot be read has no names.
 * @param path in the format of hosts(5).
 */
export function hostsFile(path: string): (hostname: string) => Promise<readonly LookupAddress[]> {
  let names: Promise<Map<string, LookupAddress[]>> | undefined;
  let readAt = 0;
  return async (hostname) => {
    if (names === undefined || performance.now() - readAt > REREAD_AFTER) {
      readAt = performance.now();
      names = readFile(path, 'utf8').then(parse, () => new Map());
    }
    return (await names).get(hostname) ?? [];
  };
}

function parse(text: string): Map<string, LookupAddress[]> {
  const names = new Map<string, LookupAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...aliases] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const alias of aliases) {
      const name = alias.toLowerCase();
      names.set(name, [...(names.get(name) ?? []), { address, family }]);
    }
  }
  return names;
}
