import type { SampleRow, SampleSet } from '../sidecar/samples/samples.types.ts';
import { createRandom, type Random } from './seeded-random.ts';

const SEED = 7_310;

/** Stages of the demo funnel with the mean engagement of their leads, from 0 to 1. */
const STAGES = { visitor: 0.25, lead: 0.4, trial: 0.55, opportunity: 0.7 } as const;
export type DemoStage = keyof typeof STAGES;
export const DEMO_STAGES = Object.keys(STAGES) as DemoStage[];

/** The only stage whose current samples drift from the reference. */
export const SHIFTED_STAGE: DemoStage = 'trial';

/** Number of reference rows per stage. */
const REFERENCE_ROWS = 600;
/** Rounds of current samples: rows per stage, rows of the shifted stage, and the share of those from a campaign. */
const ROUNDS = [
  { rows: 240, shifted: 240, campaign: 0 },
  { rows: 200, shifted: 220, campaign: 0.35 },
  { rows: 400, shifted: 900, campaign: 1 },
] as const;

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
 * Generates a scored lead. Leads from the campaign come through a partner, visit rarely and convert less often than
 * predicted, because the reference contains few such leads.
 */
function scoredLead(random: Random, { engagement, campaign }: LeadTraits): SampleRow {
  const interest = about(random, engagement, 0.12);
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
    source: campaign ? 'partner' : source,
    industry: random.weighted(INDUSTRIES).name,
    region: random.weighted(REGIONS).name,
  };
  const prediction = rounded(Math.min(0.99, 0.1 + 0.6 * interest), 4);
  const outcome = random.chance(0.05)
    ? null
    : Number(random.chance(campaign ? 0.7 * prediction : prediction));
  return { features, prediction, outcome };
}

interface SamplesPlan {
  set: SampleSet;
  stage: DemoStage;
  /** 0 for the reference. */
  round: number;
  count: number;
  /** Share of leads from the campaign, from 0 to 1. */
  campaignShare: number;
}

function samplesOf({ set, stage, round, count, campaignShare }: SamplesPlan): DemoSamples {
  const random = createRandom(SEED + 1_000 * round + DEMO_STAGES.indexOf(stage));
  const rows = Array.from({ length: count }, () =>
    scoredLead(random, { engagement: STAGES[stage], campaign: random.chance(campaignShare) }),
  );
  return { set, stage, rows };
}

/** Returns the reference samples; the same on every call. */
export const demoReference = (): DemoSamples[] =>
  DEMO_STAGES.map((stage) =>
    samplesOf({ set: 'reference', stage, round: 0, count: REFERENCE_ROWS, campaignShare: 0 }),
  );

/** Returns the current samples in rounds, each followed by a check; the same on every call. */
export const demoRounds = (): DemoSamples[][] =>
  ROUNDS.map(({ rows, shifted, campaign }, index) =>
    DEMO_STAGES.map((stage) => {
      const isShifted = stage === SHIFTED_STAGE;
      return samplesOf({
        set: 'current',
        stage,
        round: index + 1,
        count: isShifted ? shifted : rows,
        campaignShare: isShifted ? campaign : 0,
      });
    }),
  );

export const DEMO_FEATURES: readonly string[] = Object.keys(
  scoredLead(createRandom(SEED), { engagement: 0.5, campaign: false }).features,
);
