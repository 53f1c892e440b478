import { useSearchParams } from 'wouter';
import { FIRST_PAGE } from '../../../api/use-page-position.ts';
import { readTimeParam, withSearchParams } from '../../../search-params.ts';

export type MeetingsTab = 'meetings' | 'activities';

/** Selected tab and filters of the meetings page. */
export interface MeetingsView {
  tab: MeetingsTab;
  search: string;
  /** ISO 8601: meetings that started at this time or later; null: all meetings. */
  since: string | null;
  /** True if the list includes meetings that the provider has deleted. */
  includeDeleted: boolean;
  /** External ID of the person whose activities are shown; empty: all activities. */
  person: string;
}

/** Reads the view from the URL; ignores invalid values. */
export const readMeetingsView = (params: URLSearchParams): MeetingsView => ({
  tab: params.get('view') === 'activities' ? 'activities' : 'meetings',
  search: params.get('search') ?? '',
  since: readTimeParam(params, 'since'),
  includeDeleted: params.get('deleted') === 'included',
  person: params.get('person') ?? '',
});

const tabParams = (tab: MeetingsTab): Record<string, string> =>
  tab === 'meetings' ? {} : { view: 'activities' };

/** The URL keeps the view: it can be linked, and back navigation restores the previous one. */
export function useMeetingsView() {
  const [params, setParams] = useSearchParams();
  return {
    ...readMeetingsView(params),
    setSince: (since: string | null) =>
      setParams((current) => withSearchParams(current, { ...FIRST_PAGE, since })),
    setIncludeDeleted: (includeDeleted: boolean) =>
      setParams((current) =>
        withSearchParams(current, { ...FIRST_PAGE, deleted: includeDeleted ? 'included' : null }),
      ),
    /** Replaces the history entry, so that back navigation does not step through each typed letter. */
    setSearchText: (name: 'search' | 'person', text: string) =>
      setParams((current) => withSearchParams(current, { ...FIRST_PAGE, [name]: text }), { replace: true }),
    selectTab: (tab: MeetingsTab) => setParams(tabParams(tab)),
    clearFilters: () => setParams((current) => tabParams(readMeetingsView(current).tab)),
  };
}
