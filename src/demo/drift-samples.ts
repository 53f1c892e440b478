import type { SampleRow, SampleSet } from '../sidecar/samples/samples.types.ts';
import { createRandom, type Random } from './random.ts';

const SEED = 7_310;

/** Stages of the demo's funnel, each with how engaged its people are, 0 to 1. */
const STAGES = { visitor: 0.25, lead: 0.4, trial: 0.55, opportunity: 0.7 } as const;
export type DemoStage = keyof typeof STAGES;
export const DEMO_STAGES = Object.keys(STAGES) as DemoStage[];

/** The stage in which the world has moved away from the model; in the others it has not. */
export const SHIFTED_STAGE: DemoStage = 'trial';

/** Rows of a stage that the model was made with. */
const REFERENCE_ROWS = 600;
/**
 * What it sees since then, a round after the other: rows of a stage, those of the shifted one, and which share of these
 * a campaign has brought.
 */
const ROUNDS = [
  { rows: 240, shifted: 240, campaign: 0 },
  { rows: 200, shifted: 220, campaign: 0.35 },
  { rows: 400, shifted: 900, campaign: 1 },
] as const;

/** Rows as `POST /samples` takes them. */
export interface DemoSamples {
  set: SampleSet;
  stage: DemoStage;
  rows: SampleRow[];
}

/** Categories, each as often as its weight says. */
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

/** A number of a bell-shaped distribution, never below 0. */
const about = (random: Random, mean: number, spread: number): number => {
  const sum = random.between(-1, 1) + random.between(-1, 1) + random.between(-1, 1);
  return Math.max(0, mean + sum * spread);
};

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

/**
 * A scored person. Somebody whom the campaign has brought comes through a partner, visits seldom and stays away more
 * often than the model thinks, which has hardly seen anybody like that.
 */
function scored(random: Random, engagement: number, campaign: boolean): SampleRow {
  const interest = about(random, engagement, 0.12);
  const visits = about(random, 6 + 20 * interest, 4);
  const seldom = about(random, 1.5, 0.8);
  const source = random.weighted(SOURCES).name;
  const features = {
    visits_30d: rounded(campaign ? seldom : visits, 1),
    minutes_per_visit: rounded(about(random, 2 + 6 * interest, 1.2), 2),
    days_since_last_visit: rounded(about(random, 12 - 9 * engagement, 4), 1),
    emails_opened: rounded(about(random, 8 * interest, 1.5), 1),
    // Not everybody says how large the company is.
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

function samplesOf(
  set: SampleSet,
  stage: DemoStage,
  round: number,
  count: number,
  campaign: number,
): DemoSamples {
  const random = createRandom(SEED + 1_000 * round + DEMO_STAGES.indexOf(stage));
  const rows = Array.from({ length: count }, () => scored(random, STAGES[stage], random.chance(campaign)));
  return { set, stage, rows };
}

/** What the model was made with: the same every time. */
export const demoReference = (): DemoSamples[] =>
  DEMO_STAGES.map((stage) => samplesOf('reference', stage, 0, REFERENCE_ROWS, 0));

/** What it has seen since, in rounds after each of which it is checked: the same every time. */
export const demoRounds = (): DemoSamples[][] =>
  ROUNDS.map(({ rows, shifted, campaign }, index) =>
    DEMO_STAGES.map((stage) =>
      stage === SHIFTED_STAGE
        ? samplesOf('current', stage, index + 1, shifted, campaign)
        : samplesOf('current', stage, index + 1, rows, 0),
    ),
  );

/** What the demo's rows name. */
export const DEMO_FEATURES: readonly string[] = Object.keys(scored(createRandom(SEED), 0.5, false).features);
