import { z } from 'zod';
import { AppError, badRequest } from '../../errors/app-error.ts';
import { toAppError } from '../../errors/to-app-error.ts';
import { JsonError, parseJsonText } from '../../platform/json-text.ts';
import { DOCUMENT_LIMITS } from './document-limits.ts';

/** Parameters of a request (GraphQL over HTTP). */
const requestParameters = z.strictObject({
  query: z
    .string('Must be a string.')
    .max(DOCUMENT_LIMITS.characters, `Must be at most ${DOCUMENT_LIMITS.characters} characters long.`)
    .optional(),
  documentId: z.string().max(500).nullish(),
  operationName: z.string().nullish(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  extensions: z.record(z.string(), z.unknown()).nullish(),
});

export interface RequestParameters {
  query?: string | undefined;
  documentId?: string | null | undefined;
  extensions?: Record<string, unknown> | null | undefined;
  operationName?: string | null | undefined;
  variables: Record<string, unknown>;
}

/** Parameters that a URL contains as JSON. */
const JSON_PARAMETERS: readonly string[] = ['variables', 'extensions'];

/**
 * Validates the parameters of a request, from its body or its URL.
 * @throws AppError BAD_REQUEST
 */
export function readParameters(sent: unknown): RequestParameters {
  if (Array.isArray(sent))
    throw badRequest('Batched operations are not supported; send one operation per request.');
  const { data, error } = requestParameters.safeParse(sent);
  if (error) {
    const { details } = toAppError(error);
    throw new AppError(
      'BAD_REQUEST',
      'The request body must be a JSON object with `query` or `documentId` and, optionally, `operationName`, `variables` and `extensions`; a GET request has them as URL parameters.',
      { details },
    );
  }
  // Clients send an empty name for none.
  const operationName = data.operationName === '' ? null : data.operationName;
  return { ...data, operationName, variables: data.variables ?? {} };
}

/** Each contains or names a document. */
const DOCUMENT_PARAMETERS: readonly string[] = ['query', 'documentId', 'extensions'];

/** Returns true if the query string of a GET request contains or names an operation. */
export const hasOperation = (queryString: string): boolean =>
  new URLSearchParams(queryString).keys().some((name) => DOCUMENT_PARAMETERS.includes(name));

/**
 * Reads the parameters of a GET request; the limit on the size of the headers applies to the URL as well.
 * @returns parameters as a request body would contain them, not validated
 * @throws AppError BAD_REQUEST
 */
export function urlParameters(queryString: string): Record<string, unknown> {
  const parameters: Record<string, unknown> = {};
  for (const [name, text] of new URLSearchParams(queryString)) {
    if (Object.hasOwn(parameters, name)) throw badRequest('A URL parameter must not be repeated.');
    const value = JSON_PARAMETERS.includes(name) ? parseJson(name, text) : text;
    // Not an assignment: the name may be `__proto__`.
    Object.defineProperty(parameters, name, { value, enumerable: true });
  }
  return parameters;
}

function parseJson(name: string, text: string): unknown {
  try {
    return parseJsonText(text);
  } catch (error) {
    if (error instanceof JsonError) throw badRequest(`The URL parameter ${name} ${error.problem}`);
    throw error;
  }
}
