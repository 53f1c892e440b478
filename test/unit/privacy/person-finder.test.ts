import { expect, test } from 'vitest';
import { NO_PERSON, type Person } from '../../../src/features/privacy/person.ts';
import { createPersonFinder } from '../../../src/features/privacy/person-finder.ts';

test('follows links to their end, and searches for each identifier once', async () => {
  const searched: Person[] = [];
  const conversations = {
    steps: [],
    async links(_tenant: object, person: Person): Promise<Partial<Person>> {
      searched.push(person);
      return {
        ...(person.emails.includes('zoe@example.com') && { visitorIds: ['v_1'], names: ['Zoe Quist'] }),
        ...(person.visitorIds.includes('v_1') && { visitorIds: ['v_1'], emails: ['zoe@work.example'] }),
      };
    },
  };
  const meetings = {
    steps: [],
    links: async (_tenant: object, { emails }: Person): Promise<Partial<Person>> =>
      emails.includes('zoe@work.example') ? { names: ['Zoe W. Quist'], emails } : {},
  };
  const find = createPersonFinder([conversations, meetings]);
  expect(await find({ customerId: 7 }, { ...NO_PERSON, emails: ['zoe@example.com'] })).toEqual({
    ...NO_PERSON,
    emails: ['zoe@example.com', 'zoe@work.example'],
    visitorIds: ['v_1'],
    names: ['Zoe Quist', 'Zoe W. Quist'],
  });
  expect(searched).toEqual([
    { ...NO_PERSON, emails: ['zoe@example.com'] },
    { ...NO_PERSON, visitorIds: ['v_1'], names: ['Zoe Quist'] },
    { ...NO_PERSON, emails: ['zoe@work.example'] },
    { ...NO_PERSON, names: ['Zoe W. Quist'] },
  ]);
});
