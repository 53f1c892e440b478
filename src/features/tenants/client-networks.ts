import {
  type Address,
  type AddressRange,
  parseAddressRange,
  withinRanges,
} from '../../platform/address-ranges.ts';

/** Returns an address or a CIDR range in the form that is stored; null if it is none. */
export function storedNetwork(text: string): string | null {
  const range = parseAddressRange(text);
  return typeof range === 'string' ? null : range.join('/');
}

/** Predicates of lists of networks, which cached keys share. */
const predicates = new WeakMap<readonly string[], (address: Address) => boolean>();

function predicateOf(networks: readonly string[]): (address: Address) => boolean {
  const ranges = networks
    .map(parseAddressRange)
    .filter((range): range is AddressRange => typeof range !== 'string');
  return withinRanges(ranges);
}

/**
 * Returns whether a client may use a key.
 *
 * @param networks of the key; null if all clients may
 * @param address of the client; null if its connection has ended
 */
export function permitsClient(networks: readonly string[] | null, address: Address | null): boolean {
  if (networks === null) return true;
  const isWithin = predicates.get(networks) ?? predicateOf(networks);
  predicates.set(networks, isWithin);
  return address !== null && isWithin(address);
}
