import { useSearchParams } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { withSearchParams } from '../search-params.ts';

/** Position of a paged list, kept in the URL, so that back navigation and a reload return to the same page. */
export interface PagePosition {
  /** Cursor that the page starts after; null: the first page. */
  after: string | null;
  showNext(after: string): void;
  /** Goes back to the page that `showNext` was called on; undefined if the page was opened in another way. */
  showPrevious: (() => void) | undefined;
  showFirst(): void;
}

/** State of a browser history entry. */
interface HistoryEntry {
  /** True if `showNext` created the entry. */
  fromPrevious?: boolean;
}

/** Change of the URL that returns to the first page, for a change of the filters. */
export const FIRST_PAGE = { after: null };

export function usePagePosition(): PagePosition {
  const [params, setParams] = useSearchParams();
  const historyEntry = useHistoryState<HistoryEntry | null>();
  const show = (after: string | null, state: HistoryEntry): void =>
    setParams((current) => withSearchParams(current, { after }), { state });
  return {
    after: params.get('after'),
    showNext: (after) => show(after, { fromPrevious: true }),
    // Connections can only be paged forwards, so the way back is the browser history.
    showPrevious: historyEntry?.fromPrevious ? () => history.back() : undefined,
    showFirst: () => show(null, {}),
  };
}
