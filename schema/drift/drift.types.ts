import type {
  DriftComponentDetails as AllDetailsShape,
  DriftComponents as ComponentsShape,
  SampleCounts as CountsShape,
  ComponentDetail as DetailShape,
  SampleShares as SharesShape,
  DriftStage as StageShape,
} from '../../src/features/drift/drift.types.ts';
import { DEFAULT_MODEL } from '../../src/platform/sidecar-address.ts';
import { text } from '../../src/platform/text-validation.ts';
import type { DriftReference as ReferenceName } from '../../src/shared/drift-references.ts';
import { builder } from '../builder.ts';
import { DRIFT_SURFACES } from './drift-routes.ts';

/** Ends the description of a field that a sidecar may omit. */
export const UNLESS_REPORTED = 'null if the sidecar does not report it.';

const SampleCounts = builder.objectRef<CountsShape>('SampleCounts').implement({
  subGraphs: DRIFT_SURFACES,
  description: 'Number of rows in each set of samples.',
  fields: (t) => ({
    reference: t.exposeInt('reference', { description: 'Rows of the reference set.' }),
    current: t.exposeInt('current', { description: 'Rows of the current set.' }),
  }),
});

export const SampleShares = builder.objectRef<SharesShape>('SampleShares').implement({
  subGraphs: DRIFT_SURFACES,
  description: 'A share of the rows of each set, 0 to 1.',
  fields: (t) => ({
    reference: t.exposeFloat('reference', { description: 'Share of the reference set.' }),
    current: t.exposeFloat('current', { description: 'Share of the current set.' }),
  }),
});

const component = (of: string) => ({
  nullable: true as const,
  description: `Drift of ${of}, 0 to 1; 0 if no score is above its noise floor; null if there are too few rows or no features.`,
});

const DriftComponents = builder.objectRef<ComponentsShape>('DriftComponents').implement({
  subGraphs: DRIFT_SURFACES,
  description: 'The components of an overall drift score, which is the largest of them.',
  fields: (t) => ({
    features: t.exposeFloat('features', component('the input features, as their weighted mean')),
    prediction: t.exposeFloat('prediction', component('the predictions')),
    outcome: t.exposeFloat(
      'outcome',
      component('the residuals: the differences of predictions and outcomes'),
    ),
  }),
});

const DriftComponentDetail = builder.objectRef<DetailShape>('DriftComponentDetail').implement({
  subGraphs: DRIFT_SURFACES,
  description: 'What a component of a drift score is based on.',
  fields: (t) => ({
    noise: t.exposeFloat('noise', {
      description:
        'Noise floor, 0 to 1: the score that chance alone can reach; for the input features, the weighted mean of their noise floors.',
    }),
    significant: t.exposeBoolean('significant', {
      description: 'True if at least one score of the component is above its noise floor.',
    }),
    noData: t.exposeBoolean('noData', {
      nullable: true,
      description: `True if a set has rows, but none with a value of any feature of the component; ${UNLESS_REPORTED}`,
    }),
    rowsNeeded: t.exposeInt('rowsNeeded', {
      description: 'Estimated number of further rows that a verdict needs; 0 if there are enough.',
    }),
    coverage: t.expose('coverage', {
      type: SampleShares,
      description: 'Share of rows with a value; for the input features, the weighted mean.',
    }),
  }),
});

const detail = (of: string) => ({
  type: DriftComponentDetail,
  nullable: true as const,
  description: `Details of the component of ${of}; null if there is none.`,
});

const DriftComponentDetails = builder.objectRef<AllDetailsShape>('DriftComponentDetails').implement({
  subGraphs: DRIFT_SURFACES,
  description: 'Details of the components of a drift score.',
  fields: (t) => ({
    features: t.expose('features', detail('the input features')),
    prediction: t.expose('prediction', detail('the predictions')),
    outcome: t.expose('outcome', detail('the residuals')),
  }),
});

/** Fields of a status and of a check, in every type that has them. */
export const SCORE_COMPONENTS = {
  type: DriftComponents,
  nullable: true as const,
  description: `Components of the score; ${UNLESS_REPORTED}`,
};
export const COMPONENT_DETAILS = {
  type: DriftComponentDetails,
  nullable: true as const,
  description: `Details of the components; ${UNLESS_REPORTED}`,
};
export const COMPARED_ROWS = {
  type: SampleCounts,
  nullable: true as const,
  description: `Rows that were compared; ${UNLESS_REPORTED}`,
};
export const DriftReference = builder.enumType('DriftReference', {
  subGraphs: DRIFT_SURFACES,
  description: 'Rows that a drift check compares the current ones with.',
  values: {
    fixed: { description: 'The reference set.' },
    trailing: { description: 'The current set of the 28 days before the current window.' },
    seasonal: {
      description: 'The current set of the same weeks a year ago: 364 days before the current window.',
    },
  } satisfies Record<ReferenceName, object>,
});

export const COMPARED_REFERENCE = {
  type: DriftReference,
  nullable: true as const,
  description: `Rows that the current ones were compared with; ${UNLESS_REPORTED}`,
};
export const INSUFFICIENT_DATA = {
  description: 'True if the model is not drifted, but a component has too few rows for a verdict.',
};

export const DriftStage = builder.objectRef<StageShape>('DriftStage').implement({
  subGraphs: DRIFT_SURFACES,
  description: 'A funnel stage that has samples.',
  fields: (t) => ({
    stage: t.exposeString('stage', { description: 'Name of the stage.' }),
    rows: t.expose('rows', { type: SampleCounts, description: 'Number of rows of the stage.' }),
  }),
});

/** Name of a stage or a model, which the sidecar may store with any characters. */
const name = text();

/** Returns the options of an argument that names a funnel stage. */
export const stageArg = (description: string) => ({ validate: { schema: name }, description });

/** Options of an argument that limits the compared samples to a funnel stage. */
export const SAMPLES_OF_STAGE = stageArg('Only samples of this funnel stage; default: all.');

/** Returns the options of an argument that names a model. */
export const modelArg = (description: string) => ({
  validate: { schema: name },
  description: `${description} Default: \`${DEFAULT_MODEL}\`.`,
});

/** Options of an argument that names the model of samples, checks or settings. */
export const MODEL = modelArg('Model.');

/** Name of a feature. The model defines it, so it may contain any character, invisible ones included. */
export const featureName = text({ multiline: true });
