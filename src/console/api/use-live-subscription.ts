import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { createClient } from 'graphql-sse';
import { useEffect, useRef, useState } from 'react';
import type { TypedDocumentString } from '../generated/graphql.ts';
import { useSession } from '../session.tsx';
import { headersOf } from './graphql-client.ts';

/** Pause before a subscription that has ended is opened again. Milliseconds. */
const REOPEN_MS = 3_000;

const EVERYTHING: QueryKey = [];

interface LiveOptions {
  /** False closes the subscription; true opens it again. */
  enabled?: boolean;
  /** Queries whose answers the changes are about, by the start of their keys; else all of them. */
  reads?: QueryKey;
}

/**
 * Hears of changes for as long as the component is there. A subscription that breaks off or ends is opened again.
 * Each time that it is open, what is shown is read anew, since something may have happened before.
 *
 * @returns whether changes are being heard of
 */
export function useLive<R, V extends Record<string, unknown>>(
  document: TypedDocumentString<R, V>,
  variables: V,
  onChange: (data: R) => void,
  { enabled = true, reads = EVERYTHING }: LiveOptions = {},
): boolean {
  const { access } = useSession();
  const queries = useQueryClient();
  const [open, setOpen] = useState(false);
  const latest = useRef({ onChange, reads });
  latest.current = { onChange, reads };
  const query = document.toString();
  const asked = JSON.stringify(variables);

  useEffect(() => {
    if (!enabled) return;
    const client = createClient({ url: '/graphql', headers: headersOf(access), retryAttempts: 0 });
    let stop = () => {};
    let timer: ReturnType<typeof setTimeout> | undefined;
    let gone = false;
    const subscribe = (): void => {
      stop = client.subscribe<R>(
        { query, variables: JSON.parse(asked) as Record<string, unknown> },
        {
          next: ({ data }) => {
            if (data) latest.current.onChange(data);
          },
          error: reopen,
          complete: reopen,
        },
        {
          connected: () => {
            if (gone) return;
            setOpen(true);
            void queries.invalidateQueries({ queryKey: latest.current.reads });
          },
        },
      );
    };
    const reopen = (): void => {
      if (gone) return;
      setOpen(false);
      timer = setTimeout(subscribe, REOPEN_MS);
    };
    subscribe();
    return () => {
      gone = true;
      setOpen(false);
      clearTimeout(timer);
      stop();
      client.dispose();
    };
  }, [access, query, asked, enabled, queries]);

  return open;
}
