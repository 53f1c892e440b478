import type {
  DriftBin as BinShape,
  CategoryChange as ChangeShape,
  BinCount as CountShape,
  DriftFeatureDetail as DetailShape,
  FEATURE_TYPES,
  FeatureDrift as FeatureShape,
  OtherCategories as OtherShape,
} from '../../src/features/drift/drift.types.ts';
import { builder } from '../builder.ts';
import { COMPARED_ROWS, SampleShares, UNLESS_REPORTED } from './drift.types.ts';
import { DRIFT_SURFACES } from './drift-routes.ts';

const FeatureType = builder.enumType('FeatureType', {
  subGraphs: DRIFT_SURFACES,
  description: 'Type of the values of a feature.',
  values: {
    numeric: { description: 'At least one set has a number.' },
    categorical: { description: 'Strings only.' },
  } satisfies Record<(typeof FEATURE_TYPES)[number], object>,
});

const CategoryChange = builder.objectRef<ChangeShape>('CategoryChange').implement({
  subGraphs: DRIFT_SURFACES,
  description: 'Categories that only one of the sets has.',
  fields: (t) => ({
    count: t.exposeInt('count', { description: 'Number of categories.' }),
    names: t.exposeStringList('names', {
      description: 'At most ten of them, most frequent first, each cut to 100 characters.',
    }),
  }),
});

type FieldBuilder = PothosSchemaTypes.ObjectFieldBuilder<typeof builder.$inferSchemaTypes, FeatureShape>;

const featureFields = (t: FieldBuilder) => ({
  feature: t.exposeString('feature', {
    description: 'Name of the feature; `prediction` and `residual` are included.',
  }),
  score: t.exposeFloat('score', {
    description: 'Population Stability Index of the feature; can exceed 1.',
  }),
  drifted: t.exposeBoolean('drifted', {
    description: 'True if the score exceeds the threshold and the noise floor.',
  }),
  insufficientData: t.exposeBoolean('insufficientData', {
    description:
      'True if there are too few rows for a verdict: a set has fewer than 30, or the noise floor is above the threshold and above the score. The feature is then not drifted and adds 0 to the overall score.',
  }),
  type: t.expose('type', {
    type: FeatureType,
    nullable: true,
    description: `Type of its values; ${UNLESS_REPORTED}`,
  }),
  weight: t.exposeFloat('weight', {
    nullable: true,
    description:
      'Weight in the mean of the features; null for `prediction` and `residual`, and if the sidecar does not report it.',
  }),
  threshold: t.exposeFloat('threshold', {
    nullable: true,
    description: `Score above which the feature counts as drifted; ${UNLESS_REPORTED}`,
  }),
  rows: t.expose('rows', COMPARED_ROWS),
  missing: t.expose('missing', {
    type: SampleShares,
    nullable: true,
    description: `Share of rows without a value; ${UNLESS_REPORTED}`,
  }),
  noise: t.exposeFloat('noise', {
    nullable: true,
    description: `Noise floor: the score that chance alone can reach with these rows and bins. A score that is not above it adds 0 to the overall score; ${UNLESS_REPORTED}`,
  }),
  significant: t.exposeBoolean('significant', {
    nullable: true,
    description: `True if the score is above the noise floor; ${UNLESS_REPORTED}`,
  }),
  rowsNeeded: t.exposeInt('rowsNeeded', {
    nullable: true,
    description: `Estimated number of further rows that a verdict needs, in the current set or, if the reference is too small, in the smaller set while the other one grows as well; 0 if there are enough; ${UNLESS_REPORTED}`,
  }),
  coverage: t.expose('coverage', {
    type: SampleShares,
    nullable: true,
    description: `Share of rows with a value; of \`residual\`, share of rows with an outcome; ${UNLESS_REPORTED}`,
  }),
  jensenShannon: t.exposeFloat('jensenShannon', {
    nullable: true,
    description: `Jensen-Shannon distance of the histograms, 0 (equal) to 1; ${UNLESS_REPORTED}`,
  }),
  noData: t.exposeBoolean('noData', {
    nullable: true,
    description: `True if a set has rows, but none with a value of the feature; ${UNLESS_REPORTED}`,
  }),
  newCategoryShare: t.exposeFloat('newCategoryShare', {
    nullable: true,
    description: `Share of the current rows with a category that the reference does not have; ${UNLESS_REPORTED}`,
  }),
  newCategories: t.expose('newCategories', {
    type: CategoryChange,
    nullable: true,
    description: `Categories of the current set that the reference does not have; ${UNLESS_REPORTED}`,
  }),
  vanishedCategories: t.expose('vanishedCategories', {
    type: CategoryChange,
    nullable: true,
    description: `Categories of the reference that the current set does not have; ${UNLESS_REPORTED}`,
  }),
});

