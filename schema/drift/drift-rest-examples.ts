/** Example bodies of the drift procedures, for their OpenAPI document. */

const AT = '2026-01-31T09:30:00.000Z';

const COMPONENTS = { features: 0.08, prediction: 0.05, outcome: 0.22 };
const detail = (noise: number, significant: boolean, reference: number, current: number) => ({
  noise,
  significant,
  noData: false,
  rowsNeeded: 0,
  coverage: { reference, current },
});
const COMPONENT_DETAILS = {
  features: detail(0.012, true, 0.99, 0.98),
  prediction: detail(0.017, true, 1, 1),
  outcome: detail(0.018, true, 0.95, 0.9),
};
const ROWS = { reference: 10_000, current: 2_500 };

const FEATURE_DRIFT = {
  feature: 'plan',
  score: 0.41,
  drifted: true,
  insufficientData: false,
  type: 'categorical',
  weight: 1,
  threshold: 0.2,
  rows: ROWS,
  noise: 0.012,
  significant: true,
  rowsNeeded: 0,
  coverage: { reference: 0.99, current: 0.98 },
  jensenShannon: 0.17,
  noData: false,
  newCategoryShare: 0.06,
  missing: { reference: 0.01, current: 0.02 },
  newCategories: { count: 1, names: ['enterprise'] },
  vanishedCategories: { count: 0, names: [] },
};

export const STATUS_EXAMPLE = {
  stage: null,
  isDrifted: true,
  driftScore: 0.22,
  threshold: 0.2,
  method: 'psi',
  lastChecked: AT,
  components: COMPONENTS,
  componentDetails: COMPONENT_DETAILS,
  insufficientData: false,
  rows: ROWS,
  reference: 'fixed',
  featureDrifts: [FEATURE_DRIFT],
};

/** Returns the bin of a category. */
const categoryBin = (category: string, counts: object) => ({
  lower: null,
  upper: null,
  category,
  missing: false,
  ...counts,
});

export const FEATURE_EXAMPLE = {
  ...FEATURE_DRIFT,
  bins: [
    categoryBin('enterprise', {
      reference: { count: 0, share: 0 },
      current: { count: 150, share: 0.06 },
      contribution: 0.38,
    }),
    categoryBin('team', {
      reference: { count: 9_900, share: 0.99 },
      current: { count: 2_300, share: 0.92 },
      contribution: 0.03,
    }),
  ],
  otherCategories: null,
  wasserstein: null,
  outOfRange: null,
};

export const STAGES_EXAMPLE = [{ stage: 'trial', rows: ROWS }];

export const HISTORY_EXAMPLE = [
  {
    id: '665f1d40b8e4d3a1f0c9b822',
    driftScore: 0.22,
    isDrifted: true,
    method: 'psi',
    stage: 'trial',
    checkedAt: AT,
    components: COMPONENTS,
    componentDetails: COMPONENT_DETAILS,
    insufficientData: false,
    rows: ROWS,
    reference: 'fixed',
    featureScore: null,
  },
];

export const CHECK_EXAMPLE = {
  success: true,
  driftScore: 0.22,
  isDrifted: true,
  threshold: 0.2,
  components: COMPONENTS,
  componentDetails: COMPONENT_DETAILS,
  insufficientData: false,
  rows: ROWS,
  reference: 'fixed',
  at: null,
};

export const FEATURE_SETTINGS_EXAMPLE = [
  { feature: 'plan', weight: 3, threshold: 0.1 },
  { feature: 'residual', weight: 1, threshold: 0.15 },
];

export const ALERT_EXAMPLE = {
  id: '665f1d40b8e4d3a1f0c9b830',
  model: 'default',
  scope: 'stage',
  stage: 'trial',
  feature: null,
  status: 'acknowledged',
  since: AT,
  clearedAt: null,
  score: 0.31,
  threshold: 0.2,
  features: [
    {
      feature: 'plan',
      score: 0.41,
      threshold: 0.2,
      bin: FEATURE_EXAMPLE.bins[0],
      exampleIds: ['lead-4711', 'lead-4722'],
    },
  ],
  acknowledgement: { note: 'New pricing; retraining is planned.', until: null, at: AT },
  remindedAt: null,
};

export const MUTE_EXAMPLE = {
  id: '665f1d40b8e4d3a1f0c9b831',
  model: 'default',
  stage: null,
  feature: 'plan',
  note: 'New plan since January',
  until: null,
  createdAt: AT,
};

export const PLANNED_CHANGE_EXAMPLE = {
  id: '665f1d40b8e4d3a1f0c9b832',
  model: 'default',
  stage: null,
  type: 'campaign',
  title: 'Spring campaign',
  note: null,
  startsAt: '2026-03-01T00:00:00.000Z',
  endsAt: '2026-03-31T00:00:00.000Z',
  createdAt: AT,
};

export const PERFORMANCE_EXAMPLE = {
  isProbabilistic: true,
  weeks: [
    {
      week: '2026-01-26T00:00:00.000Z',
      rows: 2_500,
      outcomes: 1_800,
      calibrationError: 0.04,
      auc: 0.81,
      accuracy: 0.77,
      estimatedAccuracy: 0.79,
    },
  ],
};
