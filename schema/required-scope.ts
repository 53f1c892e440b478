import type { FieldNullability, InputFieldMap, SchemaTypes, TypeParam } from '@pothos/core';
import type { GraphQLField } from 'graphql';
import { SCOPES, type Scope } from '../src/features/tenants/scopes.ts';
import { isObject } from '../src/platform/is-object.ts';

/** Option of every root field; `src/http/access/check-scope.ts` enforces it. */
interface ScopedField {
  /** Smallest scope of an API key that may call the field, on every surface. */
  scope: Scope;
}

declare global {
  namespace PothosSchemaTypes {
    interface QueryFieldOptions<
      Types extends SchemaTypes,
      Type extends TypeParam<Types>,
      Nullable extends FieldNullability<Type>,
      Args extends InputFieldMap,
      ResolveReturnShape,
    > extends ScopedField {}

    interface MutationFieldOptions<
      Types extends SchemaTypes,
      Type extends TypeParam<Types>,
      Nullable extends FieldNullability<Type>,
      Args extends InputFieldMap,
      ResolveReturnShape,
    > extends ScopedField {}

    interface SubscriptionFieldOptions<
      Types extends SchemaTypes,
      Type extends TypeParam<Types>,
      Nullable extends FieldNullability<Type>,
      Args extends InputFieldMap,
      ResolveShape,
      ResolveReturnShape,
    > extends ScopedField {}
  }
}

/**
 * Returns the scope that a root field declares.
 * @throws Error if it declares none
 */
export function requiredScope({ name, extensions }: GraphQLField<unknown, unknown>): Scope {
  const { pothosOptions } = extensions;
  const declared = isObject(pothosOptions) ? pothosOptions.scope : undefined;
  const scope = SCOPES.find((candidate) => candidate === declared);
  if (!scope) throw new Error(`The root field ${name} declares no scope.`);
  return scope;
}
