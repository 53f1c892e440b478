import type { LookupAddress } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

/** Interval after which the file is read again. */
const REREAD_MS = 10_000;

/**
 * Creates a lookup in the hosts file of the machine, which DNS libraries ignore and containers rely on. An unreadable
 * file counts as empty.
 * @param path of a file in the format of hosts(5)
 */
export function hostsFile(path: string): (hostname: string) => Promise<readonly LookupAddress[]> {
  let names: Promise<Map<string, LookupAddress[]>> | undefined;
  let readAt = 0;
  return async (hostname) => {
    if (names === undefined || performance.now() - readAt > REREAD_MS) {
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
