import type { z } from 'zod';
import packageJson from '../package.json' with { type: 'json' };
import {
  checkResponse,
  featureResponse,
  healthResponse,
  historyResponse,
  modelsResponse,
  notFoundResponse,
  performanceResponse,
  settingsResponse,
  stagesResponse,
  statusResponse,
} from '../src/features/drift/sidecar.responses.ts';
import { zodJsonSchema } from '../src/platform/zod-json-schema.ts';
import { CheckInput, FeatureSettingsInput } from '../src/sidecar/api/sidecar-input.ts';
import { DEFAULT_URL } from '../src/sidecar/default-address.ts';
import { SETS } from '../src/sidecar/samples/samples.types.ts';
import {
  MAX_ID_LENGTH,
  MAX_NUMBER,
  MAX_ROW_FEATURES,
  MAX_ROWS,
  MAX_STRING_LENGTH,
} from '../src/sidecar/sidecar-limits.ts';
import { describeFields } from './sidecar-field-descriptions.ts';

type Json = Record<string, unknown>;

/** Converts a schema that the service or the reference sidecar validates with. */
function schemaOf(name: string, schema: z.ZodType): Json {
  const { $schema: _dialect, ...converted } = zodJsonSchema(schema);
  return describeFields(name, converted);
}

const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: Json): Json => ({ 'application/json': { schema } });
const ok = (description: string, schema: Json): Json => ({ 200: { description, content: json(schema) } });
const error = (name: string): Json => ({ $ref: `#/components/responses/${name}` });

const text: Json = { type: 'string', minLength: 1, maxLength: MAX_STRING_LENGTH };
const number: Json = { type: 'number', minimum: -MAX_NUMBER, maximum: MAX_NUMBER };

const query = (name: string, description: string, schema: Json): Json => ({
  name,
  in: 'query',
  description,
  required: false,
  schema,
});

const requiredQuery = (name: string, description: string, schema: Json): Json => ({
  ...query(name, description, schema),
  required: true,
});

const modelQuery = query(
  'model',
  'Optional for a sidecar. Model; the default one if absent. The response repeats a model other than default.',
  text,
);
const stageQuery = query('stage', 'Funnel stage; all samples if absent.', text);

const COMPONENT_SCHEMAS = {
  Health: schemaOf('Health', healthResponse),
  Status: schemaOf('Status', statusResponse),
  Check: schemaOf('Check', checkResponse),
  History: schemaOf('History', historyResponse),
  Feature: schemaOf('Feature', featureResponse),
  Performance: schemaOf('Performance', performanceResponse),
  Models: schemaOf('Models', modelsResponse),
  Stages: schemaOf('Stages', stagesResponse),
  FeatureSettings: schemaOf('FeatureSettings', settingsResponse),
  CheckRequest: schemaOf('CheckRequest', CheckInput),
  FeatureSettingsRequest: schemaOf('FeatureSettingsRequest', FeatureSettingsInput),
  NotFound: schemaOf('NotFound', notFoundResponse),
  Error: {
    type: 'object',
    properties: {
      error: {
        type: 'object',
        properties: { code: { type: 'string' }, message: { type: 'string' } },
        required: ['code', 'message'],
      },
    },
    required: ['error'],
  },
  Row: {
    type: 'object',
    description: 'One scored case.',
    properties: {
      features: {
        type: 'object',
        description: `At most ${MAX_ROW_FEATURES} features by name. A null or absent feature is a missing value. The names prediction and residual are reserved.`,
        additionalProperties: {
          anyOf: [number, { type: 'string', maxLength: MAX_STRING_LENGTH }, { type: 'null' }],
        },
      },
      prediction: { ...number, description: 'Score that the model returned.' },
      outcome: { ...number, type: ['number', 'null'], description: 'Observed outcome; null if unknown.' },
      occurredAt: {
        type: ['string', 'null'],
        format: 'date-time',
        description:
          'Time of the case, from which its age counts; the time of the request if null or absent.',
      },
      id: {
        type: ['string', 'null'],
        minLength: 1,
        maxLength: MAX_ID_LENGTH,
        description: 'Id of the case, which examples of a drifted range name.',
      },
    },
    required: ['features', 'prediction'],
    additionalProperties: false,
  },
  SamplesRequest: {
    type: 'object',
    properties: {
      set: { enum: SETS, description: 'reference: from the training of the model; current: from its use.' },
      stage: { ...text, type: ['string', 'null'], description: 'Funnel stage of all rows; null for none.' },
      rows: { type: 'array', maxItems: MAX_ROWS, items: ref('Row') },
    },
    required: ['set', 'rows'],
    additionalProperties: false,
  },
};

const commonErrors = { 401: error('Unauthenticated') };
const inputErrors = { ...commonErrors, '4XX': error('InvalidInput') };
const partErrors = { ...inputErrors, 404: error('NotFound') };

/** Paths that the sidecar may not have; it then returns HTTP 404. */
const optional = (description: string): string => `Optional. ${description}`;

