import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MEETING_POINTERS, toSourcePointer } from '../../src/shared/source-pointers.ts';
import { connectedTenant, syncOf } from '../meetings/support.ts';
import { CHROMIUM, expectFit } from '../support/browser.ts';
import { button, input, tableRows } from './locators.ts';
import { MEETING_COUNT, type Stage, startStage } from './meetings-support.ts';

describe.skipIf(!CHROMIUM)('the field mapping in the console', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage();
  });
  afterAll(() => stage.stop());

  const field = (page: Page, name: string) => page.getByRole('combobox', { name });

  test('is edited with validation messages in its rows, and reset', async () => {
    const { app } = stage;
    const tenant = await connectedTenant(app);
    const saved = await app.services.fieldMapping.get(tenant.tenant);
    await using tab = await stage.openAt(tenant.write, '/meetings/settings');
    const { page } = tab;
    expect(await field(page, 'Source of field 5').inputValue()).toBe('/@meeting/participant_email');
    await button(page, 'Add field').click();
    await field(page, 'Source of field 8').fill('recording_url');
    await field(page, 'Target of field 8').fill('properties.host');
    await page.getByLabel('Transform of field 3').selectOption('trim');
    await button(page, 'Save mapping').click();
    const added = tableRows(page, 'Field mapping').nth(7);
    await added.getByText('Must be one of /@meeting/id, /@meeting/title').waitFor();
    await tableRows(page, 'Field mapping')
      .nth(2)
      .getByText(/^Must be none, since \/@meeting\/created_at/)
      .waitFor();
    await tab.expectAccessible();
    expect(await app.services.fieldMapping.get(tenant.tenant)).toEqual(saved);

    // The name of an earlier version is saved, and shown as its pointer.
    await field(page, 'Source of field 8').fill('participants[0].name');
    await page.getByLabel('Transform of field 3').selectOption('none');
    await button(page, 'Remove field 2').click();
    await button(page, 'Save mapping').click();
    await page.getByText('Field mapping saved.').waitFor();
    expect(await button(page, 'Save mapping').isDisabled()).toBe(true);
    await expect.poll(() => field(page, 'Source of field 7').inputValue()).toBe('/@meeting/participant_name');
    const changed = await app.services.fieldMapping.get(tenant.tenant);
    expect(changed.map(({ targetField }) => targetField)).toEqual([
      ...saved.map(({ targetField }) => targetField).filter((target) => target !== 'properties.title'),
      'properties.host',
    ]);

    await button(page, 'Reset to default').click();
    await button(page, 'Save mapping').click();
    await expect
      .poll(() => app.services.fieldMapping.get(tenant.tenant))
      .toEqual(saved.map((mapping) => ({ ...mapping, sourceField: toSourcePointer(mapping.sourceField) })));
    expect(await button(page, 'Reset to default').isDisabled()).toBe(true);
  });

  test('suggests pointers, and no target that the mapping already has', async () => {
    const tenant = await connectedTenant(stage.app);
    await using tab = await stage.openAt(tenant.write, '/meetings/settings', 1_440);
    const { page } = tab;
    const options = page.getByRole('listbox').getByRole('option');
    const expectSuggestions = async (name: string, suggestions: string[]) => {
      await field(page, name).click();
      await expect.poll(() => options.allTextContents()).toEqual(suggestions);
    };
    await button(page, 'Add field').click();
    await expectSuggestions('Source of field 8', Object.values(MEETING_POINTERS));
    await expectSuggestions('Target of field 8', []);
    await button(page, 'Remove field 2').click();
    await expectSuggestions('Target of field 7', ['properties.title']);
    await options.click();
    await field(page, 'Source of field 7').fill('/@meeting/title');
    await field(page, 'Source of field 7').press('Escape');
    await expectFit(page);
    await tab.expectAccessible();
    tab.expectQuiet();
  });

  test('previews what a meeting becomes, and is applied to all activities', async () => {
    const { app } = stage;
    const tenant = await connectedTenant(app);
    const saved = await app.services.fieldMapping.get(tenant.tenant);
    await using tab = await stage.openAt(tenant.write, '/meetings/settings', 390);
    const { page } = tab;
    await button(page, 'Preview mapping').click();
    await page.getByText('No such meeting is stored.').waitFor();
    await syncOf(app, tenant);

    await button(page, 'Add field').click();
    await field(page, 'Source of field 8').fill('/recording_url');
    await page.getByText("In the provider's record", { exact: true }).waitFor();
    await field(page, 'Target of field 8').fill('properties.recording');
    await button(page, 'Add field').click();
    await field(page, 'Source of field 9').fill('no_such_field');
    await field(page, 'Target of field 9').fill('properties.missing');
    await button(page, 'Preview mapping').click();
    await tableRows(page, 'Field mapping')
      .nth(8)
      .getByText('Must be one of /@meeting/id, /@meeting/title')
      .waitFor();
    await field(page, 'Source of field 9').fill('/participants/7/email');
    await input(page, 'Provider meeting ID').fill('m4');
    await input(page, 'Provider meeting ID').press('Enter');

    const preview = tableRows(page, 'Preview of the mapping');
    const cells = async (index: number): Promise<string[]> =>
      (await preview.nth(index).getByRole('cell').allTextContents()).slice(0, 3);
    await preview.nth(8).waitFor();
    await page.getByText(/^Activity recorder_m4 of the meeting m4:$/).waitFor();
    expect(await cells(0)).toEqual(['externalId', 'm4', '/@meeting/id']);
    expect(await cells(7)).toEqual([
      'properties.recording',
      'https://recordings.example.com/m4',
      '/recording_url',
    ]);
    expect(await cells(8)).toEqual(['properties.missing', 'no value', '/participants/7/email']);
    expect(await preview.nth(8).getByRole('cell').last().textContent()).not.toBe('');
    expect(await cells(9)).toEqual(['properties.source', 'recorder', 'set by the service']);
    expect(await preview.count()).toBe(12);
    await expectFit(page);
    await tab.expectAccessible();
    await button(page, 'Remove field 9').click();
    await page.getByText('The mapping has changed since this preview.').waitFor();
    expect(await app.services.fieldMapping.get(tenant.tenant)).toEqual(saved);

    const requests = stage.provider.requests.length;
    await page.evaluate(`
      globalThis.announcements = [];
      new MutationObserver(() => {
        for (const { textContent } of document.querySelectorAll('[role=status]'))
          if (textContent.includes('re-projection') && textContent !== announcements.at(-1))
            announcements.push(textContent);
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    `);
    await button(page, 'Save mapping').click();
    await page.getByText(`The mapping was applied to ${MEETING_COUNT} stored activities`).waitFor();
    // Start and end are announced, not the progress; a quick re-projection has no start.
    const announcements = async () => (await page.evaluate('announcements')) as string[];
    const [started, finished] = ['started', 'finished'].map(
      (state) => `The re-projection of activities has ${state}.`,
    );
    await expect.poll(async () => (await announcements()).at(-1)).toBe(finished);
    expect((await announcements()).filter((text) => text !== started)).toEqual([finished]);
    expect(stage.provider.requests.length).toBe(requests);
    await tab.expectAccessible();
    await tab.goto('/meetings?view=activities');
    await tableRows(page, 'Meeting activities')
      .first()
      .getByText('recording: https://recordings.example.com/m0')
      .waitFor();
    tab.expectQuiet();
  });
});
