import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { type Access, type Call, createCall } from './api/graphql-client.ts';
import type { KeyScope } from './generated/graphql.ts';

export interface Session {
  /** The tenant whose data is shown; null if an admin has not selected one. */
  customerId: number | null;
  access: Access;
  call: Call;
  /** True if the key has write access to the tenant's data. */
  canWrite: boolean;
  isAdmin: boolean;
  actFor(customerId: number): void;
  signOut(): void;
}

/** Kept in the tab's session storage. */
export interface StoredSession {
  key: string;
  scope: KeyScope;
  customerId: number | null;
}

const STORAGE_KEY = 'engagement.session';

function readStoredSession(): StoredSession | null {
  try {
    return JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? 'null') as StoredSession | null;
  } catch {
    return null;
  }
}

const SessionContext = createContext<Session | null>(null);

interface SessionProviderProps {
  /** Renders the sign-in page. */
  signIn: (onSignIn: (session: StoredSession) => void) => ReactNode;
  children: ReactNode;
}

/** Provides the session; closing the tab ends it. */
export function SessionProvider({ signIn, children }: SessionProviderProps) {
  const [stored, setStored] = useState<StoredSession | null>(readStoredSession);
  const queries = useQueryClient();

  const session = useMemo((): Session | null => {
    const replace = (next: StoredSession | null): void => {
      // Cached data must not be visible to another key or tenant.
      queries.clear();
      if (next) sessionStorage.setItem(STORAGE_KEY, JSON.stringify(next));
      else sessionStorage.removeItem(STORAGE_KEY);
      setStored(next);
    };
    if (!stored) return null;
    const { key, scope, customerId } = stored;
    const access: Access = { key, customerId: scope === 'admin' ? customerId : null };
    const signOut = () => replace(null);
    return {
      customerId,
      access,
      call: createCall(access, signOut),
      canWrite: scope !== 'read',
      isAdmin: scope === 'admin',
      actFor: (nextCustomerId) => replace({ ...stored, customerId: nextCustomerId }),
      signOut,
    };
  }, [stored, queries]);

  if (!session) {
    return signIn((next) => {
      sessionStorage.setItem(STORAGE_KEY, JSON.stringify(next));
      setStored(next);
    });
  }
  return <SessionContext.Provider value={session}>{children}</SessionContext.Provider>;
}

/** Returns the session. @throws Error outside of `SessionProvider` */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('useSession must be used inside SessionProvider.');
  return session;
}
