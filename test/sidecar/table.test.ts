import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import cases from '../unit/sidecar/psi-cases.json' with { type: 'json' };
import reports from '../unit/sidecar/report-cases.json' with { type: 'json' };
import {
  type Feature,
  type FeatureBins,
  type Report,
  type Row,
  startTestSidecar,
  type TestSidecar,
  type ValueComparison,
} from './support.ts';

/* The tables are computed by numpy, independently of the service (psi_cases.py). */

let sidecar: TestSidecar;
beforeAll(async () => {
  sidecar = await startTestSidecar();
});
afterAll(() => sidecar.stop());

/** Relative to the magnitude, because edges reach 1e299. */
const isClose = (found: number, expected: number): boolean =>
  Math.abs(found - expected) <= 1e-9 * Math.max(1, Math.abs(expected));

function expectClose(found: number | null | undefined, expected: number | null, label: string): void {
  if (expected === null || found == null) expect(found, label).toBe(expected);
  else expect(isClose(found, expected), `${label}: ${found} instead of ${expected}`).toBe(true);
}

describe('a feature matches the table with its bins', () => {
  test.each(cases)(
    '$name',
    async ({ name, reference, current, edges, bins, psi, noise, insufficientData, ...more }) => {
      const rows = (values: readonly (number | string | null)[]): Row[] =>
        values.map((x) => ({ features: { x }, prediction: 0 }));
      await sidecar.add('reference', name, rows(reference));
      await sidecar.add('current', name, rows(current));
      const { status, body } = await sidecar.request<Feature & FeatureBins & ValueComparison>(
        'GET',
        `/drift/feature?feature=x&stage=${encodeURIComponent(name)}`,
      );
      expect(status).toBe(200);
      const { largestBin, ...checked }: Partial<Feature & { largestBin: unknown }> =
        (await sidecar.check(name)).featureDrifts.find(({ feature }) => feature === 'x') ?? {};
      const { bins: found, otherCategories, wasserstein, outOfRange, ...feature } = body;
      expect(feature).toEqual(checked);
      if (largestBin) expect(found).toContainEqual(largestBin);
      expectClose(feature.score, psi, 'score');
      expectClose(feature.jensenShannon, more.jensenShannon, 'Jensen-Shannon distance');
      expectClose(wasserstein, more.wasserstein, 'Wasserstein distance');
      expectClose(outOfRange, more.outOfRange, 'share out of range');
      const isEmpty = (values: readonly unknown[]) => values.every((value) => value === null);
      expect(feature.noData).toBe(isEmpty(reference) || isEmpty(current));
      expect(otherCategories).toBeNull();
      expect(feature.insufficientData).toBe(insufficientData || undefined);
      expect(feature.significant).toBe(psi > noise && Math.min(reference.length, current.length) >= 30);
      expect(feature.drifted).toBe(psi > Math.max(0.2, noise) && !insufficientData);
      expect(feature.rowsNeeded > 0).toBe(insufficientData);

      const share = (values: readonly unknown[]) =>
        values.filter((value) => value === null).length / values.length;
      expect(feature.missing).toEqual({ reference: share(reference), current: share(current) });
      const numbers = [...reference, ...current].some((value) => typeof value === 'number');
      expect(feature.type).toBe(numbers ? 'numeric' : 'categorical');

      expect(found.map(({ contribution }) => contribution)).toEqual(
        found.map(({ contribution }) => contribution).sort((a, b) => b - a),
      );
      const ascending = found
        .filter(({ category, missing }) => category === null && !missing)
        .sort((a, b) => (a.lower ?? -Infinity) - (b.lower ?? -Infinity));
      ascending.forEach(({ lower, upper }, index) => {
        expectClose(lower, edges[index - 1] ?? null, `lower edge ${index}`);
        expectClose(upper, edges[index] ?? null, `upper edge ${index}`);
      });
      const nameOf = (bin: (typeof found)[number]): string => {
        if (bin.missing) return 'missing';
        return bin.category === null ? `bin ${ascending.indexOf(bin)}` : `category ${bin.category}`;
      };
      const byName = new Map(found.map((bin) => [nameOf(bin), bin]));
      expect([...byName.keys()].sort()).toEqual(bins.map(([bin]) => String(bin)).sort());
      for (const [bin, before, now, contribution] of bins) {
        const match = byName.get(String(bin));
        expect(match?.reference).toEqual({ count: before, share: Number(before) / reference.length });
        expect(match?.current).toEqual({ count: now, share: Number(now) / current.length });
        expectClose(match?.contribution, Number(contribution), String(bin));
      }
    },
  );
});

describe('a check matches the table with its components', () => {
  test.each(reports)('$name', async ({ name, settings, rows, scores, noise, components, ...expected }) => {
    type Columns = (typeof expected)['reference'];
    const rowsOf = ({ features, prediction, outcome }: Columns): Row[] =>
      prediction.map((value, index) => ({
        features: Object.fromEntries(
          Object.entries(features).map(([feature, values]) => [feature, values[index] ?? null]),
        ),
        prediction: value,
        outcome: outcome[index] ?? null,
      }));
    await sidecar.add('reference', name, rowsOf(expected.reference));
    await sidecar.add('current', name, rowsOf(expected.current));
    expect((await sidecar.request('PUT', '/drift/features', { features: settings })).status).toBe(200);
    const checked: Report = await sidecar.check(name);
    const { body: status } = await sidecar.request<Report>(
      'GET',
      `/drift/status?stage=${encodeURIComponent(name)}`,
    );
    for (const report of [checked, status]) {
      expect(report.rows).toEqual(rows);
      expect(report.insufficientData).toBe(expected.insufficientData);
      expectClose(report.components.features, components.features, 'features');
      expectClose(report.components.prediction, components.prediction, 'prediction');
      expectClose(report.components.outcome, components.outcome, 'outcome');
      expectClose(report.driftScore, expected.driftScore, 'score');
      expect(report.isDrifted).toBe(expected.driftScore > 0.2);
      expect(report.featureDrifts.map(({ feature }) => feature)).toEqual(Object.keys(scores));
      for (const { feature, score, significant } of report.featureDrifts) {
        const expectedScore = scores[feature as keyof typeof scores];
        expectClose(score, expectedScore, feature);
        const isAbove = expectedScore > noise[feature as keyof typeof noise];
        expect(significant, feature).toBe(isAbove && Math.min(rows.reference, rows.current) >= 30);
      }
      expect(report.featureDrifts.filter(({ drifted }) => drifted).map(({ feature }) => feature)).toEqual(
        expected.drifted,
      );
    }
  });
});
