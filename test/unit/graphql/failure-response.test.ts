import { expect, test } from 'vitest';
import { failureResponse } from '../../../src/http/graphql/operation-response.ts';
import { GRAPHQL_RESPONSE_TYPE } from '../../../src/http/response/response-types.ts';
import { DatabaseUnavailable } from '../../../src/platform/mongo/unavailable.ts';
import { caller } from './endpoint.ts';

test('an operation that was not executed because the database is unavailable has Retry-After', () => {
  const response = failureResponse(GRAPHQL_RESPONSE_TYPE, new DatabaseUnavailable(), caller().context);
  expect(response).toMatchObject({ status: 503, headers: { 'Retry-After': '5' } });
});