export const FeatureDrift = builder.objectRef<FeatureShape>('FeatureDrift').implement({
  subGraphs: DRIFT_SURFACES,
  description: 'Drift of one input or output of the scoring model against its reference distribution.',
  fields: featureFields,
});

const BinCount = builder.objectRef<CountShape>('BinCount').implement({
  subGraphs: DRIFT_SURFACES,
  description: 'Rows of a set in a bin.',
  fields: (t) => ({
    count: t.exposeInt('count', { description: 'Number of rows.' }),
    share: t.exposeFloat('share', { description: 'Share of the rows of the set, 0 to 1.' }),
  }),
});

export const DriftBin = builder.objectRef<BinShape>('DriftBin').implement({
  subGraphs: DRIFT_SURFACES,
  description: 'One bin of a histogram: a range of numbers, a category, or the missing values.',
  fields: (t) => ({
    lower: t.exposeFloat('lower', {
      nullable: true,
      description: 'Lower end, exclusive; null for an open end and for a category or missing values.',
    }),
    upper: t.exposeFloat('upper', {
      nullable: true,
      description: 'Upper end, inclusive; null for an open end and for a category or missing values.',
    }),
    category: t.exposeString('category', {
      nullable: true,
      description: 'Category; null for a range and for missing values.',
    }),
    missing: t.exposeBoolean('missing', { description: 'True for the bin of the missing values.' }),
    reference: t.expose('reference', { type: BinCount, description: 'Rows of the reference set.' }),
    current: t.expose('current', { type: BinCount, description: 'Rows of the current set.' }),
    contribution: t.exposeFloat('contribution', {
      description: "Part of the feature's score that stems from this bin.",
    }),
  }),
});

const OtherCategories = builder.objectRef<OtherShape>('OtherCategories').implement({
  subGraphs: DRIFT_SURFACES,
  description: 'Categories without a bin of their own.',
  fields: (t) => ({
    count: t.exposeInt('count', { description: 'Number of categories.' }),
    contribution: t.exposeFloat('contribution', {
      description: "Part of the feature's score that stems from them.",
    }),
  }),
});

export const DriftFeature = builder.objectRef<DetailShape>('DriftFeature').implement({
  subGraphs: DRIFT_SURFACES,
  description: 'Drift of one feature, with the histograms of both sets.',
  fields: (t) => ({
    ...featureFields(t),
    driftedSince: t.expose('driftedSince', {
      subGraphs: ['graphql'],
      type: 'DateTime',
      nullable: true,
      description:
        'Time of the check that detected the drift of the feature over all samples, which lasts; null if none lasts.',
    }),
    bins: t.expose('bins', {
      type: [DriftBin],
      description: 'At most 100 bins, largest contribution first.',
    }),
    otherCategories: t.expose('otherCategories', {
      type: OtherCategories,
      nullable: true,
      description: 'Categories beyond those 100; null if there are none.',
    }),
    wasserstein: t.exposeFloat('wasserstein', {
      nullable: true,
      description:
        'Wasserstein distance of the numbers, in units of the standard deviation of the reference; null for a feature without numbers, and if the sidecar does not report it.',
    }),
    outOfRange: t.exposeFloat('outOfRange', {
      nullable: true,
      description:
        'Share of the current numbers below the smallest or above the largest of the reference; null for a feature without numbers, and if the sidecar does not report it.',
    }),
  }),
});
