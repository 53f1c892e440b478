import { describe, expect, test } from 'vitest';
import { mapField } from '../../../src/features/meetings/mapping/field-mapper.ts';
import { mappingProblems } from '../../../src/features/meetings/mapping/mapping-validation.ts';
import {
  type MappableMeeting,
  readsRecord,
  sourceFieldOf,
} from '../../../src/features/meetings/mapping/source-fields.ts';
import type { FieldMapping } from '../../../src/features/meetings/meetings.types.ts';
import { MEETING_POINTERS, toSourcePointer } from '../../../src/shared/source-pointers.ts';

const MEETING: MappableMeeting = {
  id: 'm1',
  title: 'Weekly',
  createdAt: new Date('2026-10-01T09:00:00Z'),
  startedAt: new Date('2026-10-01T09:05:00Z'),
  durationSeconds: 60,
  participants: [
    { name: 'Telephone', email: null, role: null },
    { name: 'Ann', email: 'ann@example.com', role: 'host' },
  ],
  summary: 'They met.',
  record: { title: "The provider's", '@meeting': { id: 'shadow' }, '@meetings': { id: 'other' } },
};

const VALUES = {
  id: 'm1',
  title: 'Weekly',
  created_at: '2026-10-01T09:00:00.000Z',
  started_at: '2026-10-01T09:05:00.000Z',
  duration_seconds: 60,
  'participants[0].email': 'ann@example.com',
  'participants[0].name': 'Telephone',
  summary: 'They met.',
} satisfies Record<keyof typeof MEETING_POINTERS, unknown>;

const field = (sourceField: string, targetField = 'properties.x'): FieldMapping => ({
  sourceField,
  targetField,
  transform: 'none',
  required: ['externalId', 'occurredAt'].includes(targetField),
});
const valueAtSource = (sourceField: string) => mapField(field(sourceField), MEETING).value;

test.each(Object.entries(MEETING_POINTERS))('%s and %s mean the same', (name, pointer) => {
  expect(toSourcePointer(name)).toBe(pointer);
  expect(toSourcePointer(pointer)).toBe(pointer);
  expect(sourceFieldOf(name)).toBe(sourceFieldOf(pointer));
  expect(valueAtSource(name)).toBe(VALUES[name as keyof typeof VALUES]);
  expect(valueAtSource(pointer)).toBe(VALUES[name as keyof typeof VALUES]);
  expect(readsRecord([field(name), field(pointer)])).toBe(false);
});

test("any other pointer leads into the provider's record", () => {
  expect(valueAtSource('/title')).toBe("The provider's");
  expect(valueAtSource('/@meetings/id')).toBe('other');
  expect(valueAtSource('/@meeting~1id')).toBeNull();
  expect(readsRecord([field('/title')])).toBe(true);
});

test.each([
  '/@meeting',
  '/@meeting/',
  '/@meeting/ID',
  '/@meeting/id/0',
  '/@meeting/constructor',
  '/@meeting/participants/0/name',
])('%s is no field, and does not reach a member of the record with the reserved name', (pointer) => {
  expect(sourceFieldOf(pointer)).toBeUndefined();
  expect(valueAtSource(pointer)).toBeNull();
  expect(readsRecord([field(pointer)])).toBe(false);
});

test.each(['', 'constructor', '__proto__', 'toString', '@meeting/id', '#/title', '/a~', '/a~2'])(
  '%j is no source',
  (source) => {
    expect(toSourcePointer(source)).toBe(source);
    expect(sourceFieldOf(source)).toBeUndefined();
  },
);

describe('a message', () => {
  const messageOf = (sourceField: string, targetField?: string): string | undefined =>
    mappingProblems([
      field('id', 'externalId'),
      field('created_at', 'occurredAt'),
      field(sourceField, targetField),
    ])[0]?.message;

  test.each([
    ['nothing', undefined, /^Must be one of \/@meeting\/id, .+ or a JSON pointer into the provider's record/],
    ['/@meeting/nothing', undefined, /^Must be one of \/@meeting\/id, .+: \/@meeting has no other field\.$/],
    ['/a~b', undefined, /~ is written as ~0/],
    ['duration_seconds', 'personExternalId', /^Must be \/@meeting\/id or .+ for personExternalId\.$/],
  ])('for %s names what is accepted', (source, target, message) => {
    expect(messageOf(source, target)).toMatch(message);
  });
});
