import type {
  Acknowledgement as AcknowledgementShape,
  ALERT_SCOPES,
  ALERT_STATUSES,
  AlertFeature as AlertFeatureShape,
  DriftAlert as AlertShape,
} from '../../src/features/drift/alerts/drift-alert.types.ts';
import { DEFAULT_MODEL } from '../../src/platform/sidecar-address.ts';
import { text } from '../../src/platform/text-validation.ts';
import { RESPONSE_LIST_DEFAULT, RESPONSE_LIST_MAX } from '../../src/shared/drift-limits.ts';
import { builder } from '../builder.ts';
import { pageSize } from '../paging.ts';
import { modelArg, stageArg } from './drift.types.ts';
import { ALERT_EXAMPLE } from './drift-rest-examples.ts';
import { alertProcedure, DRIFT_SURFACES } from './drift-routes.ts';
import { DriftBin } from './feature-drift.types.ts';

const AlertScope = builder.enumType('DriftAlertScope', {
  subGraphs: DRIFT_SURFACES,
  description: 'What a drift alert is about.',
  values: {
    overall: { description: 'All samples.' },
    stage: { description: 'One funnel stage.' },
    feature: { description: 'One feature, over all samples.' },
  } satisfies Record<(typeof ALERT_SCOPES)[number], object>,
});

const AlertStatus = builder.enumType('DriftAlertStatus', {
  subGraphs: DRIFT_SURFACES,
  description: 'Status of a drift alert.',
  values: {
    active: { description: 'The drift lasts; a reminder is sent each week.' },
    acknowledged: { description: 'The drift lasts; no reminders are sent until the acknowledgement ends.' },
    cleared: { description: 'The drift has ended.' },
  } satisfies Record<(typeof ALERT_STATUSES)[number], object>,
});

const AlertFeature = builder.objectRef<AlertFeatureShape>('DriftAlertFeature').implement({
  subGraphs: DRIFT_SURFACES,
  description: 'A feature that explains a drift.',
  fields: (t) => ({
    feature: t.exposeString('feature', {
      description: 'Name of the feature; `prediction` and `residual` are included.',
    }),
    score: t.exposeFloat('score', { description: 'Population Stability Index of the feature.' }),
    threshold: t.exposeFloat('threshold', {
      description: 'Score above which the feature counts as drifted.',
    }),
    bin: t.expose('bin', {
      type: DriftBin,
      nullable: true,
      description:
        'The range, the category or the missing values that add most to the score; null if the sidecar does not report it.',
    }),
    exampleIds: t.exposeStringList('exampleIds', {
      description: 'Ids of at most five current rows in that bin; empty if the rows have no ids.',
    }),
  }),
});

const Acknowledgement = builder.objectRef<AcknowledgementShape>('DriftAcknowledgement').implement({
  subGraphs: DRIFT_SURFACES,
  description: "An operator's note that an alert is known.",
  fields: (t) => ({
    note: t.exposeString('note', { description: 'The note.' }),
    until: t.expose('until', {
      type: 'DateTime',
      nullable: true,
      description: 'Time after which reminders are sent again; null if the drift is to be cleared first.',
    }),
    at: t.expose('at', { type: 'DateTime', description: 'Time of the acknowledgement.' }),
  }),
});

const DriftAlert = builder.objectRef<AlertShape>('DriftAlert').implement({
  subGraphs: DRIFT_SURFACES,
  description: 'One drift of all samples, a stage or a feature, from its detection until it is cleared.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier of the alert.' }),
    model: t.exposeString('model', { description: 'Model that has drifted.' }),
    scope: t.expose('scope', { type: AlertScope, description: 'What the alert is about.' }),
    stage: t.exposeString('stage', {
      nullable: true,
      description: 'Funnel stage; null unless the scope is `stage`.',
    }),
    feature: t.exposeString('feature', {
      nullable: true,
      description: 'Feature, `prediction` or `residual`; null unless the scope is `feature`.',
    }),
    status: t.expose('status', { type: AlertStatus, description: 'Status of the alert.' }),
    since: t.expose('since', {
      type: 'DateTime',
      description: 'Time of the check that detected the drift, the second one above the threshold.',
    }),
    clearedAt: t.expose('clearedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the drift ended; null while it lasts.',
    }),
    score: t.exposeFloat('score', {
      description: 'Score of the check that detected the drift, without muted features.',
    }),
    threshold: t.exposeFloat('threshold', { description: 'Threshold of that score.' }),
    features: t.expose('features', {
      type: [AlertFeature],
      description:
        'At most five features that explain the drift, worst first, as of its detection; without muted features.',
    }),
    acknowledgement: t.expose('acknowledgement', {
      type: Acknowledgement,
      nullable: true,
      description: 'The latest acknowledgement, which may have ended; null if there is none.',
    }),
    remindedAt: t.expose('remindedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the latest reminder; null if none was sent.',
    }),
  }),
});

