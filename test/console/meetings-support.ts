import type { Page } from 'playwright-core';
import type { Meetings } from '../../src/demo/provider/meeting-json.ts';
import { type Connector, startConnector } from '../meetings/support.ts';
import { type ConsolePage, startBrowser, type TestBrowser } from '../support/browser.ts';
import { meetingJson } from '../support/provider.ts';

/** Number of meetings at the provider. */
export const MEETING_COUNT = 120;
/** Number of transcript segments of the newest meeting. */
export const SEGMENT_COUNT = 450;

/** Newest first. The first has a long transcript, the second has none yet. */
export const meetings = Array.from({ length: MEETING_COUNT }, (_, index) => ({
  ...meetingJson(index, { segments: index === 0 ? SEGMENT_COUNT : 2 }),
  ...(index === 1 && { transcript: [], summary: null }),
}));

export interface Stage extends Connector {
  browser: TestBrowser;
  /** Opens a page of the console with the key. */
  openAt(key: string, path: string, width?: number): Promise<ConsolePage>;
}

/** Starts the service with a provider of these or other meetings, and a browser. */
export async function startStage(
  atProvider: Meetings = meetings,
  env: Record<string, string> = {},
): Promise<Stage> {
  const connector = await startConnector({ meetings: atProvider }, env);
  const browser = await startBrowser();
  return {
    ...connector,
    browser,
    openAt: (key, path, width) => browser.open(connector.app.url, key, { path, width }),
    async stop() {
      await browser[Symbol.asyncDispose]();
      await connector.stop();
    },
  };
}

/** Changes the behaviour of the provider until the end of the block. */
export function withBehaviour(
  { provider }: Stage,
  behaviour: Parameters<Stage['provider']['behave']>[0],
): Disposable {
  provider.behave(behaviour);
  return { [Symbol.dispose]: () => provider.behave('well') };
}

/** Finds a count of a sync by its name and value. */
export const count = (page: Page, name: string, value: number) =>
  page.getByRole('term').filter({ hasText: name }).locator('+ dd').getByText(String(value), { exact: true });
