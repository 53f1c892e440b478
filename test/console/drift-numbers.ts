import type { Page } from 'playwright-core';
import type { TestApp } from '../support/app.ts';

/*
 * The numbers of the drift page as the API has them, in the order of the page. Formatted here once more, so that a
 * mistake of the console is not repeated.
 */

interface Counts {
  reference: number;
  current: number;
}

interface CategoryChange {
  count: number;
  names: string[];
}

export interface ApiFeature {
  feature: string;
  score: number;
  drifted: boolean;
  insufficientData: boolean;
  type: string | null;
  weight: number | null;
  threshold: number | null;
  rows: Counts | null;
  missing: Counts | null;
  noise: number | null;
  rowsNeeded: number | null;
  noData: boolean | null;
  newCategoryShare: number | null;
  newCategories: CategoryChange | null;
  vanishedCategories: CategoryChange | null;
}

export interface ApiBin {
  lower: number | null;
  upper: number | null;
  category: string | null;
  reference: { count: number; share: number };
  current: { count: number; share: number };
  contribution: number;
}

export interface ApiFeatureDetails extends ApiFeature {
  coverage: Counts | null;
  jensenShannon: number | null;
  wasserstein: number | null;
  outOfRange: number | null;
  bins: ApiBin[];
  otherCategories: { count: number; contribution: number } | null;
}

interface Components {
  features: number | null;
  prediction: number | null;
  outcome: number | null;
}

interface ComponentDetail {
  noise: number;
  significant: boolean;
  rowsNeeded: number;
  coverage: Counts;
}

type ComponentDetails = Record<keyof Components, ComponentDetail | null>;

export interface ApiStatus {
  isDrifted: boolean;
  driftScore: number;
  threshold: number;
  insufficientData: boolean;
  components: Components | null;
  componentDetails: ComponentDetails | null;
  rows: Counts | null;
  featureDrifts: ApiFeature[];
}

export interface ApiCheck {
  driftScore: number;
  isDrifted: boolean;
  insufficientData: boolean;
  checkedAt: string;
  components: Components | null;
  rows: Counts | null;
  featureScore: number | null;
}

export interface ApiWeek {
  rows: number;
  outcomes: number;
  accuracy: number | null;
  estimatedAccuracy: number | null;
  auc: number | null;
  calibrationError: number | null;
}

const FEATURE = `feature score drifted insufficientData type weight threshold rows { reference current }
  missing { reference current } newCategories { count names } vanishedCategories { count names }
  noise rowsNeeded noData newCategoryShare`;
const DETAIL = '{ noise significant rowsNeeded coverage { reference current } }';
const CHECK =
  'isDrifted driftScore insufficientData components { features prediction outcome } rows { reference current }';

export interface Scope {
  stage: string | null;
}

async function ask<T>(app: TestApp, query: string, variables: Record<string, unknown>): Promise<T> {
  const { body } = await app.graphql(query, variables, app.admin);
  const { data, errors } = body as { data?: T; errors?: unknown };
  if (!data || errors) throw new Error(JSON.stringify(errors));
  return data;
}

/** Status, history and weeks of performance of all samples or a stage, from the API. */
export async function apiDrift(
  app: TestApp,
  { stage }: Scope,
): Promise<{ status: ApiStatus; history: ApiCheck[]; weeks: ApiWeek[] }> {
  const { driftStatus, driftHistory, driftPerformance } = await ask<{
    driftStatus: ApiStatus;
    driftHistory: ApiCheck[];
    driftPerformance: { weeks: ApiWeek[] };
  }>(
    app,
    `query ($stage: String, $overall: Boolean) {
       driftStatus(stage: $stage) {
         ${CHECK} threshold featureDrifts { ${FEATURE} }
         componentDetails { features ${DETAIL} prediction ${DETAIL} outcome ${DETAIL} }
       }
       driftHistory(stage: $stage, overall: $overall, limit: 200) { ${CHECK} checkedAt }
       driftPerformance(stage: $stage) {
         weeks { rows outcomes accuracy estimatedAccuracy auc calibrationError }
       }
     }`,
    { stage, overall: stage === null },
  );
  return { status: driftStatus, history: driftHistory, weeks: driftPerformance.weeks };
}

