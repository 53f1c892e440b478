import { expect, test } from 'vitest';
import { AUDITED_ACTS, NOT_AUDITED } from '../../../schema/audit/audited-acts.ts';
import { buildSchemas } from '../../../schema/index.ts';

test('every mutation is an act of the audit log, or is left out with a reason', () => {
  const mutations = Object.values(buildSchemas()).flatMap((schema) =>
    Object.keys(schema.getMutationType()?.getFields() ?? {}),
  );
  const declared = [...Object.keys(AUDITED_ACTS), ...NOT_AUDITED];
  expect(declared.sort()).toEqual([...new Set(mutations)].sort());
});
