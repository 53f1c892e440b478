import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestSidecar, type TestSidecar } from '../sidecar/support.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { CHROMIUM, type ConsolePage, expectFit, startBrowser, type TestBrowser } from '../support/browser.ts';
import { leads } from './drift-page-support.ts';
import { operationOf } from './sent-operations.ts';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** `2026-11-20T14:30`, as the browser's inputs take it. The tests use UTC. */
const inputTime = (at: number): string => new Date(at).toISOString().slice(0, 16);

describe.skipIf(!CHROMIUM)('what operators do about drift on the console', () => {
  let app: TestApp;
  let browser: TestBrowser;
  let sidecar: TestSidecar;
  let tenant: TestTenant;

  const procedure = async <T = Record<string, unknown>[]>(name: string, body?: object): Promise<T> => {
    const answer = await app.request(body ? 'POST' : 'GET', `/api/drift.${name}`, { key: app.admin, body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body as T;
  };
  const open = (path: string): Promise<ConsolePage> => browser.open(app.url, app.admin, { path });

  beforeAll(async () => {
    sidecar = await startTestSidecar();
    app = await startApp({ ML_SIDECAR_URL: sidecar.url, DRIFT_CHECK_SCHEDULE: 'off' });
    browser = await startBrowser({ timezoneId: 'UTC' });
    tenant = await app.newTenant();
    await sidecar.add('reference', 'trial', leads(400, 1));
    const current = leads(1_300, 2, { shift: 60, newPlan: true });
    await sidecar.add(
      'current',
      'trial',
      current.map((row, index) => ({ ...row, id: `lead-${index}` })),
    );
    for (let checks = 0; checks < 2; checks += 1) await procedure('triggerCheck', { stage: 'trial' });
    // The chart needs a range of time, so that a planned change can be within it.
    const checks = sidecar.db.collection<{ checkedAt: Date }>('checks');
    const first = await checks.findOne({}, { sort: { checkedAt: 1 } });
    await checks.updateOne({ _id: first?._id }, { $set: { checkedAt: new Date(Date.now() - 2 * DAY_MS) } });
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await app.stop();
    await sidecar.stop();
  });

  test('an alert names what drifted, and is acknowledged until a time, changed and withdrawn', async () => {
    await using tab = await open('/drift?stage=trial');
    const { page } = tab;
    const [stored] =
      await procedure<{ features: { feature: string; exampleIds: string[] }[] }[]>('getAlerts?stage=trial');
    const [worst] = stored?.features ?? [];
    expect(worst?.exampleIds.length).toBeGreaterThan(0);
    const alert = page.getByRole('listitem', { name: 'Stage trial' });
    await alert.getByText('active', { exact: true }).waitFor();
    await alert
      .getByText('Since now')
      .or(alert.getByText(/Since .* ago/))
      .waitFor();
    const drifted = await alert.getByRole('listitem').allTextContents();
    expect(drifted).toHaveLength(stored?.features.length ?? 0);
    expect(drifted[0]).toMatch(new RegExp(`^${worst?.feature}: score \\d+\\.\\d{3}; most in `));
    expect(drifted[0]).toContain(`for example rows ${worst?.exampleIds.join(', ')}`);
    await tab.expectAccessible();

    await alert.getByRole('button', { name: 'Acknowledge' }).click();
    const dialog = page.getByRole('dialog', { name: 'Acknowledge alert: Stage trial' });
    const submit = dialog.getByRole('button', { name: 'Acknowledge' });
    expect(await submit.isDisabled()).toBe(true);
    await dialog.getByLabel('Note').fill('New pricing; retraining is planned.');
    // The service's message is at the field.
    await dialog.getByLabel('Until (local time)').fill(inputTime(Date.now() - DAY_MS));
    await submit.click();
    await dialog.getByText('future').waitFor();
    const until = Date.now() + 3 * DAY_MS;
    await dialog.getByLabel('Until (local time)').fill(inputTime(until));
    await tab.expectAccessible();
    await submit.click();
    await dialog.waitFor({ state: 'detached' });
    await alert.getByText('acknowledged', { exact: true }).waitFor();
    await alert.getByText(': New pricing; retraining is planned.').waitFor();
    expect(await procedure('getAlerts?stage=trial')).toMatchObject([
      {
        status: 'acknowledged',
        acknowledgement: {
          note: 'New pricing; retraining is planned.',
          until: `${inputTime(until)}:00.000Z`,
        },
      },
    ]);

    await alert.getByRole('button', { name: 'Change acknowledgement' }).click();
    await dialog.getByRole('button', { name: 'Clear until' }).click();
    await dialog.getByLabel('Note').fill('Retrained on Monday.');
    await submit.click();
    await alert.getByText(': Retrained on Monday.').waitFor();
    expect(await procedure('getAlerts?stage=trial')).toMatchObject([{ acknowledgement: { until: null } }]);

    await alert.getByRole('button', { name: 'Withdraw' }).click();
    await alert.getByText('active', { exact: true }).waitFor();
    expect(await procedure('getAlerts?stage=trial')).toMatchObject([
      { status: 'active', acknowledgement: null },
    ]);
    await expectFit(page);
  });

  test('a feature is muted in its panel, shown as muted in the table, and unmuted', async () => {
    await using tab = await open('/drift?stage=trial&feature=age');
    const { page } = tab;
    const panel = page.getByRole('dialog', { name: 'age', exact: true });
    await panel.getByRole('button', { name: 'Mute' }).click();
    const dialog = page.getByRole('dialog', { name: 'Mute age' });
    await dialog.getByLabel('Note').fill('Known shift of ages.');
    await dialog.getByRole('button', { name: 'Mute feature' }).click();
    await panel.getByText('Muted for stage trial: Known shift of ages.').waitFor();
    expect(await procedure('getMutes')).toMatchObject([
      { feature: 'age', stage: 'trial', note: 'Known shift of ages.', until: null },
    ]);
    await tab.expectAccessible();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    const rowOf = (feature: string) =>
      page
        .getByRole('table', { name: 'Features' })
        .getByRole('row')
        .filter({ has: page.getByRole('button', { name: feature, exact: true }) });
    await rowOf('age').getByText('muted', { exact: true }).waitFor();
    expect(await rowOf('plan').getByText('muted', { exact: true }).count()).toBe(0);
    await rowOf('age').getByRole('button', { name: 'age' }).click();
    await panel.getByRole('button', { name: 'Unmute' }).click();
    await panel.getByText('The feature raises alerts.').waitFor();
    expect(await procedure('getMutes')).toEqual([]);
    tab.expectQuiet();
  });

  test('a planned change is added, marked on the chart, and deleted', async () => {
    await using tab = await open('/drift?stage=trial');
    const { page } = tab;
    const chart = page.getByRole('img', { name: /^Line chart of 2 checks:/ });
    await chart.waitFor();
    await page.getByRole('button', { name: 'Add planned change' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add planned change' });
    await dialog.getByRole('radio', { name: 'Release' }).check();
    await dialog.getByLabel('Title').fill('Version 7');
    await dialog.getByLabel('Start (local time)').fill(inputTime(Date.now() - DAY_MS));
    await tab.expectAccessible();
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    const table = page.getByRole('table', { name: 'Planned changes' });
    await table.getByText('Version 7', { exact: true }).waitFor();
    await expect.poll(() => chart.getAttribute('aria-label')).toContain('Planned changes: Version 7.');
    await chart.getByText('Version 7', { exact: true }).waitFor();
    expect(await procedure('getPlannedChanges')).toMatchObject([
      { type: 'release', title: 'Version 7', stage: 'trial', note: null },
    ]);
    await tab.expectAccessible();
    await expectFit(page);
    await table.getByRole('button', { name: 'Delete Version 7' }).click();
    await page
      .getByRole('dialog', { name: 'Delete Version 7?' })
      .getByRole('button', { name: 'Delete' })
      .click();
    await table.waitFor({ state: 'detached' });
    expect(await chart.getAttribute('aria-label')).not.toContain('Version 7');
    expect(await procedure('getPlannedChanges')).toEqual([]);
    tab.expectQuiet();
  });

  test('a key without scope admin sees neither alerts nor actions', async () => {
    await using tab = await browser.open(app.url, tenant.write, { path: '/drift?stage=trial&feature=age' });
    const { page } = tab;
    await page.getByRole('dialog', { name: 'age' }).getByRole('table', { name: 'Bins' }).waitFor();
    for (const name of ['Mute', 'Acknowledge', 'Add planned change'])
      expect(await page.getByRole('button', { name, includeHidden: true }).count()).toBe(0);
    expect(await page.getByRole('heading', { name: 'Alerts', includeHidden: true }).count()).toBe(0);
    tab.expectQuiet();
  });

  test('a read key sees since when a feature drifts over all samples, and requests nothing that it may not read', async () => {
    for (let checks = 0; checks < 2; checks += 1) await procedure('triggerCheck', {});
    const alerts = await procedure<{ feature: string | null; since: string }[]>('getAlerts');
    const since = alerts.find(({ feature }) => feature === 'age')?.since ?? expect.fail('no alert');
    await using tab = await browser.open(app.url, tenant.read);
    const { page } = tab;
    // Ends the requests of the overview.
    await page.goto(`${app.url}/api/health`);
    const answers: Promise<{ errors?: unknown } | null>[] = [];
    page.on('requestfinished', (request) => {
      if (operationOf(request)) answers.push(request.response().then((response) => response?.json() ?? null));
    });
    await page.goto(`${app.url}/console/drift?feature=age`);
    const panel = page.getByRole('dialog', { name: 'age' });
    await panel.getByRole('table', { name: 'Bins' }).waitFor();
    const fact = panel.getByText('Drifted over all samples since').locator('..');
    expect(await fact.getByRole('time').getAttribute('datetime')).toBe(since);
    expect(await page.getByRole('heading', { name: 'Alerts', includeHidden: true }).count()).toBe(0);
    expect(await panel.getByRole('button', { name: 'Save' }).count()).toBe(0);
    await tab.expectAccessible();
    expect(answers.length).toBeGreaterThan(0);
    expect((await Promise.all(answers)).flatMap((answer) => answer?.errors ?? [])).toEqual([]);
    tab.expectQuiet();
  });

  test('performance by week is a table, or a sentence where the predictions are no probabilities', async () => {
    const rows = leads(400, 7);
    for (const set of ['reference', 'current'] as const)
      await sidecar.add(
        set,
        'price',
        rows.map((row) => ({ ...row, prediction: 5 })),
      );
    await using tab = await open('/drift?stage=trial');
    const { page } = tab;
    const { weeks } = await procedure<{ weeks: { rows: number; auc: number }[] }>(
      'getPerformance?stage=trial',
    );
    const table = page.getByRole('table', { name: 'Performance by week' });
    const row = table.getByRole('row').nth(1);
    await row.waitFor();
    expect(await table.getByRole('row').count()).toBe(weeks.length + 1);
    expect(await row.getByRole('cell').nth(1).textContent()).toBe(weeks.at(-1)?.rows.toLocaleString('en'));
    expect(await row.getByRole('cell').nth(5).textContent()).toBe(weeks.at(-1)?.auc.toFixed(3));
    await tab.goto('/drift?stage=price');
    await page.getByText('No performance: it requires probabilities as predictions').waitFor();
    expect(await table.count()).toBe(0);
    tab.expectQuiet();
  });

  test('the model is selected once there are two, and stays in the address', async () => {
    await using tab = await open('/drift?stage=trial');
    const { page } = tab;
    const select = page.getByRole('combobox', { name: 'Model' });
    await page.getByRole('table', { name: 'Features' }).waitFor();
    expect(await select.count()).toBe(0);
    for (const set of ['reference', 'current'] as const) {
      const body = { set, stage: 'lead', rows: leads(1_000, 8) };
      expect((await sidecar.request('POST', '/samples?model=churn', body)).status).toBe(200);
    }
    await page.reload();
    await select.click();
    await page.getByRole('option', { name: 'churn' }).click();
    await page.getByRole('tab', { name: 'lead' }).click();
    await page.getByRole('heading', { name: 'Stage lead', exact: true }).waitFor();
    const params = (shown: Page) => Object.fromEntries(new URL(shown.url()).searchParams);
    expect(params(page)).toEqual({ model: 'churn', stage: 'lead' });
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.getByRole('img', { name: /^Line chart of 1 check:/ }).waitFor();
    expect(await procedure('getHistory?model=churn&stage=lead')).toHaveLength(1);
    await page.reload();
    await page.getByRole('heading', { name: 'Stage lead', exact: true }).waitFor();
    await tab.expectAccessible();
    await page.getByRole('tab', { name: 'All samples' }).click();
    await select.click();
    await page.getByRole('option', { name: 'default' }).click();
    await page.getByRole('tab', { name: 'trial' }).waitFor();
    expect(params(page)).toEqual({});
    tab.expectQuiet();
  });
});
