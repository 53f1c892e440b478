import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

/** Interval of the connection checks while the service is unreachable. */
const CHECK_INTERVAL_MS = 3_000;
/** A request that has no response after this time makes the console check the connection. */
const SLOW_RESPONSE_MS = 10_000;
const CHECK_TIMEOUT_MS = 10_000;

/** A proxy in front of an unreachable service sends such responses; the service itself sends JSON. */
const isGatewayError = ({ status, headers }: Response): boolean =>
  [502, 503, 504].includes(status) && !headers.get('content-type')?.includes('json');

let requests = new AbortController();
let check: Promise<boolean> | null = null;
let nextCheck: ReturnType<typeof setTimeout> | undefined;
let lastResponseAt: number | null = null;

async function isReachable(): Promise<boolean> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), CHECK_TIMEOUT_MS);
  try {
    const { ok } = await fetch(import.meta.env.BASE_URL, {
      method: 'HEAD',
      cache: 'no-store',
      signal: timeout.signal,
    });
    return ok;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Checks whether the service responds, until it does. While it is unreachable, TanStack Query pauses all queries; it
 * refetches them when the connection is back.
 *
 * @returns true if the service responds
 */
export function checkConnection(): Promise<boolean> {
  clearTimeout(nextCheck);
  check ??= isReachable().then((reachable) => {
    check = null;
    onlineManager.setOnline(reachable);
    if (reachable) {
      lastResponseAt = Date.now();
    } else {
      nextCheck = setTimeout(checkConnection, CHECK_INTERVAL_MS);
      // A response may never arrive on a connection that was open before the outage.
      requests.abort();
      requests = new AbortController();
    }
    return reachable;
  });
  return check;
}

// The service can be reachable while the browser is offline, and the other way around.
onlineManager.setEventListener(() => {
  window.addEventListener('online', checkConnection);
  window.addEventListener('offline', checkConnection);
  return undefined;
});

/** Sends a request to the service. After a failure or a late response, the console checks the connection. */
export async function fetchFromService(path: string, init: RequestInit): Promise<Response> {
  const slow = setTimeout(checkConnection, SLOW_RESPONSE_MS);
  try {
    const response = await fetch(path, { ...init, signal: requests.signal });
    if (isGatewayError(response)) throw new Error(`The proxy returned HTTP ${response.status}.`);
    lastResponseAt = Date.now();
    return response;
  } catch (error) {
    void checkConnection();
    throw error;
  } finally {
    clearTimeout(slow);
  }
}

/** Time of the last response of the service in Unix milliseconds; null before the first one. */
export const lastResponseTime = (): number | null => lastResponseAt;

const subscribe = (onChange: () => void) => onlineManager.subscribe(onChange);

/** Returns true while the service is reachable. */
export const useConnected = (): boolean => useSyncExternalStore(subscribe, () => onlineManager.isOnline());

/** Resolves when the service is reachable. */
export const whenConnected = (): Promise<void> =>
  new Promise((resolve) => {
    if (onlineManager.isOnline()) return resolve();
    const unsubscribe = onlineManager.subscribe((connected) => {
      if (!connected) return;
      unsubscribe();
      resolve();
    });
  });
