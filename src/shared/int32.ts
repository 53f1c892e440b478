/** Largest value of a GraphQL `Int` and of an OpenAPI `int32`. */
export const MAX_INT32 = 2 ** 31 - 1;
