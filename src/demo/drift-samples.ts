import type { SampleRow, SampleSet } from '../sidecar/samples/samples.types.ts';
import { createRandom, type Random } from './seeded-random.ts';

const SEED = 7_310;

/** Number of days of current samples; the last one is today. */
export const DEMO_DAYS = 14;

interface StagePlan {
  /** Mean engagement of the leads, from 0 to 1. */
  engagement: number;
  referenceRows: number;
  /** Number of current rows of the first day, including the rows of earlier days. */
  firstDayRows: number;
  /** Number of current rows of each later day. */
  dailyRows: number;
}

/** Stages of the demo funnel. `renewal` has too few current rows for a score. */
const STAGES = {
  visitor: { engagement: 0.25, referenceRows: 600, firstDayRows: 360, dailyRows: 60 },
  lead: { engagement: 0.4, referenceRows: 600, firstDayRows: 300, dailyRows: 50 },
  trial: { engagement: 0.55, referenceRows: 600, firstDayRows: 300, dailyRows: 40 },
  opportunity: { engagement: 0.7, referenceRows: 600, firstDayRows: 240, dailyRows: 40 },
  renewal: { engagement: 0.8, referenceRows: 60, firstDayRows: 11, dailyRows: 1 },
} as const satisfies Record<string, StagePlan>;
export type DemoStage = keyof typeof STAGES;
export const DEMO_STAGES = Object.keys(STAGES) as DemoStage[];

/** The only stage whose current samples drift from the reference, because of leads from a campaign. */
export const SHIFTED_STAGE: DemoStage = 'trial';
/** Leads from the campaign on each of the last days. */
const CAMPAIGN_ROWS = [80, 160, 220, 280, 300];

/** Body of `POST /samples`. */
export interface DemoSamples {
  set: SampleSet;
  stage: DemoStage;
  rows: SampleRow[];
}

/** Categories with their relative frequency. */
type Weighted = readonly [{ name: string; weight: number }, ...{ name: string; weight: number }[]];

const SOURCES: Weighted = [
  { name: 'search', weight: 40 },
  { name: 'advert', weight: 28 },
  { name: 'referral', weight: 22 },
  { name: 'partner', weight: 10 },
];
const INDUSTRIES: Weighted = [
  { name: 'services', weight: 34 },
  { name: 'retail', weight: 26 },
  { name: 'software', weight: 22 },
  { name: 'health', weight: 18 },
];
const REGIONS: Weighted = [
  { name: 'europe', weight: 48 },
  { name: 'americas', weight: 36 },
  { name: 'asia-pacific', weight: 16 },
];

/** Draws a number from a bell-shaped distribution, truncated at 0. */
const about = (random: Random, mean: number, spread: number): number => {
  const sum = random.between(-1, 1) + random.between(-1, 1) + random.between(-1, 1);
  return Math.max(0, mean + sum * spread);
};

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

interface LeadTraits {
  engagement: number;
  /** True for a lead from the campaign. */
  campaign: boolean;
}

/**
 * Generates a scored lead. Leads from the campaign come from a marketplace that the reference does not contain, visit
 * rarely, have slightly lower predictions, and convert less often than predicted.
 */
function scoredLead(random: Random, { engagement, campaign }: LeadTraits): SampleRow {
  const interest = about(random, campaign ? engagement - 0.08 : engagement, 0.12);
  const visits = about(random, 6 + 20 * interest, 4);
  const rareVisits = about(random, 1.5, 0.8);
  const source = random.weighted(SOURCES).name;
  const features = {
    visits_30d: rounded(campaign ? rareVisits : visits, 1),
    minutes_per_visit: rounded(about(random, 2 + 6 * interest, 1.2), 2),
    days_since_last_visit: rounded(about(random, 12 - 9 * engagement, 4), 1),
    emails_opened: rounded(about(random, 8 * interest, 1.5), 1),
    // Some leads do not state the size of their team.
    team_size: random.chance(0.08) ? null : Math.round(4 + about(random, 30, 18)),
    source: campaign ? 'marketplace' : source,
    industry: random.weighted(INDUSTRIES).name,
    region: random.weighted(REGIONS).name,
  };
  const prediction = rounded(Math.min(0.99, 0.1 + 0.6 * interest), 4);
  const outcome = random.chance(0.05)
    ? null
    : Number(random.chance(campaign ? 0.9 * prediction : prediction));
  return { features, prediction, outcome };
}

/** Returns the reference samples; the same on every call. */
export const demoReference = (): DemoSamples[] =>
  DEMO_STAGES.map((stage, index) => {
    const random = createRandom(SEED + index);
    const { engagement, referenceRows } = STAGES[stage];
    const rows = Array.from({ length: referenceRows }, () =>
      scoredLead(random, { engagement, campaign: false }),
    );
    return { set: 'reference', stage, rows };
  });

/**
 * Returns the current samples of a day; the same on every call.
 *
 * @param day 0 to `DEMO_DAYS - 1`
 */
export const demoDay = (day: number): DemoSamples[] =>
  DEMO_STAGES.map((stage, index) => {
    const random = createRandom(SEED + 1_000 * (day + 1) + index);
    const { engagement, firstDayRows, dailyRows } = STAGES[stage];
    const usual = day === 0 ? firstDayRows : dailyRows;
    const fromCampaign =
      stage === SHIFTED_STAGE ? (CAMPAIGN_ROWS[day - DEMO_DAYS + CAMPAIGN_ROWS.length] ?? 0) : 0;
    const rows = Array.from({ length: usual + fromCampaign }, (_, row) =>
      scoredLead(random, { engagement, campaign: row >= usual }),
    );
    return { set: 'current', stage, rows };
  });

/** Returns the current samples of all days by stage; the same on every call. */
export function demoCurrent(): DemoSamples[] {
  const days = Array.from({ length: DEMO_DAYS }, (_, day) => demoDay(day)).flat();
  return DEMO_STAGES.map((stage) => ({
    set: 'current',
    stage,
    rows: days.filter((samples) => samples.stage === stage).flatMap(({ rows }) => rows),
  }));
}

export const DEMO_FEATURES: readonly string[] = Object.keys(
  scoredLead(createRandom(SEED), { engagement: 0.5, campaign: false }).features,
);
