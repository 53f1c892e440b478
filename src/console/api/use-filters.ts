import { useSearchParams } from 'wouter';
import { invalidParams, withSearchParams } from '../search-params.ts';
import { FIRST_PAGE } from './use-page-position.ts';

/**
 * Filters of a list. The URL keeps them: a filtered list can be linked, and back navigation restores the previous one.
 *
 * @param read returns the filters; null for a filter that matches everything, or that is not valid
 */
export function useFilters<F extends object>(read: (params: URLSearchParams) => F) {
  const [params, setParams] = useSearchParams();
  const filters = read(params);
  return {
    filters,
    /** Parameters of the address that are not valid. */
    invalid: invalidParams(params, filters),
    isFiltered: Object.values(filters).some((value) => value !== null),
    setFilter: (name: keyof F & string, value: string | null) =>
      setParams((current) => withSearchParams(current, { ...FIRST_PAGE, [name]: value })),
    clearFilters: () => setParams({}),
  };
}
