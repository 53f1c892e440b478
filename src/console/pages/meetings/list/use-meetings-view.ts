import { useSearchParams } from 'wouter';

/** What the page lists. */
export type View = 'meetings' | 'activities';

/** What the lists are narrowed to. */
interface Narrowed {
  view: View;
  /** Words, as they are typed. */
  search: string;
  /** ISO 8601: only meetings that started at or after; null: all. */
  since: string | null;
  /** Whose activities; empty: everybody's. */
  person: string;
}

/** What the address says; what it has that makes no sense counts as none. */
function readView(params: URLSearchParams): Narrowed {
  const since = Date.parse(params.get('since') ?? '');
  return {
    view: params.get('view') === 'activities' ? 'activities' : 'meetings',
    search: params.get('search') ?? '',
    since: Number.isNaN(since) ? null : new Date(since).toISOString(),
    person: params.get('person') ?? '',
  };
}

/** The view, kept in the address: it can be linked, and going back undoes a choice. */
export function useView() {
  const [params, setParams] = useSearchParams();
  return {
    ...readView(params),
    /** @param replace for what is typed: going back undoes it as a whole */
    narrow(name: 'search' | 'since' | 'person', value: string | null, replace = false): void {
      setParams(
        (before) => {
          const after = new URLSearchParams(before);
          if (value) after.set(name, value);
          else after.delete(name);
          return after;
        },
        { replace },
      );
    },
    show: (view: View) => setParams(view === 'meetings' ? '' : { view }),
    clear: () => setParams((before) => (readView(before).view === 'meetings' ? '' : { view: 'activities' })),
  };
}

/** Address of the activities of one person. */
export const personPath = (person: string): string =>
  `/meetings?${new URLSearchParams({ view: 'activities', person })}`;

/** Address of the meetings that somebody was in, by e-mail address. */
export const meetingsOfPath = (email: string): string =>
  `/meetings?${new URLSearchParams({ search: email })}`;

/** Address of a meeting. Encoded twice: the router decodes addresses once before the page does. */
export const meetingPath = (recorderMeetingId: string): string =>
  `/meetings/${encodeURIComponent(encodeURIComponent(recorderMeetingId))}`;
