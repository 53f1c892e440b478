import { expect, test } from 'vitest';
import { AUDITED_ACTS, NOT_AUDITED } from '../../../schema/audit/audited-acts.ts';
import { builder } from '../../../schema/builder.ts';
import '../../../schema/index.ts';

test('every mutation is an act of the audit log, or is left out with a reason', () => {
  const mutations = Object.keys(builder.toSchema().getMutationType()?.getFields() ?? {});
  const declared = [...Object.keys(AUDITED_ACTS), ...NOT_AUDITED];
  expect(declared.sort()).toEqual(mutations.sort());
});
