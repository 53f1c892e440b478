import type { SessionInfo } from './api/session-client.ts';

/**
 * State that the tabs of the browser share, without any secret: the key is exchanged for a session, which is in a cookie.
 * `customerId` is the customer of addresses that name none: that of the key, or the one that an admin selected last.
 */
export type StoredSession = SessionInfo;

const STORAGE_KEY = 'engagement.session';

export function readStoredSession(): StoredSession | null {
  try {
    return JSON.parse(localStorage.getItem(STORAGE_KEY) ?? 'null') as StoredSession | null;
  } catch {
    return null;
  }
}

export function writeStoredSession(session: StoredSession | null): void {
  if (session) localStorage.setItem(STORAGE_KEY, JSON.stringify(session));
  else localStorage.removeItem(STORAGE_KEY);
}

/** Calls `listener` when another tab may have changed the session; returns a function that stops it. */
export function onStoredSessionChange(listener: (session: StoredSession | null) => void): () => void {
  const onStorage = ({ key }: StorageEvent): void => {
    // Null for an event that concerns no particular item.
    if (key === STORAGE_KEY || key === null) listener(readStoredSession());
  };
  window.addEventListener('storage', onStorage);
  return () => window.removeEventListener('storage', onStorage);
}
