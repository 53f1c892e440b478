import type { mongo } from 'mongoose';
import { objectIdsOf } from '../../platform/mongo/object-id.ts';
import { READ_LIMIT } from '../../platform/mongo/read-limits.ts';
import { countedAs, type ErasureStep, NOTHING_FOUND } from './erasure-step.ts';
import type { Person } from './person.ts';
import type { OwnedDocument, PersonalValue } from './personal-fields.ts';
import { type PersonalCollection, rewritePersonal, scanPersonal } from './personal-scan.ts';

/** How the texts of a collection are searched for mentions of one person. */
interface TextSearch<D> {
  /** Filter of the database, which can find more; null if texts can mention nothing of the person. */
  match: mongo.Document | null;
  /** Returns true for a document that mentions the person. */
  matches: (document: D) => boolean;
  /** Returns a value without the mentions. */
  redacted: (value: PersonalValue) => unknown;
}

/** Texts of others in a collection, which can mention people. */
interface MentioningTexts<D> {
  /** Name of the step. */
  name: string;
  of: PersonalCollection;
  /** Documents per window. */
  size: number;
  searchFor: (person: Person) => TextSearch<D>;
}

/** Creates the step that replaces mentions in the texts of a collection, which are about others. */
export function mentionStep<D extends OwnedDocument>({
  name,
  of,
  size,
  searchFor,
}: MentioningTexts<D>): ErasureStep {
  return {
    name,
    collections: [of.personal.collection],
    idsOf: of.personal.collection,
    findsMentions: true,
    async find({ tenant, person }, after) {
      const { match, matches } = searchFor(person);
      if (!match) return NOTHING_FOUND;
      return countedAs('redacted_texts', await scanPersonal<D>(of, { tenant, after, size, match, matches }));
    },
    async erase({ tenant: { customerId }, person }, ids) {
      const found = await of.collection
        .find({ customerId, _id: { $in: objectIdsOf(ids) } }, { hint: { _id: 1 }, ...READ_LIMIT })
        .toArray();
      return rewritePersonal(of, found as unknown as D[], searchFor(person).redacted);
    },
  };
}
