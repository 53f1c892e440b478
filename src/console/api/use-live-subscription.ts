import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { createClient, NetworkError, type RequestParams } from 'graphql-sse';
import { useEffect, useRef, useState } from 'react';
import type { TypedDocumentString } from '../generated/graphql.ts';
import { useSession } from '../session/session.tsx';
import { checkConnection } from './connection.ts';
import { documentParams, requestHeaders } from './graphql-client.ts';

const RECONNECT_DELAY_MS = 3_000;

const ALL_QUERIES: QueryKey = [];

interface LiveSubscriptionOptions {
  /** False closes the subscription. */
  enabled?: boolean;
  /** Prefix of the keys of the queries that the subscription keeps up to date; default: all queries. */
  queryKey?: QueryKey;
}

/**
 * Subscribes while the component is mounted, and reconnects when the stream ends or fails. Each connection refetches the
 * affected queries, because updates before it can be lost.
 *
 * @returns true while the stream is connected
 */
export function useLiveSubscription<R, V extends Record<string, unknown>>(
  document: TypedDocumentString<R, V>,
  variables: V,
  onData: (data: R) => void,
  { enabled = true, queryKey = ALL_QUERIES }: LiveSubscriptionOptions = {},
): boolean {
  const { access } = useSession();
  const queries = useQueryClient();
  const [connected, setConnected] = useState(false);
  const latest = useRef({ onData, queryKey });
  latest.current = { onData, queryKey };
  // A string, so that the effect depends on the value instead of the object. graphql-sse requires a `query`.
  const requestJson = JSON.stringify({ query: '', ...documentParams(document), variables });

  useEffect(() => {
    if (!enabled) return;
    const client = createClient({ url: '/graphql', headers: () => requestHeaders(access), retryAttempts: 0 });
    let unsubscribe = () => {};
    let reconnectTimer: ReturnType<typeof setTimeout> | undefined;
    let disposed = false;
    const refetch = async (): Promise<void> => {
      const { queryKey } = latest.current;
      // A refetch joins a first request in flight, whose response can be from before the connection.
      const joined = queries.getQueryCache().findAll({
        queryKey,
        fetchStatus: 'fetching',
        predicate: ({ state }) => state.data === undefined,
      });
      await queries.invalidateQueries({ queryKey });
      if (joined.length > 0 && !disposed)
        await queries.invalidateQueries({ queryKey, predicate: (query) => joined.includes(query) });
    };
    const subscribe = (): void => {
      unsubscribe = client.subscribe<R>(
        JSON.parse(requestJson) as RequestParams,
        {
          next: ({ data }) => {
            if (data) latest.current.onData(data);
          },
          error: (error) => {
            // The response to a query has the reason for the end of the session.
            if (error instanceof NetworkError && error.response?.status === 401)
              void queries.invalidateQueries({ queryKey: latest.current.queryKey });
            reconnect();
          },
          complete: reconnect,
        },
        {
          connected: () => {
            if (disposed) return;
            setConnected(true);
            void refetch();
          },
        },
      );
    };
    const reconnect = (): void => {
      if (disposed) return;
      setConnected(false);
      void checkConnection();
      reconnectTimer = setTimeout(subscribe, RECONNECT_DELAY_MS);
    };
    subscribe();
    return () => {
      disposed = true;
      setConnected(false);
      clearTimeout(reconnectTimer);
      unsubscribe();
      client.dispose();
    };
  }, [access, requestJson, enabled, queries]);

  return connected;
}
