import { MAX_INT32 } from '../../shared/int32.ts';

const CUSTOMER_PATH = /^\/customers\/([1-9]\d{0,9})(\/.*)?$/;

/** Prefix of the paths of a customer's pages. */
export const customerBase = (customerId: number): string => `/customers/${customerId}`;

/** Splits a path of the console into the customer (null if it names none) and the path of the page. */
export function parseCustomerPath(path: string): { customerId: number | null; page: string } {
  const [, id, page = '/'] = CUSTOMER_PATH.exec(path) ?? [];
  return id !== undefined && Number(id) <= MAX_INT32
    ? { customerId: Number(id), page }
    : { customerId: null, page: path };
}

/** Returns the path of a page for a customer. */
export const customerPath = (customerId: number, page: string): string =>
  customerBase(customerId) + (page === '/' ? '' : page);

/** Returns the path of a page's section. The rest of the path can have IDs, which belong to one customer. */
export const sectionOf = (page: string): string => /^\/[^/]*/.exec(page)?.[0] ?? '/';