/** A feature and its scores over time, from the API. */
export async function apiFeature(
  app: TestApp,
  { stage, feature }: Scope & { feature: string },
): Promise<{ details: ApiFeatureDetails; history: ApiCheck[] }> {
  const { driftFeature, driftHistory } = await ask<{
    driftFeature: ApiFeatureDetails;
    driftHistory: ApiCheck[];
  }>(
    app,
    `query ($feature: String!, $stage: String, $overall: Boolean) {
       driftFeature(feature: $feature, stage: $stage) {
         ${FEATURE} coverage { reference current } jensenShannon wasserstein outOfRange
         otherCategories { count contribution }
         bins { lower upper category reference { count share } current { count share } contribution }
       }
       driftHistory(stage: $stage, overall: $overall, feature: $feature, limit: 200) {
         ${CHECK} checkedAt featureScore
       }
     }`,
    { stage, feature, overall: stage === null },
  );
  return { details: driftFeature, history: driftHistory };
}

export const score = (value: number): string => value.toFixed(3);
const optionalScore = (value: number | null | undefined): string[] => (value == null ? [] : [score(value)]);
const count = (value: number): string => value.toLocaleString('en');
const share = (value: number): string =>
  value.toLocaleString('en', { style: 'percent', maximumFractionDigits: 1 });
const edge = (value: number): string =>
  Number.isInteger(value) ? count(value) : value.toLocaleString('en', { maximumSignificantDigits: 6 });
const time = (at: string): string[] =>
  numbersIn(new Date(at).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'long' }));
const pair = (values: Counts | null, format: (value: number) => string): string[] =>
  values ? [format(values.reference), format(values.current)] : [];

/** The numbers in a text, with their thousands separators and percent signs. */
const numbersIn = (text: string): string[] => text.match(/-?\d[\d,]*(\.\d+)?%?/g) ?? [];

/** The numbers of an element in their order, without charts, which have a table, and relative times. */
export async function shownNumbers(page: Page, selector: string): Promise<string[]> {
  const text = await page.evaluate(`(() => {
    const copy = document.querySelector(${JSON.stringify(selector)}).cloneNode(true);
    for (const part of copy.querySelectorAll('svg, time, style')) part.remove();
    const walker = document.createTreeWalker(copy, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode.data);
  
    return texts.join('\\n');
  })()`);
  return numbersIn(String(text));
}

export const byScore = (features: readonly ApiFeature[]): ApiFeature[] =>
  features.toSorted((a, b) => b.score - a.score || a.feature.localeCompare(b.feature));

const categoryCounts = ({ newCategories, vanishedCategories }: ApiFeature): string[] =>
  [newCategories, vanishedCategories].flatMap((change) => (change?.count ? [count(change.count)] : []));

const componentNumbers = (
  components: Components | null,
  details: ComponentDetails | null,
  name: keyof Components,
): string[] => {
  const detail = details?.[name];
  return [
    ...optionalScore(components?.[name]),
    ...(components && detail
      ? [
          score(detail.noise),
          ...(detail.rowsNeeded > 0 ? [count(detail.rowsNeeded)] : []),
          ...pair(detail.coverage, share),
        ]
      : []),
  ];
};

/** Rows that a component lacks at most, beside the minimum for PSI. */
function missingRowsNumbers({ rows, componentDetails }: ApiStatus): string[] {
  const isSmall = !rows || rows.reference < 30 || rows.current < 30;
  const needed = Math.max(
    0,
    ...Object.values(componentDetails ?? {}).map((detail) => detail?.rowsNeeded ?? 0),
  );
  return [...(isSmall ? ['30'] : []), ...(needed > 0 ? [count(needed)] : [])];
}

/** Numbers of the findings of data quality of one feature. */
function qualityNumbers(feature: ApiFeature & { outOfRange?: number | null }): string[] {
  const { noData, missing, newCategoryShare, newCategories, outOfRange } = feature;
  if (noData) return [];
  return [
    ...(missing && missing.current - missing.reference >= 0.01
      ? [share(missing.current), share(missing.reference)]
      : []),
    ...(newCategoryShare ? [share(newCategoryShare), count(newCategories?.count ?? 0)] : []),
    ...(outOfRange ? [share(outOfRange)] : []),
  ];
}

