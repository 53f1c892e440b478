import {
  coerceInputValue,
  type GraphQLSchema,
  getVariableValues,
  isInputType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import { AppError, type ErrorDetail } from '../../errors.ts';

/** More than anyone corrects at once. */
const MOST = 50;

/**
 * What is wrong with an operation's variables, each at the variable's path (`input.events.0`); null when nothing is.
 * graphql-js has the paths in its messages only, so what it refused is coerced once more for them.
 */
export function variablesError(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): AppError | null {
  const definitions = operation.variableDefinitions ?? [];
  if (definitions.length === 0) return null;
  const { errors } = getVariableValues(schema, definitions, variables, { maxErrors: MOST });
  if (!errors) return null;

  const details: ErrorDetail[] = [];
  const add = (path: readonly (string | number)[], message: string) => {
    if (details.length < MOST) details.push({ path: path.join('.'), message });
  };
  for (const { variable, type: typeNode, defaultValue } of definitions) {
    const name = variable.name.value;
    const type = typeFromAST(schema, typeNode);
    if (!isInputType(type)) continue;
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value !== undefined) {
      coerceInputValue(value, type, (path, _value, { message }) =>
        add([name, ...path, ...namedField(message)], message),
      );
    } else if (isNonNullType(type) && !defaultValue) {
      add([name], 'Is required.');
    }
  }
  return new AppError('VALIDATION_FAILED', 'The variables are not valid.', { details });
}

/** The field that a message is about, where graphql-js places it at the object that has it, or lacks it. */
const namedField = (message: string) =>
  /^Field "(\w+)" (?:of required type|is not defined)/.exec(message)?.slice(1, 2) ?? [];