const PATHS = {
  '/health': {
    get: {
      operationId: 'getHealth',
      summary: 'Reports that the sidecar is up',
      description: 'Requires no token. The service calls it for its own health.',
      security: [],
      responses: ok('The sidecar is up.', ref('Health')),
    },
  },
  '/drift/status': {
    get: {
      operationId: 'getStatus',
      summary: 'Returns the drift of all samples or of a stage',
      description:
        'The result of the latest check of the same scope. If there was none, it is computed from the samples.',
      parameters: [stageQuery, modelQuery],
      responses: { ...ok('The drift status.', ref('Status')), ...partErrors },
    },
  },
  '/drift/check': {
    post: {
      operationId: 'check',
      summary: 'Checks all samples or a stage now',
      description: 'Adds the result to the history. A stage without samples is HTTP 404 and adds nothing.',
      parameters: [modelQuery],
      requestBody: { required: true, content: json(ref('CheckRequest')) },
      responses: { ...ok('The result.', ref('Check')), ...partErrors },
    },
  },
  '/drift/history': {
    get: {
      operationId: 'listChecks',
      summary: 'Lists past checks, newest first',
      parameters: [
        query(
          'stage',
          'Lists the checks of this stage; by default those of all stages and of all samples.',
          text,
        ),
        query(
          'overall',
          'Optional for a sidecar. true: lists the checks of all samples only; not together with stage.',
          { type: 'boolean' },
        ),
        query('feature', 'Optional for a sidecar. Adds the score of this feature to each check.', text),
        query('limit', 'Maximum number of checks.', {
          type: 'integer',
          minimum: 1,
          maximum: 200,
          default: 50,
        }),
        modelQuery,
      ],
      responses: { ...ok('The checks.', ref('History')), ...inputErrors },
    },
  },
  '/drift/feature': {
    get: {
      operationId: 'getFeature',
      summary: 'Returns one feature with its bins',
      description: optional('Computed from the samples, without adding to the history.'),
      parameters: [
        requiredQuery('feature', 'Name of a feature, prediction or residual.', text),
        stageQuery,
        modelQuery,
      ],
      responses: { ...ok('The feature.', ref('Feature')), ...partErrors },
    },
  },
  '/drift/performance': {
    get: {
      operationId: 'getPerformance',
      summary: 'Returns the performance of the model by week',
      description: optional('Computed from the current samples.'),
      parameters: [stageQuery, modelQuery],
      responses: { ...ok('The performance.', ref('Performance')), ...partErrors },
    },
  },
  '/drift/models': {
    get: {
      operationId: 'listModels',
      summary: 'Lists the models, the default one first',
      description: optional('Without it, there is the default model only.'),
      responses: { ...ok('The models.', ref('Models')), ...commonErrors },
    },
  },
  '/drift/stages': {
    get: {
      operationId: 'listStages',
      summary: 'Lists the stages with samples, by name',
      description: optional('Without it, scheduled checks cover all samples only.'),
      parameters: [modelQuery],
      responses: { ...ok('The stages.', ref('Stages')), ...commonErrors },
    },
  },
  '/drift/features': {
    get: {
      operationId: 'getFeatureSettings',
      summary: 'Returns the weights and thresholds of features',
      description: optional('Features without an entry have weight 1 and the general threshold.'),
      parameters: [modelQuery],
      responses: { ...ok('The settings.', ref('FeatureSettings')), ...commonErrors },
    },
    put: {
      operationId: 'setFeatureSettings',
      summary: 'Replaces all weights and thresholds',
      description: optional('They apply to the status at once, without a new check.'),
      parameters: [modelQuery],
      requestBody: { required: true, content: json(ref('FeatureSettingsRequest')) },
      responses: { ...ok('The new settings.', ref('FeatureSettings')), ...inputErrors },
    },
  },
  '/samples': {
    post: {
      operationId: 'addSamples',
      summary: 'Appends samples, all or none',
      description: 'Called by sidecar load, by the demo and by sidecar check, not by the service.',
      parameters: [modelQuery],
      requestBody: { required: true, content: json(ref('SamplesRequest')) },
      responses: { ...ok('All rows are stored.', {}), ...inputErrors },
    },
    delete: {
      operationId: 'removeSamples',
      summary: 'Removes the samples of a set',
      parameters: [
        requiredQuery('set', 'Set of samples.', { enum: SETS }),
        query('stage', 'Stage; the samples of all stages if absent.', text),
        modelQuery,
      ],
      responses: { ...ok('The samples are removed.', {}), ...inputErrors },
    },
  },
};

/** Builds the OpenAPI document of the HTTP contract between the service and a sidecar. */
export const sidecarOpenApi = (): Json => ({
  openapi: '3.1.0',
  info: {
    title: 'ML sidecar',
    version: packageJson.version,
    description:
      'HTTP contract between the customer engagement service and an ML sidecar. Responses may have further fields. A field that is not required may be absent or null; the service validates it if it is present.',
  },
  servers: [{ url: DEFAULT_URL, description: 'Reference sidecar' }],
  security: [{ token: [] }, {}],
  paths: PATHS,
  components: {
    securitySchemes: {
      token: {
        type: 'http',
        scheme: 'bearer',
        description: 'ML_SIDECAR_TOKEN, if it is set, on every path except /health.',
      },
    },
    schemas: COMPONENT_SCHEMAS,
    responses: {
      Unauthenticated: { description: 'The token is missing or wrong.', content: json(ref('Error')) },
      InvalidInput: { description: 'The input is not valid.', content: json(ref('Error')) },
      NotFound: { description: 'The stage or the feature has no samples.', content: json(ref('NotFound')) },
    },
  },
});