const neededNumbers = ({ insufficientData, rowsNeeded }: ApiFeature): string[] =>
  insufficientData && rowsNeeded ? [count(rowsNeeded)] : [];

/** Every number that the page shows of this status, history and performance, with the history's table open. */
export function expectedNumbers(
  status: ApiStatus,
  history: readonly ApiCheck[],
  weeks: readonly ApiWeek[] = [],
): string[] {
  const { driftScore, threshold, insufficientData, isDrifted, components, rows, featureDrifts } = status;
  const drifted = featureDrifts.filter((feature) => feature.drifted).length;
  const highest = Math.max(
    threshold,
    ...featureDrifts.flatMap((drift) => [drift.score, drift.threshold ?? 0]),
  );
  return [
    ...(insufficientData
      ? missingRowsNumbers(status)
      : [
          score(driftScore),
          String(threshold),
          '0',
          ...(highest > 1 ? [score(highest), '1', score(highest), '1'] : ['1']),
        ]),
    ...(!isDrifted && drifted > 0 ? [count(drifted)] : []),
    ...componentNumbers(components, status.componentDetails, 'features'),
    ...componentNumbers(components, status.componentDetails, 'prediction'),
    ...componentNumbers(components, status.componentDetails, 'outcome'),
    ...pair(rows, count),
    count(history.length),
    ...history.flatMap((check) => [
      score(check.driftScore),
      ...optionalScore(check.components?.features),
      ...optionalScore(check.components?.prediction),
      ...optionalScore(check.components?.outcome),
      ...pair(check.rows, count),
    ]),
    ...featureDrifts
      .filter((feature) => feature.noData || qualityNumbers(feature).length > 0)
      .slice(0, 5)
      .flatMap(qualityNumbers),
    ...byScore(featureDrifts).flatMap((feature) => [
      score(feature.score),
      ...neededNumbers(feature),
      ...optionalScore(feature.noise),
      ...(feature.threshold === null ? [] : [String(feature.threshold)]),
      ...(feature.weight === null ? [] : [String(feature.weight)]),
      ...pair(feature.missing, share),
      ...categoryCounts(feature),
    ]),
    ...weeks
      .toReversed()
      .flatMap(({ rows: compared, outcomes, accuracy, estimatedAccuracy, auc, calibrationError }) => [
        ...[count(compared), count(outcomes)],
        ...[accuracy, estimatedAccuracy].flatMap((value) => (value === null ? [] : [share(value)])),
        ...optionalScore(auc),
        ...optionalScore(calibrationError),
      ]),
  ];
}

/** Every number that the panel of a feature shows, with the history's table open. */
export function expectedFeatureNumbers(
  { details, history }: Awaited<ReturnType<typeof apiFeature>>,
  generalThreshold: number,
): string[] {
  const { threshold, weight, rows, missing, bins, otherCategories } = details;
  const scored = history.flatMap(({ checkedAt, featureScore }) =>
    featureScore === null ? [] : [[...time(checkedAt), score(featureScore)]],
  );
  return [
    score(details.score),
    String(threshold),
    ...optionalScore(details.noise),
    ...neededNumbers(details),
    ...(weight === null ? [] : [String(weight)]),
    ...pair(rows, count),
    ...pair(missing, share),
    ...pair(details.coverage, share),
    ...optionalScore(details.jensenShannon),
    ...optionalScore(details.wasserstein),
    ...[details.outOfRange, details.newCategoryShare].flatMap((value) =>
      value === null ? [] : [share(value)],
    ),
    ...categoryCounts(details),
    ...qualityNumbers(details),
    ...bins.flatMap((bin) => [
      ...[bin.lower, bin.upper].flatMap((value) => (value === null ? [] : [edge(value)])),
      score(bin.contribution),
      ...[bin.reference, bin.current].flatMap((part) => [share(part.share), count(part.count)]),
    ]),
    ...(otherCategories ? [count(otherCategories.count), score(otherCategories.contribution)] : []),
    count(scored.length),
    ...scored.flat(),
    // The description of the weight, which the prediction and the residual do not have.
    ...(weight === null ? [] : ['0']),
    String(generalThreshold),
  ];
}
