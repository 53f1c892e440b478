import type {
  DriftPerformance as PerformanceShape,
  WeekPerformance as WeekShape,
} from '../../src/features/drift/drift.types.ts';
import { builder } from '../builder.ts';
import { MODEL, SAMPLES_OF_STAGE } from './drift.types.ts';
import { PERFORMANCE_EXAMPLE } from './drift-rest-examples.ts';
import { DRIFT_SURFACES, driftProcedure } from './drift-routes.ts';

const WeekPerformance = builder.objectRef<WeekShape>('DriftWeekPerformance').implement({
  subGraphs: DRIFT_SURFACES,
  description: 'Performance of the scoring model in one week; each measure is from 0 to 1.',
  fields: (t) => ({
    week: t.expose('week', { type: 'DateTime', description: 'Start of the week: Monday, 0:00 UTC.' }),
    rows: t.exposeInt('rows', { description: 'Number of rows.' }),
    outcomes: t.exposeInt('outcomes', { description: 'Number of rows with an outcome.' }),
    calibrationError: t.exposeFloat('calibrationError', {
      nullable: true,
      description:
        'Expected calibration error over ten bins of equal width: difference of predictions and outcomes, weighted by rows; null without outcomes.',
    }),
    auc: t.exposeFloat('auc', {
      nullable: true,
      description: 'Area under the ROC curve; null unless both outcomes occur.',
    }),
    accuracy: t.exposeFloat('accuracy', {
      nullable: true,
      description:
        'Share of the rows with an outcome for which the class at 0.5 is right; null without outcomes.',
    }),
    estimatedAccuracy: t.exposeFloat('estimatedAccuracy', {
      nullable: true,
      description:
        'Accuracy that the predictions imply without outcomes (CBPE), calibrated by the reference; null without rows.',
    }),
  }),
});

const DriftPerformance = builder.objectRef<PerformanceShape>('DriftPerformance').implement({
  subGraphs: DRIFT_SURFACES,
  description: 'Performance of the scoring model by week.',
  fields: (t) => ({
    isProbabilistic: t.exposeBoolean('isProbabilistic', {
      nullable: true,
      description:
        'True if all predictions are within 0 and 1 and all outcomes are 0 or 1; null without current rows, and if the sidecar does not report it.',
    }),
    weeks: t.expose('weeks', {
      type: [WeekPerformance],
      description: 'The latest 53 weeks with rows, oldest first; empty unless `isProbabilistic` is true.',
    }),
  }),
});

/** Cost, two and a half points: the sidecar reads up to two million rows. */
const COST = 250;

builder.queryField('driftPerformance', (t) =>
  t.field({
    ...driftProcedure({
      method: 'GET',
      path: '/drift.getPerformance',
      large: true,
      scope: 'read',
      resource: 'drift',
      summary: 'Get the performance of the model by week',
      example: { response: PERFORMANCE_EXAMPLE },
    }),
    type: DriftPerformance,
    description:
      'Performance of the scoring model by week: measured with the outcomes, and estimated without them. Computed from the current samples on request. Returns `NOT_FOUND` for a stage without samples.',
    args: { stage: t.arg.string(SAMPLES_OF_STAGE), model: t.arg.string(MODEL) },
    complexity: COST,
    resolve: (_root, { stage, model }, { services }) => services.drift.performance({ stage, model }),
  }),
);
