import { useEffect, useState, useSyncExternalStore } from 'react';
import { DAY_MS } from '../../format.ts';
import { useSession } from '../../session/session.tsx';
import type { IssueSource } from './use-open-issues.ts';

/** End of the snooze by issue ID, in Unix milliseconds; null: dismissed until the issue is resolved. */
type HiddenIssues = Readonly<Record<string, number | null>>;

const NONE: HiddenIssues = {};
const CLOCK_INTERVAL_MS = 15_000;
const SNOOZE_MS = DAY_MS;

function parse(stored: string | null): HiddenIssues {
  try {
    const value: unknown = JSON.parse(stored ?? '');
    return typeof value === 'object' && value !== null ? (value as HiddenIssues) : NONE;
  } catch {
    return NONE;
  }
}

/** The browser reports changes of other tabs; `write` dispatches the event for this tab. */
function subscribe(onChange: () => void): () => void {
  window.addEventListener('storage', onChange);
  return () => window.removeEventListener('storage', onChange);
}

function write(key: string, hidden: HiddenIssues): void {
  if (Object.keys(hidden).length > 0) localStorage.setItem(key, JSON.stringify(hidden));
  else localStorage.removeItem(key);
  window.dispatchEvent(new StorageEvent('storage'));
}

/** Issues of the customer that the user hides, in this browser only. */
export function useHiddenIssues(sources: readonly IssueSource[]) {
  const { customerId } = useSession();
  const [now, setNow] = useState(Date.now);
  const key = `engagement.hidden-issues.${customerId}`;
  const hidden = parse(useSyncExternalStore(subscribe, () => localStorage.getItem(key)));

  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), CLOCK_INTERVAL_MS);
    return () => clearInterval(timer);
  }, []);

  // An issue that was resolved is listed when it occurs again.
  const kept = Object.entries(hidden).filter(([id, until]) => {
    if (until !== null) return until > now;
    const source = sources.find(({ name }) => id.startsWith(`${name}:`));
    // Another key may read a part that this one may not.
    return !source || source.loading || source.failure || source.issues.some((issue) => issue.id === id);
  });
  const outdated = kept.length < Object.keys(hidden).length;
  const keptJson = JSON.stringify(Object.fromEntries(kept));
  useEffect(() => {
    if (outdated) write(key, parse(keptJson));
  }, [outdated, keptJson, key]);

  const until = new Map(kept);
  return {
    isHidden: (id: string): boolean => until.has(id),
    /** End of the snooze in Unix milliseconds; null if the issue is dismissed. */
    hiddenUntil: (id: string): number | null => until.get(id) ?? null,
    snooze: (id: string): void => write(key, { ...Object.fromEntries(kept), [id]: Date.now() + SNOOZE_MS }),
    dismiss: (id: string): void => write(key, { ...Object.fromEntries(kept), [id]: null }),
    restore: (id: string): void => write(key, Object.fromEntries(kept.filter(([other]) => other !== id))),
  };
}
