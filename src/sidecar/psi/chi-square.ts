/** Degrees of freedom above which the Wilson–Hilferty approximation is accurate to six digits. */
const MAX_EXACT_DEGREES = 2_000;

/**
 * Returns the value that a chi-square variable exceeds with probability `alpha`.
 * @param degrees greater than 0; need not be an integer
 */
export function chiSquareQuantile(alpha: number, degrees: number): number {
  if (degrees > MAX_EXACT_DEGREES) return wilsonHilferty(alpha, degrees);
  let low = 0;
  let high = Math.max(1, degrees);
  while (upperGamma(degrees / 2, high / 2) > alpha) high *= 2;
  while (high - low > 1e-12 * high) {
    const middle = (low + high) / 2;
    if (upperGamma(degrees / 2, middle / 2) > alpha) low = middle;
    else high = middle;
  }
  return high;
}

function wilsonHilferty(alpha: number, degrees: number): number {
  const spread = 2 / (9 * degrees);
  return degrees * (1 - spread + normalQuantile(alpha) * Math.sqrt(spread)) ** 3;
}

/** Returns the value that a standard normal variable exceeds with probability `alpha` < 0.5. */
const normalQuantile = (alpha: number): number => Math.sqrt(chiSquareQuantile(2 * alpha, 1));

/** Returns the regularized upper incomplete gamma function Q(a, x) (Numerical Recipes, 3rd edition, 6.2). */
function upperGamma(a: number, x: number): number {
  if (x <= 0) return 1;
  const factor = Math.exp(a * Math.log(x) - x - logGamma(a));
  return x < a + 1 ? 1 - factor * series(a, x) : factor * continuedFraction(a, x);
}

function series(a: number, x: number): number {
  let term = 1 / a;
  let sum = term;
  for (let n = a + 1; term > sum * Number.EPSILON; n += 1) {
    term *= x / n;
    sum += term;
  }
  return sum;
}

/** Evaluates the continued fraction by Lentz's method. */
function continuedFraction(a: number, x: number): number {
  let b = x + 1 - a;
  let c = Number.MAX_VALUE;
  let d = 1 / b;
  let value = d;
  for (let n = 1, step = 0; Math.abs(step - 1) > Number.EPSILON && n < 10_000; n += 1) {
    const an = -n * (n - a);
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    step = c * d;
    value *= step;
  }
  return value;
}

/** Coefficients of the Lanczos approximation with g = 7 and n = 9. */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** Returns the logarithm of the gamma function of a positive number. */
export function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const t = x + 6.5;
  const sum = LANCZOS.reduce((total, coefficient, index) =>
    index === 0 ? coefficient : total + coefficient / (x - 1 + index),
  );
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}
