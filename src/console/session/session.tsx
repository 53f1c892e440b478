import { useWindowEvent } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import {
  createContext,
  Fragment,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { Redirect, Router, useLocation } from 'wouter';
import type { KeyResource } from '../../shared/key-limits.ts';
import { toReadableError } from '../api/error-messages.ts';
import { type Access, type Call, createCall, recordInput } from '../api/graphql-client.ts';
import { customerBase, customerPath, parseCustomerPath, sectionOf } from './customer-path.ts';
import { endAllSessions, endSession, type SessionInfo } from './session-client.ts';

/**
 * State that the browser's tabs share. It has no secret: the API key is exchanged for a session cookie. `customerId` is
 * the key's customer or, for an admin key, the last selected one; it completes addresses without a customer.
 */
export type StoredSession = SessionInfo;

const STORAGE_KEY = 'engagement.session';

function readStoredSession(): StoredSession | null {
  try {
    return JSON.parse(localStorage.getItem(STORAGE_KEY) ?? 'null') as StoredSession | null;
  } catch {
    return null;
  }
}

function writeStoredSession(session: StoredSession | null): void {
  if (session) localStorage.setItem(STORAGE_KEY, JSON.stringify(session));
  else localStorage.removeItem(STORAGE_KEY);
}

/** Calls `listener` when another tab may have changed the session; returns a function that stops it. */
function onStoredSessionChange(listener: (session: StoredSession | null) => void): () => void {
  const onStorage = ({ key }: StorageEvent): void => {
    // The key is null if all items were removed.
    if (key === STORAGE_KEY || key === null) listener(readStoredSession());
  };
  window.addEventListener('storage', onStorage);
  return () => window.removeEventListener('storage', onStorage);
}

export interface Session {
  /** The customer in the address, whose data is shown; null if an admin has not selected one. */
  customerId: number | null;
  /** True if the customer in the address may not exist. */
  isUnverifiedCustomer: boolean;
  /** ID of the API key of the session. */
  keyId: string;
  access: Access;
  call: Call;
  /**
   * Executes operations for another customer, in a list of customers; for none if it is null, since the service refuses
   * every operation for the customer in the address while that is being deleted.
   */
  callFor(customerId: number | null): Call;
  /** True if the key has write access to the customer's data. */
  canWrite: boolean;
  isAdmin: boolean;
  /** Returns true if the key may read objects of all these resources. */
  canRead(...resources: KeyResource[]): boolean;
  /** True if the key is limited to resources: it cannot use what concerns the customer as a whole. */
  isLimited: boolean;
  /** Shows the current section for another customer, or another page. */
  actFor(customerId: number, page?: string): void;
  /** @param options.everywhere ends the sessions of the API key in all browsers */
  signOut(options?: { everywhere?: boolean }): Promise<void>;
}

/** A session that ended without a sign-out in this tab. */
interface EndedSession {
  /** Identifies the session; null if it was ended in another tab. */
  expiresAt: string | null;
  reason: string;
}

const SIGNED_OUT_ELSEWHERE: EndedSession = {
  expiresAt: null,
  reason: 'You signed out in another tab.',
};

const SessionContext = createContext<Session | null>(null);

interface SessionProviderProps {
  /** Renders the sign-in page. */
  signIn: (props: { reason: string | null; onSignIn: (session: StoredSession) => void }) => ReactNode;
  children: ReactNode;
}

/** Provides the session of the browser, which all tabs share, and the pages below the path of the customer. */
export function SessionProvider({ signIn, children }: SessionProviderProps) {
  const [stored, setStored] = useState<StoredSession | null>(readStoredSession);
  const [ended, setEnded] = useState<EndedSession | null>(null);
  const queries = useQueryClient();
  const [location, navigate] = useLocation();
  const { customerId, page } = parseCustomerPath(location);
  const currentPage = useRef(page);
  currentPage.current = page;

  useEffect(
    () =>
      onStoredSessionChange((next) => {
        // A customer selected in another tab must not replace this page: it may have unsaved input.
        if (next?.expiresAt === stored?.expiresAt) return;
        // Cached data must not be visible to another key.
        queries.clear();
        setStored(next);
        setEnded(next ? null : SIGNED_OUT_ELSEWHERE);
      }),
    [stored, queries],
  );

  useWindowEvent('pointerdown', recordInput);
  useWindowEvent('keydown', recordInput);
  useWindowEvent('wheel', recordInput);

  // Live subscriptions reconnect if it changes.
  const access = useMemo((): Access => ({ customerId }), [customerId]);

  const session = useMemo((): Session | null => {
    if (!stored || ended?.expiresAt === stored.expiresAt) return null;
    const { keyId, scope, resources, expiresAt } = stored;
    const { customerId } = access;
    const onEnd = (reason: string): void => {
      // A late response can belong to a session that was replaced or signed out.
      if (readStoredSession()?.expiresAt !== expiresAt) return;
      queries.clear();
      setEnded({ expiresAt, reason });
    };
    return {
      customerId,
      isUnverifiedCustomer: customerId !== null && customerId !== stored.customerId,
      keyId,
      access,
      call: createCall(access, onEnd),
      callFor: (otherId) => createCall({ customerId: otherId }, onEnd),
      canWrite: scope !== 'read',
      isAdmin: scope === 'admin',
      isLimited: Boolean(resources),
      canRead: (...wanted) => !resources || wanted.every((resource) => resources.includes(resource)),
      actFor(nextCustomerId, nextPage = sectionOf(currentPage.current)) {
        const next = { ...stored, customerId: nextCustomerId };
        writeStoredSession(next);
        setStored(next);
        navigate(customerPath(nextCustomerId, nextPage));
      },
      async signOut({ everywhere = false } = {}) {
        try {
          await (everywhere ? endAllSessions() : endSession());
        } catch (error) {
          const { title, message } = toReadableError(error);
          notifications.show({
            title: 'You are still signed in',
            message: `${title} ${message}`,
            color: 'red',
          });
          return;
        }
        queries.clear();
        writeStoredSession(null);
        setStored(null);
        setEnded(null);
        navigate('/');
      },
    };
  }, [stored, ended, access, queries, navigate]);

  if (!session) {
    return signIn({
      reason: ended?.reason ?? null,
      onSignIn: (next) => {
        writeStoredSession(next);
        setStored(next);
        setEnded(null);
      },
    });
  }
  if (customerId === null && stored?.customerId != null) {
    const { search, hash } = window.location;
    return <Redirect to={customerPath(stored.customerId, page) + search + hash} replace />;
  }
  return (
    <SessionContext.Provider value={session}>
      <Router base={customerId === null ? '' : customerBase(customerId)}>
        <Fragment key={stored?.expiresAt}>{children}</Fragment>
      </Router>
    </SessionContext.Provider>
  );
}

/** Returns the session. @throws Error outside of `SessionProvider` */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('useSession must be used inside SessionProvider.');
  return session;
}
