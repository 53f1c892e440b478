/** Predicted probabilities and what happened; `NaN` for an unknown outcome. */
export interface Outcomes {
  predictions: Float64Array;
  outcomes: Float64Array;
}

/** Performance of a model whose predictions are probabilities of a binary outcome. */
export interface Performance {
  rows: number;
  /** Number of rows with an outcome. */
  outcomes: number;
  /** Expected calibration error over 10 bins of equal width; null without outcomes. */
  calibrationError: number | null;
  /** Area under the ROC curve; null unless both outcomes occur. */
  auc: number | null;
  /** Share of the rows with an outcome that the class at 0.5 predicts; null without outcomes. */
  accuracy: number | null;
  /** Accuracy that the predictions alone imply (CBPE); null without rows. */
  estimatedAccuracy: number | null;
}

/** Number of bins of the calibration error. */
const BINS = 10;
/** Minimum probability for the predicted class 1. */
const CLASS_THRESHOLD = 0.5;

/** True if all predictions are probabilities, and all known outcomes are 0 or 1. */
export const isProbabilistic = ({ predictions, outcomes }: Outcomes): boolean =>
  predictions.every((value) => value >= 0 && value <= 1) &&
  outcomes.every((value) => value === 0 || value === 1 || Number.isNaN(value));

/** Measures the rows. @param calibrate returns the probability that a prediction stands for */
export function performanceOf(rows: Outcomes, calibrate: (prediction: number) => number): Performance {
  const known = withOutcome(rows);
  const count = known.predictions.length;
  const correct = known.predictions.reduce(
    (sum, value, row) => sum + Number(value >= CLASS_THRESHOLD === (known.outcomes[row] === 1)),
    0,
  );
  return {
    rows: rows.predictions.length,
    outcomes: count,
    calibrationError: count === 0 ? null : calibrationError(known),
    auc: areaUnderCurve(known),
    accuracy: count === 0 ? null : correct / count,
    estimatedAccuracy: rows.predictions.length === 0 ? null : estimatedAccuracy(rows.predictions, calibrate),
  };
}

/** Returns the rows with an outcome. */
function withOutcome({ predictions, outcomes }: Outcomes): Outcomes {
  const isKnown = (_value: number, row: number): boolean => !Number.isNaN(outcomes[row]);
  return { predictions: predictions.filter(isKnown), outcomes: outcomes.filter(isKnown) };
}

/**
 * Returns the expected calibration error (Naeini et al., 2015): the mean over 10 bins of equal width, (0, 0.1], …, of
 * the difference between the mean prediction and the share of outcomes 1, weighted by rows. 0 is in the first bin.
 */
function calibrationError({ predictions, outcomes }: Outcomes): number {
  const predicted = new Float64Array(BINS);
  const observed = new Float64Array(BINS);
  for (const [row, value] of predictions.entries()) {
    const bin = Math.max(0, Math.ceil(value * BINS) - 1);
    predicted[bin] = (predicted[bin] as number) + value;
    observed[bin] = (observed[bin] as number) + (outcomes[row] as number);
  }
  let error = 0;
  for (let bin = 0; bin < BINS; bin += 1)
    error += Math.abs((predicted[bin] as number) - (observed[bin] as number));
  return error / predictions.length;
}

/** Returns the area under the ROC curve as the Mann-Whitney statistic; equal predictions count half. */
function areaUnderCurve({ predictions, outcomes }: Outcomes): number | null {
  const order = Uint32Array.from(predictions.keys()).sort(
    (a, b) => (predictions[a] as number) - (predictions[b] as number),
  );
  let positives = 0;
  let rankSum = 0;
  for (let start = 0; start < order.length; ) {
    let end = start;
    let tied = 0;
    const value = predictions[order[start] as number];
    for (; end < order.length && predictions[order[end] as number] === value; end += 1)
      tied += outcomes[order[end] as number] as number;
    positives += tied;
    rankSum += tied * ((start + 1 + end) / 2);
    start = end;
  }
  const negatives = order.length - positives;
  if (positives === 0 || negatives === 0) return null;
  return (rankSum - (positives * (positives + 1)) / 2) / (positives * negatives);
}

/**
 * Returns the accuracy by confidence-based performance estimation (CBPE, NannyML): the mean probability that the class
 * at 0.5 is right.
 */
function estimatedAccuracy(predictions: Float64Array, calibrate: (prediction: number) => number): number {
  let correct = 0;
  for (const value of predictions) {
    const probability = calibrate(value);
    correct += value >= CLASS_THRESHOLD ? probability : 1 - probability;
  }
  return correct / predictions.length;
}

/** Minimum number of reference rows with an outcome for a calibration. */
const MIN_CALIBRATION_ROWS = 300;

/**
 * Returns the calibration that isotonic regression fits to the reference, by pool adjacent violators, linear between the
 * predictions of the reference and constant beyond them. With few outcomes, predictions count as they are.
 */
export function calibrationOf(reference: Outcomes): (prediction: number) => number {
  const { predictions, outcomes } = withOutcome(reference);
  if (predictions.length < MIN_CALIBRATION_ROWS) return (prediction) => prediction;
  const order = Uint32Array.from(predictions.keys()).sort(
    (a, b) => (predictions[a] as number) - (predictions[b] as number),
  );
  /** Blocks of equal fitted values, in ascending order. */
  const blocks: { from: number; to: number; sum: number; rows: number }[] = [];
  for (const row of order) {
    const at = predictions[row] as number;
    const last = blocks.at(-1);
    const outcome = outcomes[row] as number;
    if (last && last.from === at) {
      last.sum += outcome;
      last.rows += 1;
    } else blocks.push({ from: at, to: at, sum: outcome, rows: 1 });
  }
  const pooled: typeof blocks = [];
  for (const block of blocks) {
    pooled.push({ ...block });
    for (;;) {
      const [before, after] = pooled.slice(-2);
      if (!before || !after || before.sum / before.rows < after.sum / after.rows) break;
      pooled.splice(-2, 2, {
        from: before.from,
        to: after.to,
        sum: before.sum + after.sum,
        rows: before.rows + after.rows,
      });
    }
  }
  const starts = Float64Array.from(pooled, ({ from }) => from);
  return (prediction) => {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as number) <= prediction) low = middle + 1;
      else high = middle;
    }
    const block = pooled[Math.max(0, low - 1)];
    if (!block) return prediction;
    const value = block.sum / block.rows;
    const next = pooled[low];
    if (prediction <= block.to || !next || low === 0) return value;
    return value + ((prediction - block.to) / (next.from - block.to)) * (next.sum / next.rows - value);
  };
}
