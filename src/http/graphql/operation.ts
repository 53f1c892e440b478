import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { GraphQLContext } from '../../../schema/context.ts';
import { AppError, badRequest } from '../../errors/app-error.ts';
import { EVENT_STREAM_TYPE, type ResponseType } from '../response/response-types.ts';
import { fragmentsOf } from './selection-merger.ts';

/** A root field as an operation selects it. */
export interface RootField {
  node: FieldNode;
  field: GraphQLField<unknown, unknown>;
}

/** An operation of a valid document. */
export interface ValidOperation {
  schema: GraphQLSchema;
  document: DocumentNode;
  operation: OperationDefinitionNode;
  /** Before coercion. */
  variables: Record<string, unknown>;
}

/** An operation with the state that the plugins share. */
export interface Operation extends ValidOperation {
  rootFields: readonly RootField[];
  /** Set by `useCost`. */
  cost: number;
}

/** What the pipeline knows of the request in addition to its context. */
export interface OperationRequest {
  /** Text of the document. */
  query: string;
  /** True for GET, which never executes a mutation. */
  isSafe: boolean;
  /** True if the client names `text/event-stream`, which a subscription requires. */
  acceptsEvents: boolean;
  /** Content type of the response. */
  type: ResponseType;
  /** True for the result of a query that was executed: a read, which contains no secret. */
  isRead: boolean;
  reserve?: ((responseBytes: number) => Promise<void>) | undefined;
  charge?: ((points: number) => Promise<void>) | undefined;
}

/** Context of an operation in the pipeline. */
export interface OperationContext extends GraphQLContext {
  http: OperationRequest;
  /** Set by `useOperation`. */
  operation: Operation;
}

export type OperationPlugin = Plugin<OperationContext>;

type Payload = Parameters<NonNullable<OperationPlugin['onExecute']>>[0];
type CheckPayload = Pick<Payload, 'context' | 'args' | 'extendContext' | 'setResultAndStopExecution'>;

/** Returns a plugin that calls `check` before an operation is executed or subscribed to. */
export const beforeOperation = (check: (payload: CheckPayload) => void | Promise<void>): OperationPlugin => ({
  onExecute: check,
  onSubscribe: check,
});

/** Finds the operation and its root fields, and checks that the request may execute an operation of its type. */
export const useOperation = (): OperationPlugin =>
  beforeOperation(
    ({ context: { http }, args: { schema, document, operationName, variableValues }, extendContext }) => {
      const operation = getOperationAST(document, operationName);
      if (!operation) throw badRequest('`operationName` must name an operation in the document.');
      if (operation.operation === 'subscription' && http.acceptsEvents) http.type = EVENT_STREAM_TYPE;
      checkMethod(operation, http);
      const valid = { schema, document, operation, variables: variableValues ?? {} };
      extendContext({ operation: { ...valid, rootFields: rootFieldsOf(valid), cost: 0 } });
    },
  );

/** @throws AppError METHOD_NOT_ALLOWED, BAD_REQUEST */
function checkMethod(
  { operation }: OperationDefinitionNode,
  { isSafe, acceptsEvents }: OperationRequest,
): void {
  if (isSafe && (operation === 'mutation' || (operation === 'subscription' && !acceptsEvents))) {
    throw new AppError(
      'METHOD_NOT_ALLOWED',
      'A GET request executes queries, and subscriptions with the header `Accept: text/event-stream`; send other operations by POST.',
      { allow: ['POST'] },
    );
  }
  if (operation === 'subscription' && !acceptsEvents) {
    throw badRequest('A subscription requires the header `Accept: text/event-stream`.');
  }
}

/** Returns the root fields that an operation executes, also in fragments. */
export function rootFieldsOf({ schema, document, operation, variables }: ValidOperation): RootField[] {
  const fields = schema.getRootType(operation.operation)?.getFields() ?? {};
  const fragments = fragmentsOf(document);
  const isTrue = booleansOf(operation, variables);
  const spread = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): RootField[] =>
    selections.flatMap((node) => {
      if (isSkipped(node, isTrue)) return [];
      if (node.kind === Kind.FIELD) {
        const field = fields[node.name.value];
        return field ? [{ node, field }] : [];
      }
      if (node.kind === Kind.INLINE_FRAGMENT) return collect(node.selectionSet);
      const fragment = fragments.get(node.name.value);
      if (!fragment || spread.has(node.name.value)) return [];
      spread.add(node.name.value);
      return collect(fragment);
    });
  return collect(operation.selectionSet);
}

/** Returns a function that reads a boolean variable; undefined if it has no valid value. */
function booleansOf(
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Record<string, unknown>,
): (name: string) => unknown {
  const defaults = new Map(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue?.kind === Kind.BOOLEAN ? [[variable.name.value, defaultValue.value] as const] : [],
    ),
  );
  return (name) => (Object.hasOwn(variables, name) ? variables[name] : defaults.get(name));
}

/** Evaluates `@skip` and `@include` before the variables are coerced: an invalid value does not skip the selection. */
const isSkipped = ({ directives = [] }: SelectionNode, variable: (name: string) => unknown): boolean =>
  directives.some(({ name, arguments: [condition] = [] }) => {
    if (!condition || (name.value !== 'skip' && name.value !== 'include')) return false;
    const { value } = condition;
    const on =
      value.kind === Kind.VARIABLE
        ? variable(value.name.value)
        : value.kind === Kind.BOOLEAN
          ? value.value
          : undefined;
    return on === (name.value === 'skip');
  });
