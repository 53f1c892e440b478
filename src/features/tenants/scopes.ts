import { AppError } from '../../errors/app-error.ts';
import { KEY_RESOURCES, type KeyResource } from '../../shared/key-limits.ts';

/** Each scope includes all scopes before it. */
export const SCOPES = ['read', 'write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

export const hasScope = (held: Scope, required: Scope): boolean =>
  SCOPES.indexOf(held) >= SCOPES.indexOf(required);

/** What a root field concerns: a resource, `any` for every key, `account` for keys without a limit only. */
export const FIELD_RESOURCES = [...KEY_RESOURCES, 'any', 'account'] as const;
export type FieldResource = (typeof FIELD_RESOURCES)[number];

/** @param held resources that a key is limited to; null if it is not limited */
export const hasResource = (held: readonly KeyResource[] | null, required: FieldResource): boolean =>
  held === null || required === 'any' || held.some((resource) => resource === required);

export const missingResource = (required: FieldResource): AppError =>
  new AppError(
    'FORBIDDEN',
    required === 'account'
      ? 'An API key that is limited to resources cannot call this operation.'
      : `API key lacks the required resource: ${required}.`,
  );

export const missingScope = (required: Scope): AppError =>
  new AppError('FORBIDDEN', `API key lacks the required scope: ${required}.`);