const ALERT_ID = { required: true as const, description: 'Identifier of the alert.' };
const CLEARED = { CONFLICT: 'The alert is cleared.' };

builder.queryField('driftAlerts', (t) =>
  t.field({
    ...alertProcedure({
      method: 'GET',
      path: '/drift.getAlerts',
      scope: 'admin',
      resource: 'drift',
      summary: 'List drift alerts',
      example: { response: [ALERT_EXAMPLE] },
    }),
    type: [DriftAlert],
    description: 'Drift alerts, latest detection first. A cleared alert is listed for 400 days.',
    args: {
      model: t.arg.string(modelArg('Alerts of this model.')),
      stage: t.arg.string(stageArg('Only alerts of this funnel stage.')),
      status: t.arg({ type: AlertStatus, description: 'Only alerts with this status.' }),
      limit: t.arg.int({
        defaultValue: RESPONSE_LIST_DEFAULT,
        validate: { schema: pageSize(RESPONSE_LIST_MAX) },
        description: `Maximum number of alerts, 1 to ${RESPONSE_LIST_MAX}.`,
      }),
    },
    resolve: (_root, { model, stage, status, limit }, { services }) =>
      services.driftAlerts.list({
        model: model ?? DEFAULT_MODEL,
        stage,
        status,
        limit: limit ?? RESPONSE_LIST_DEFAULT,
      }),
  }),
);

builder.mutationFields((t) => ({
  acknowledgeDriftAlert: t.field({
    ...alertProcedure({
      method: 'POST',
      path: '/drift.acknowledgeAlert',
      scope: 'admin',
      resource: 'drift',
      summary: 'Acknowledge a drift alert',
      errors: CLEARED,
      example: {
        body: { id: ALERT_EXAMPLE.id, note: 'New pricing; retraining is planned.', until: null },
        response: ALERT_EXAMPLE,
      },
    }),
    type: DriftAlert,
    description:
      'Acknowledges an alert, so that no reminders are sent, or replaces the note and the end of its acknowledgement.',
    args: {
      id: t.arg.id(ALERT_ID),
      note: t.arg.string({
        required: true,
        validate: { schema: text({ max: 2_000, multiline: true }) },
        description: 'Note, at most 2,000 characters.',
      }),
      until: t.arg({
        type: 'DateTime',
        description:
          'Time after which reminders are sent again, in the future; absent or null until the drift is cleared.',
      }),
    },
    resolve: (_root, { id, note, until }, { services }) =>
      services.driftAlerts.acknowledge(id, { note, until: until ?? null }),
  }),
  withdrawDriftAcknowledgement: t.field({
    ...alertProcedure({
      method: 'POST',
      path: '/drift.withdrawAcknowledgement',
      scope: 'admin',
      resource: 'drift',
      summary: 'Withdraw the acknowledgement of a drift alert',
      errors: CLEARED,
      example: {
        body: { id: ALERT_EXAMPLE.id },
        response: { ...ALERT_EXAMPLE, status: 'active', acknowledgement: null },
      },
    }),
    type: DriftAlert,
    description: 'Removes the acknowledgement of an alert, so that reminders are sent again.',
    args: { id: t.arg.id(ALERT_ID) },
    resolve: (_root, { id }, { services }) => services.driftAlerts.withdrawAcknowledgement(id),
  }),
}));
