import type { Locator, Page } from 'playwright-core';

export const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });

export const heading = (page: Page, name: string): Locator =>
  page.getByRole('heading', { name, exact: true });

/** Finds an input by its label, which other elements can have as well. */
export const input = (page: Page, label: string): Locator =>
  page.locator('input').and(page.getByLabel(label));

/** Link of the menu. */
export const menuLink = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true });

/** Rows of a table, without its heading. */
export const tableRows = (page: Page | Locator, table: string): Locator =>
  page.getByRole('table', { name: table }).locator('tbody tr');
