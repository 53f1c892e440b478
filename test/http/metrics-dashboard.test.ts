import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, startApp, type TestApp } from '../support/app.ts';
import { type Page, readMetrics } from '../support/metrics.ts';

interface Panel {
  id: number;
  type: string;
  title: string;
  description?: string;
  datasource?: { uid: string };
  gridPos: { x: number; y: number; w: number; h: number };
  fieldConfig?: { defaults: { unit?: string } };
  targets?: { expr: string; datasource: { uid: string } }[];
}

interface Dashboard {
  __inputs: { name: string; type: string; pluginId: string }[];
  panels: Panel[];
  templating: { list: { query: { query: string } }[] };
}

const DOCS = join(import.meta.dirname, '../../docs');
/** Names that Grafana substitutes or that PromQL defines. */
const METRIC = /\b(?:engagement|nodejs|process)_\w+/g;
/** Labels that Prometheus adds. */
const OF_PROMETHEUS = ['instance', 'job'];
/** Metrics that only the primary of several workers has. */
const OF_PRIMARY = ['engagement_workers', 'engagement_worker_restarts_total'];
/** Series of a histogram. */
const base = (name: string) => name.replace(/_(?:bucket|sum|count)$/, '');

let app: TestApp;
let page: Page;
let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = JSON.parse(await readFile(join(DOCS, 'grafana-dashboard.json'), 'utf8'));
  // The series of the proxy and of the time of a drift check exist only with one; nothing is sent to it.
  app = await startApp({ OUTBOUND_PROXY: 'http://127.0.0.1:9', ML_SIDECAR_URL: 'http://127.0.0.1:9' });
  await app.request('GET', '/api/health');
  // What is read from the database is left out while that responds too late.
  const stored = [
    'webhook_queue_depth',
    'webhook_oldest_due_age_seconds',
    'drift_detected',
    'drift_checked_timestamp_seconds',
    'audit_findings',
    'meeting_syncs_recent',
  ];
  page = await eventually(async () => {
    const read = await readMetrics(app);
    return stored.every((name) => read.value(`engagement_${name}`) !== undefined) && read;
  });
});
afterAll(() => app.stop());

const queries = () => [
  ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ...dashboard.templating.list.map(({ query }) => query.query),
];

/** Every label that a query selects or groups by, with the metric that it is of where it selects. */
const selectors = (query: string) =>
  [...query.matchAll(/\b((?:engagement|nodejs|process)_\w+)\{([^}]*)\}/g)].map(
    ([, name = '', inner = '']) => ({
      name: base(name),
      labels: [...inner.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
    }),
  );

describe('the dashboard', () => {
  test('queries only metrics and labels that the service exports', () => {
    for (const query of queries()) {
      const names = query.match(METRIC) ?? [];
      expect(names.length).toBeGreaterThan(0);
      for (const name of names) expect(page.names).toContain(base(name));
      for (const { name, labels } of selectors(query)) {
        const samples = page.samples.filter((sample) => base(sample.name) === name || sample.name === name);
        for (const label of labels.filter((own) => !OF_PROMETHEUS.includes(own)))
          expect([name, samples.some((sample) => label in sample.labels) && label]).toEqual([name, label]);
      }
    }
  });

  test('shows every metric of the service', () => {
    const shown = new Set(queries().flatMap((query) => (query.match(METRIC) ?? []).map(base)));
    const ours = page.names.filter((name) => name.startsWith('engagement_'));
    expect(ours.filter((name) => !shown.has(name))).toEqual([]);
  });

  test('takes its data source as an import parameter', () => {
    expect(dashboard.__inputs).toMatchObject([
      { name: 'DS_PROMETHEUS', type: 'datasource', pluginId: 'prometheus' },
    ]);
    for (const { datasource, targets = [] } of dashboard.panels.filter(({ type }) => type !== 'row'))
      for (const source of [datasource, ...targets.map((target) => target.datasource)])
        expect(source?.uid).toMatch(/^\$\{DS_PROMETHEUS\}$/);
  });

  test('has a description, a unit and a position for each panel', () => {
    const panels = dashboard.panels.filter(({ type }) => type !== 'row');
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    for (const { description, fieldConfig, targets = [] } of panels) {
      expect(description).toMatch(/\w.*\.$/);
      expect(fieldConfig?.defaults.unit).toMatch(/\w/);
      expect(targets.length).toBeGreaterThan(0);
    }
    const taken = new Set<string>();
    for (const { title, gridPos } of dashboard.panels)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect([title, x < 24, taken.has(`${x} ${y}`)]).toEqual([title, true, false]);
          taken.add(`${x} ${y}`);
        }
  });
});

