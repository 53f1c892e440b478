/** Those of the links in the menu, which have none. */
export const NO_PARAMS: URLSearchParams = new URLSearchParams();

/** Returns a copy of the parameters with the changes applied; null or an empty string removes a parameter. */
export function withSearchParams(
  params: URLSearchParams,
  changes: Record<string, string | null>,
): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const [name, value] of Object.entries(changes)) {
    if (value) next.set(name, value);
    else next.delete(name);
  }
  return next;
}

/** Reads a time as ISO 8601; null if the parameter is missing or not a valid time. */
export function readTimeParam(params: URLSearchParams, name: string): string | null {
  const at = Date.parse(params.get(name) ?? '');
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}

/** Reads one of the choices, in any letter case; null if the parameter is missing or none of them. */
export const readChoiceParam = <C extends string>(
  params: URLSearchParams,
  name: string,
  choices: readonly C[],
): C | null => choices.find((choice) => choice === params.get(name)?.toLowerCase()) ?? null;

/**
 * Returns the parameters whose values are not valid, as `status=lost`.
 *
 * @param values what was read, by the name of the parameter; null: nothing valid
 */
export const invalidParams = (params: URLSearchParams, values: object): string[] =>
  Object.entries(values).flatMap(([name, value]) =>
    value === null && params.get(name) ? [`${name}=${params.get(name)}`] : [],
  );
