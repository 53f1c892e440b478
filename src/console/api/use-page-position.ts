import { useSearchParams } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { withSearchParams } from '../search-params.ts';

/** Position of a paged list. The URL keeps it: back navigation and a reload return to the same page. */
export interface PagePosition {
  /** Cursor that the page starts after; null: the first page. */
  after: string | null;
  showNext(after: string): void;
  /** Returns to the previous page; undefined unless `showNext` opened this one. */
  showPrevious: (() => void) | undefined;
  showFirst(): void;
}

interface HistoryEntry {
  /** True if `showNext` created the entry. */
  fromPrevious?: boolean;
}

/** Search parameters that return to the first page, for a change of the filters. */
export const FIRST_PAGE = { after: null };

export function usePagePosition(): PagePosition {
  const [params, setParams] = useSearchParams();
  const historyEntry = useHistoryState<HistoryEntry | null>();
  const show = (after: string | null, state: HistoryEntry): void =>
    setParams((current) => withSearchParams(current, { after }), { state });
  return {
    after: params.get('after'),
    showNext: (after) => show(after, { fromPrevious: true }),
    // Connections page forwards only, so the browser history leads back.
    showPrevious: historyEntry?.fromPrevious ? () => history.back() : undefined,
    showFirst: () => show(null, {}),
  };
}
