import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Returns true if a name or an address, without brackets, always refers to this machine. */
export function isLoopbackHost(host: string): boolean {
  if (isIP(host)) return ipaddr.process(host).range() === 'loopback';
  return /^(.+\.)?localhost$/i.test(host);
}

/**
 * Returns true if a `Host` header names this machine, with or without a port. A page of another site that resolves its
 * own name to a loopback address (DNS rebinding) sends its own name.
 */
export function isLoopbackHostHeader(header: string | undefined): boolean {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::\d{1,5})?$/.exec(header ?? '') ?? [];
  return isLoopbackHost(bracketed ?? plain ?? '');
}
