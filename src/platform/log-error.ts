/** An error in a log line. */
interface LoggedError {
  type: string;
  message: string;
  code?: string | number;
  /** Paths of the invalid fields, from a validation error. */
  paths?: string[];
  stack: string;
  cause?: LoggedError;
  /** The first errors of an `AggregateError`. */
  errors?: LoggedError[];
}

const MAX_MESSAGE_LENGTH = 1_000;
const MAX_CAUSES = 4;
const MAX_PATHS = 20;
const MAX_ERRORS = 5;

/** Names of errors whose messages quote documents or input: from the database, its driver, the models and parsers. */
const QUOTES_VALUES =
  /^(?:Mongo|Mongoose|BSON|Validat|Cast|Strict|Object|Version|Document|Divergent|Zod|Syntax)/;

/** Removes quoted values from a message: everything from the first brace, and quoted text. */
const withoutValues = (message: string): string =>
  message.replace(/\{[\s\S]*$/, '{…}').replace(/(["'`])[\s\S]*?(?:\1|$)/g, '$1…$1');

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Paths of declared fields; other names come from free-form objects and can be data. */
const PATH = /^[\w.$]{1,100}$/;

function pathsOf({ path, errors }: { path?: unknown; errors?: unknown }): string[] | undefined {
  const paths =
    typeof errors === 'object' && errors !== null && !Array.isArray(errors)
      ? Object.keys(errors)
      : [textOf(path)];
  const names = paths.filter((name) => PATH.test(name)).slice(0, MAX_PATHS);
  return names.length > 0 ? names : undefined;
}

/** Returns the frames of a stack, without the message in front of them. */
const framesOf = (stack: string, message: string): string[] =>
  stack
    .slice(message === '' ? 0 : stack.lastIndexOf(message) + message.length)
    .split('\n')
    .filter((line) => /^\s+at /.test(line));

function describe(error: object, causesLeft: number): LoggedError {
  const { name, message, stack, code, cause, errors, path } = error as Record<string, unknown>;
  const constructed = textOf(error.constructor?.name);
  const type = constructed === '' || constructed === 'Object' ? textOf(name) || 'Error' : constructed;
  const original = textOf(message);
  const isQuoting = QUOTES_VALUES.test(type) || QUOTES_VALUES.test(textOf(name));
  const shown = (isQuoting ? withoutValues(original) : original).slice(0, MAX_MESSAGE_LENGTH);
  const paths = isQuoting ? pathsOf({ path, errors }) : undefined;
  const hasCause = typeof cause === 'object' && cause !== null && causesLeft > 0;
  return {
    type,
    message: shown,
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(paths && { paths }),
    stack: [`${type}: ${shown}`, ...framesOf(textOf(stack), original)].join('\n'),
    ...(hasCause && { cause: describe(cause, causesLeft - 1) }),
    ...(Array.isArray(errors) &&
      causesLeft > 0 && {
        errors: errors
          .filter((one) => typeof one === 'object' && one !== null)
          .slice(0, MAX_ERRORS)
          .map((one) => describe(one, causesLeft - 1)),
      }),
  };
}

/**
 * Serializes an error for the log: its type, message, code and stack, and no other property. Errors of the database
 * have documents and commands as properties, and quote values in their messages, which are removed.
 */
export const logError = (error: unknown): LoggedError | string =>
  typeof error === 'object' && error !== null ? describe(error, MAX_CAUSES) : `${typeof error} thrown`;
