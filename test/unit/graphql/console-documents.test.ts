import { Kind, parse, print, validate } from 'graphql';
import { expect, test } from 'vitest';
import * as generated from '../../../src/console/generated/graphql.ts';
import {
  checkCost,
  documentLimitError,
  fieldAliasesError,
} from '../../../src/http/graphql/document-limits.ts';
import { schema } from './endpoint.ts';

/** Operations; the fragments among the documents are part of the operations that use them. */
const DOCUMENTS = Object.entries(generated)
  .filter(([, value]) => value instanceof String)
  .map(([name, text]) => [name, parse(String(text))] as const)
  .filter(([, { definitions }]) => definitions.some(({ kind }) => kind === Kind.OPERATION_DEFINITION));

test('the console has documents', () => expect(DOCUMENTS.length).toBeGreaterThan(20));

test.each(DOCUMENTS)('%s of the console is within the limits, with the largest pages', (_name, document) => {
  const operation = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (!operation) return;
  // Any value of the right nullability will do for the others: only `first` affects the cost.
  const definitions = operation.variableDefinitions ?? [];
  const measuredVariables = definitions.filter(
    ({ variable, type }) => variable.name.value === 'first' || print(type) === 'String!',
  );
  expect(validate(schema, document)).toEqual([]);
  expect(documentLimitError(document)).toBeNull();
  expect(fieldAliasesError(document)).toBeNull();
  const measured = { ...operation, variableDefinitions: measuredVariables };
  const variables = Object.fromEntries(
    measuredVariables.map(({ variable: { name } }) => [name.value, name.value === 'first' ? 100 : 'text']),
  );
  expect(() => checkCost({ schema, document, operation: measured, variables })).not.toThrow();
});
