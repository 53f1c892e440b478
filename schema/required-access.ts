import type { FieldNullability, InputFieldMap, SchemaTypes, TypeParam } from '@pothos/core';
import type { GraphQLField } from 'graphql';
import { FIELD_RESOURCES, type FieldResource, SCOPES, type Scope } from '../src/features/tenants/scopes.ts';
import { isObject } from '../src/platform/is-object.ts';
import { KEY_RESOURCES, type KeyResource } from '../src/shared/key-limits.ts';

/** Options of every root field; `src/http/access/check-access.ts` enforces them. */
export interface FieldAccess {
  /** Smallest scope of an API key that may call the field, on every surface. */
  scope: Scope;
  /** Resource that an API key limited to resources needs for the field. */
  resource: FieldResource;
}

declare global {
  namespace PothosSchemaTypes {
    interface QueryFieldOptions<
      Types extends SchemaTypes,
      Type extends TypeParam<Types>,
      Nullable extends FieldNullability<Type>,
      Args extends InputFieldMap,
      ResolveReturnShape,
    > extends FieldAccess {}

    interface ObjectFieldOptions<
      Types extends SchemaTypes,
      ParentShape,
      Type extends TypeParam<Types>,
      Nullable extends FieldNullability<Type>,
      Args extends InputFieldMap,
      ResolveReturnShape,
    > {
      /** Resource that a key limited to resources needs for an edge to objects of another resource. */
      resource?: KeyResource;
    }

    interface MutationFieldOptions<
      Types extends SchemaTypes,
      Type extends TypeParam<Types>,
      Nullable extends FieldNullability<Type>,
      Args extends InputFieldMap,
      ResolveReturnShape,
    > extends FieldAccess {}

    interface SubscriptionFieldOptions<
      Types extends SchemaTypes,
      Type extends TypeParam<Types>,
      Nullable extends FieldNullability<Type>,
      Args extends InputFieldMap,
      ResolveShape,
      ResolveReturnShape,
    > extends FieldAccess {}
  }
}

type Field = GraphQLField<unknown, unknown>;

const declaredBy = ({ extensions: { pothosOptions } }: Field): Record<string, unknown> =>
  isObject(pothosOptions) ? pothosOptions : {};

/**
 * Returns the access that a root field declares.
 * @throws Error if it declares none
 */
export function requiredAccess(field: Field): FieldAccess {
  const declared = declaredBy(field);
  const scope = SCOPES.find((candidate) => candidate === declared.scope);
  const resource = FIELD_RESOURCES.find((candidate) => candidate === declared.resource);
  if (!scope || !resource) throw new Error(`The root field ${field.name} declares no scope or no resource.`);
  return { scope, resource };
}

/** Returns the resource that a field of an object leads to; null if it stays within the one of its root field. */
export const edgeResource = (field: Field): KeyResource | null =>
  KEY_RESOURCES.find((candidate) => candidate === declaredBy(field).resource) ?? null;
