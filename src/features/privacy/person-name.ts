import { z } from 'zod';
import { emailAddress, text } from '../../platform/text-validation.ts';
import type { PersonName } from './person.ts';

const identifier = text().nullish();

/** The identifiers that a request names a person by. */
export const PERSON_NAME = {
  email: emailAddress.nullish(),
  resolvedPersonId: identifier,
  visitorId: identifier,
};

/** Returns true if there is one of the identifiers. */
export const isNamed = ({ email, resolvedPersonId, visitorId }: PersonName): boolean =>
  email != null || resolvedPersonId != null || visitorId != null;

export const UNNAMED = 'Must have an email, a resolvedPersonId or a visitorId.';

/** A person of a list. */
export const personName = z.object(PERSON_NAME).refine(isNamed, UNNAMED);
