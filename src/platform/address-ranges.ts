import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Network address and prefix length; never an IPv4 address in IPv6 notation. */
export type AddressRange = [Address, number];

/** Parses an address without port; IPv4 in IPv6 notation becomes IPv4. Returns null if it is not an address. */
export function parseAddress(text: string | undefined): Address | null {
  // ipaddr.js alone would accept `1` and `0x7f.1`.
  return text !== undefined && isIP(text) ? ipaddr.process(text) : null;
}

/** Returns a predicate that is true for the addresses within any of the ranges. */
export const withinRanges =
  (ranges: readonly AddressRange[]) =>
  (address: Address): boolean =>
    ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits));
