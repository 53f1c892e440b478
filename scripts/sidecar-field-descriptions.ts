type Json = Record<string, unknown>;

/** Descriptions of fields by name; `parent.name` takes precedence. */
const DESCRIPTIONS: Record<string, string> = {
  accuracy: 'Share of the rows with an outcome for which the class at 0.5 is right; null without outcomes.',
  auc: 'Area under the ROC curve; null unless both outcomes occur.',
  calibrationError: 'Expected calibration error over ten bins of equal width; null without outcomes.',
  estimatedAccuracy: 'Accuracy that the predictions imply without outcomes (CBPE); null without rows.',
  isProbabilistic: 'True if all predictions are within 0 and 1 and all outcomes 0 or 1; null without rows.',
  outcomes: 'Number of rows with an outcome.',
  week: 'Monday, 0:00 UTC.',
  'weeks.rows': 'Number of rows.',
  weeks: 'At most 53 weeks with rows, oldest first; empty unless isProbabilistic is true.',
  at: 'End of the current window of a repeated check; required in the response to a request with it.',
  'CheckRequest.at':
    'End of the current window, to repeat a check of that time, which is not stored; now if absent or null.',
  reference: 'Rows that the current ones were compared with; required in the response to a request with it.',
  'CheckRequest.reference':
    'fixed: the reference set; trailing: the 28 days before the current window; seasonal: 364 days before it.',
  bins: 'At most 100 bins, largest contribution first.',
  'bins.category': 'Text of a category bin; null for other bins.',
  'bins.current': 'Rows of the current set in the bin.',
  'bins.reference': 'Rows of the reference in the bin.',
  checkedAt: 'Time of the check, ISO 8601 with an offset.',
  components: 'Parts of driftScore, each from 0 to 1; null if a part has too few rows.',
  'components.features': 'Weighted mean of the scores of the input features, each at most 1.',
  'components.outcome': 'Score of the residual, prediction minus outcome, at most 1.',
  'components.prediction': 'Score of the prediction, at most 1.',
  componentDetails: 'What each component is based on; null for a component without a feature.',
  'componentDetails.features': 'Of the input features: weighted means, and the largest rowsNeeded.',
  'componentDetails.outcome': 'Of the residual.',
  'componentDetails.prediction': 'Of the prediction.',
  contribution: 'Part of the score; all parts sum to the score.',
  coverage: 'Share of rows with a value; of the residual, share of rows with an outcome.',
  count: 'Number, all included.',
  driftScore: 'Overall score from 0 to 1; the largest of the components that are not null.',
  drifted:
    'True if the score exceeds the threshold of the feature and the noise floor; false with insufficient data.',
  exampleIds: 'Ids of at most five current rows in largestBin, each of at most 200 characters.',
  feature: 'Name of the feature; prediction and residual are the model output and its error.',
  featureDrifts: 'Each feature, then prediction and residual.',
  featureScore: 'Score of the requested feature; null if the check does not have it or none is requested.',
  features: 'Weights and thresholds; each feature at most once.',
  id: 'Unique id of the check.',
  insufficientData: 'True if there are too few rows for a verdict.',
  isDrifted: 'True if driftScore exceeds threshold.',
  jensenShannon: 'Jensen-Shannon distance of the histograms, base 2, from 0 to 1.',
  largestBin: 'Bin with the largest contribution; null if it is not reported.',
  'largestBin.category': 'Text of a category bin; null for other bins.',
  'largestBin.current': 'Rows of the current set in the bin.',
  'largestBin.reference': 'Rows of the reference in the bin.',
  lastChecked: 'Time of the latest check, ISO 8601 with an offset; null if the sidecar reports none.',
  lower: 'Exclusive lower bound of a numeric bin; null if it is open, and for other bins.',
  method: 'psi for the Population Stability Index; other names are permitted.',
  missing: 'True for the bin of missing values.',
  'Feature.missing': 'Share of rows without a value.',
  'featureDrifts.missing': 'Share of rows without a value.',
  model: 'Name of the model.',
  modelVersion: 'Version of the model, for the health of the service.',
  names: 'At most 10 names of at most 100 characters, most frequent first.',
  newCategoryShare: 'Share of the current rows with a category that the reference does not have.',
  newCategories: 'Categories of the current set that the reference does not have.',
  noData: 'True if a set has rows, but none with a value of the feature.',
  noise: 'Noise floor: score that chance alone can reach; a score that is not above it counts as 0.',
  otherCategories: 'Categories beyond the listed bins; null if there are none.',
  rowsNeeded: 'Estimated number of further rows that a verdict needs; 0 if there are enough.',
  outOfRange: 'Share of the current numbers outside the range of the reference; null without numbers.',
  rows: 'Rows of each set.',
  score: 'Score of the feature, 0 if unchanged; a PSI may exceed 1.',
  share: 'Share of the rows of the set, from 0 to 1.',
  significant: 'True if the score is above the noise floor.',
  stage: 'Funnel stage; null for all samples. Required in the response to a request with a stage.',
  'CheckRequest.stage': 'Funnel stage; all samples if absent or null.',
  'History.stage': 'Funnel stage of the check; null for a check of all samples.',
  'Stages.stage': 'Name of the stage.',
  success: 'True if the check was completed.',
  threshold: 'Score above which all samples or the stage are drifted.',
  'Feature.threshold': 'Score above which the feature is drifted.',
  'featureDrifts.threshold': 'Score above which the feature is drifted.',
  'features.threshold': 'Threshold of the feature; null for the general one.',
  type: 'numeric if a set has a number, otherwise categorical.',
  upper: 'Inclusive upper bound of a numeric bin; null if it is open, and for other bins.',
  vanishedCategories: 'Categories of the reference that the current set does not have.',
  wasserstein:
    'Wasserstein distance in units of the standard deviation of the reference; null without numbers.',
  weight: 'Importance in the mean of the input features; 0 excludes the feature.',
};

const isSchema = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** Adds descriptions to the fields of a JSON Schema, at any depth. @param parent name of the schema or of its field */
export function describeFields(parent: string, schema: Json): Json {
  const described = { ...schema };
  if (isSchema(schema.items)) described.items = describeFields(parent, schema.items);
  if (Array.isArray(schema.allOf)) described.allOf = schema.allOf.map((part) => describeFields(parent, part));
  if (isSchema(schema.properties)) {
    described.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, field]) => {
        const description = DESCRIPTIONS[`${parent}.${name}`] ?? DESCRIPTIONS[name];
        const inner = describeFields(name, field as Json);
        return [name, description === undefined ? inner : { ...inner, description }];
      }),
    );
  }
  return described;
}
