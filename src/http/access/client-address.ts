import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import {
  type Address,
  type AddressRange,
  parseAddress,
  withinRanges,
} from '../../platform/address-ranges.ts';
import { forwardedHops, xForwardedForHops } from './forwarding-headers.ts';

type ClientRequest = Pick<IncomingMessage, 'socket' | 'headers'>;

/** Returns the address of a request's client; null if its connection has ended. */
export type ClientAddress = (req: ClientRequest) => Address | null;

/** Returns the network of a request's client, the unit of every limit per address. */
export type ClientNetwork = (req: ClientRequest) => string;

/**
 * Returns the IPv4 address or the IPv6 /64, which is what one subscriber gets.
 * @param address null if unknown
 */
export function networkOf(address: Address | null): string {
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : String(address);
}

/**
 * Compiles the detection of the client: the rightmost hop that is not a trusted proxy. Each trusted proxy appends the
 * address that it received the request from, so anything left of that hop may be forged.
 */
export function createClientAddress(trustedProxies: readonly AddressRange[]): ClientAddress {
  const isTrusted = withinRanges(trustedProxies);

  /** Returns the client that a header names; `peer` if the hop next to a trusted proxy is not an address. */
  function clientOf(hops: readonly (string | null)[], peer: Address): Address {
    let client = peer;
    for (const hop of hops.toReversed()) {
      if (!isTrusted(client)) break;
      const previous = parseAddress(hop ?? undefined);
      if (!previous) break;
      client = previous;
    }
    return client;
  }

  const peers = new WeakMap<object, { address: Address | null; trusted: boolean }>();

  function peerOf(socket: IncomingMessage['socket']) {
    let peer = peers.get(socket);
    if (!peer) {
      const address = parseAddress(socket.remoteAddress);
      peer = { address, trusted: address !== null && isTrusted(address) };
      peers.set(socket, peer);
    }
    return peer;
  }

  return ({ socket, headers }) => {
    const { address, trusted } = peerOf(socket);
    if (!trusted || !address) return address;
    const clients = [xForwardedForHops(headers), forwardedHops(headers)].flatMap((hops) =>
      hops ? [clientOf(hops, address)] : [],
    );
    // A proxy usually sets one of the headers and forwards the other from the client; either may be forged.
    return new Set(clients.map(networkOf)).size === 1 ? (clients[0] ?? address) : address;
  };
}

export const createClientNetwork =
  (clientAddress: ClientAddress): ClientNetwork =>
  (req) =>
    networkOf(clientAddress(req));