test('the operations page has a row for every metric of the service, and none for another', async () => {
  const text = await readFile(join(DOCS, 'operations.md'), 'utf8');
  const documented = new Set(
    [...text.matchAll(/^\| (`engagement_.+?) \|/gm)].flatMap(([, names = '']) => names.match(METRIC) ?? []),
  );
  const ours = page.names.filter((name) => name.startsWith('engagement_'));
  expect(ours.filter((name) => !documented.has(name))).toEqual([]);
  expect([...documented].filter((name) => !page.names.includes(name))).toEqual([]);
});

test('the alerts of the operations page query existing metrics', async () => {
  const text = await readFile(join(DOCS, 'operations.md'), 'utf8');
  const rules = [...text.matchAll(/expr: (.+)/g)].map(([, expr = '']) => expr);
  expect(rules.length).toBeGreaterThan(4);
  for (const rule of rules) {
    const names = rule.match(METRIC) ?? [];
    for (const name of names) expect([...page.names, ...OF_PRIMARY]).toContain(base(name));
    for (const { name, labels } of selectors(rule)) {
      const samples = page.samples.filter((sample) => base(sample.name) === name || sample.name === name);
      for (const label of labels.filter((own) => !OF_PROMETHEUS.includes(own)))
        expect([name, samples.some((sample) => label in sample.labels) && label]).toEqual([name, label]);
    }
    expect(names.length + (/\bup\{/.exec(rule)?.length ?? 0)).toBeGreaterThan(0);
  }
});

test('the alerts of the operations page have a series from the start of a process on, whatever has happened', async () => {
  const text = await readFile(join(DOCS, 'operations.md'), 'utf8');
  for (const [, rule = ''] of text.matchAll(/expr: (.+)/g)) {
    const selected = [...rule.matchAll(/\b((?:engagement|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)];
    for (const [, name = '', labels = ''] of selected.filter(([, name = '']) => !OF_PRIMARY.includes(name))) {
      const wanted = [...labels.matchAll(/(\w+)(=~?)"([^"]*)"/g)].filter(
        ([, label = '']) => !OF_PROMETHEUS.includes(label),
      );
      const isSelected = (sample: Page['samples'][number]) =>
        sample.name === name &&
        wanted.every(([, label = '', , value = '']) =>
          new RegExp(`^(?:${value})$`).test(sample.labels[label] ?? ''),
        );
      expect([rule, page.samples.some(isSelected)]).toEqual([rule, true]);
    }
  }
});

test('no alert of the operations page leaves out the value 0 of a time that has not come', async () => {
  const text = await readFile(join(DOCS, 'operations.md'), 'utf8');
  const ages = [...text.matchAll(/expr: (time\(\).+)/g)].map(([, rule = '']) => rule);
  expect(ages).toHaveLength(2);
  for (const rule of ages) expect(rule).toMatch(/^time\(\) - min\(\w+\) > /);
});

test('the runbook names every alert', async () => {
  const text = await readFile(join(DOCS, 'operations.md'), 'utf8');
  const runbook = text.split('\n## Runbook\n')[1]?.split('\n## ')[0] ?? '';
  const alerts = [...text.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
  expect(alerts.length).toBeGreaterThan(4);
  expect(alerts.filter((name) => !runbook.includes(`\`${name}\``))).toEqual([]);
});
