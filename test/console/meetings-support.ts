import type { Page } from 'playwright-core';
import { type Connector, startConnector } from '../meetings/support.ts';
import { type ConsolePage, startBrowser } from '../support/browser.ts';
import { meetingJson } from '../support/provider.ts';

/** How many meetings the provider has. */
export const COUNT = 120;
/** Segments of the newest one's transcript. */
export const LONG = 450;

/** The newest is long; the transcript of the one before is still to come. */
export const meetings = Array.from({ length: COUNT }, (_, index) => ({
  ...meetingJson(index, { segments: index === 0 ? LONG : 2 }),
  ...(index === 1 && { transcript: [], summary: null }),
}));

export interface Stage extends Connector {
  /** Opens a page of the console, signed in with the key. */
  openAt(key: string, path: string, width?: number): Promise<ConsolePage>;
}

/** The service with a provider of these meetings, and a browser before it. */
export async function startStage(): Promise<Stage> {
  const connector = await startConnector({ meetings });
  const browser = await startBrowser();
  return {
    ...connector,
    async openAt(key, path, width) {
      const tab = await browser.open(connector.app.url, key, { width });
      await tab.goto(path);
      return tab;
    },
    async stop() {
      await browser[Symbol.asyncDispose]();
      await connector.stop();
    },
  };
}

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
export const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
export const rows = (page: Page, table: string) =>
  page.getByRole('table', { name: table }).locator('tbody tr');
/** By its label, which other things about it have, too. */
export const input = (page: Page, label: string) => page.locator('input').and(page.getByLabel(label));
