import { AppError } from '../../errors/app-error.ts';

/** Each scope includes all scopes before it. */
export const SCOPES = ['read', 'write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

export const hasScope = (held: Scope, required: Scope): boolean =>
  SCOPES.indexOf(held) >= SCOPES.indexOf(required);

export const missingScope = (required: Scope): AppError =>
  new AppError('FORBIDDEN', `API key lacks the required scope: ${required}.`);
