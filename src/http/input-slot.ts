import { type GraphQLInputType, isNonNullType } from 'graphql';

/** An argument or an input field. */
export interface Slot {
  name: string;
  type: GraphQLInputType;
  defaultValue?: unknown;
}

export const isRequired = ({ type, defaultValue }: Slot): boolean =>
  isNonNullType(type) && defaultValue === undefined;
