import { AppError } from '../../errors/app-error.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import type { PersonalData } from './erasure-step.ts';
import {
  identifierCount,
  identifiersBeyond,
  isSeveralPeople,
  MAX_IDENTIFIERS,
  type Person,
  withIdentifiers,
} from './person.ts';

/**
 * Returns a person with all identifiers that stored data links to the given ones.
 *
 * @throws AppError `CONFLICT` if the links join more than one person; the reason of the signal once it is aborted
 */
export type PersonFinder = (tenant: TenantRef, given: Person, signal?: AbortSignal) => Promise<Person>;

/** Creates the search for the identifiers of a person, which erasures and exports share. */
export const createPersonFinder =
  (personalData: readonly PersonalData[]): PersonFinder =>
  async (tenant, given, signal) => {
    let person = given;
    // Each identifier is searched for once: a search reads all conversations and meetings of the tenant.
    let unsearched = given;
    for (;;) {
      let linked = person;
      for (const { links } of personalData)
        if (links) linked = withIdentifiers(linked, await links(tenant, unsearched, signal));
      if (isSeveralPeople(linked))
        throw new AppError(
          'CONFLICT',
          `The identifiers are linked to more than ${MAX_IDENTIFIERS.count.toLocaleString('en')} others, or to others of more than ${MAX_IDENTIFIERS.characters.toLocaleString('en')} characters, which is more than one person. Nothing was done; correct the identities that join them.`,
        );
      if (identifierCount(linked) === identifierCount(person)) return linked;
      unsearched = identifiersBeyond(person, linked);
      person = linked;
    }
  };
