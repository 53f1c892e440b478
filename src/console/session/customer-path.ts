const CUSTOMER_PATH = /^\/customers\/([1-9]\d{0,9})(\/.*)?$/;
const MAX_CUSTOMER_ID = 2 ** 31 - 1;

/** Path of the console below which the pages of a customer are. */
export const customerBase = (customerId: number): string => `/customers/${customerId}`;

/** Returns the customer that a path of the console names, and the path of the page; the customer is null if none is named. */
export function parseCustomerPath(path: string): { customerId: number | null; page: string } {
  const [, id, page = '/'] = CUSTOMER_PATH.exec(path) ?? [];
  return id !== undefined && Number(id) <= MAX_CUSTOMER_ID
    ? { customerId: Number(id), page }
    : { customerId: null, page: path };
}

/** Returns the path of a page for a customer. */
export const customerPath = (customerId: number, page: string): string =>
  customerBase(customerId) + (page === '/' ? '' : page);

/** Returns the path of the section that a page belongs to: the ids in the page are those of one customer. */
export const sectionOf = (page: string): string => /^\/[^/]*/.exec(page)?.[0] ?? '/';
