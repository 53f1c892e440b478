import { Types } from 'mongoose';

/**
 * The operators of MongoDB that the stores of the delivery engine use, so that their filters, updates and pipelines run
 * as they are. Any other operator throws.
 */
export type Doc = Record<string, unknown>;

type Variables = Record<string, unknown>;

const unknown = (operator: string): never => {
  throw new Error(`The simulated database does not know the operator ${operator}.`);
};

/** Order of the types among each other; only values of one type are compared by range operators. */
function rankOf(value: unknown): number {
  if (value === undefined || value === null) return 0;
  if (typeof value === 'number') return 1;
  if (typeof value === 'string') return 2;
  if (value instanceof Types.ObjectId) return 5;
  if (Array.isArray(value)) return 4;
  if (value instanceof Date) return 7;
  if (typeof value === 'boolean') return 6;
  return 3;
}

function compare(a: unknown, b: unknown): number {
  if (a === b) return 0;
  const [rankA, rankB] = [rankOf(a), rankOf(b)];
  if (rankA !== rankB) return rankA - rankB;
  if (rankA === 0) return 0;
  if (rankA === 7) return (a as Date).getTime() - (b as Date).getTime();
  if (rankA === 5) return Buffer.compare((a as Types.ObjectId).id, (b as Types.ObjectId).id);
  if (rankA === 3 || rankA === 4) {
    const [entriesA, entriesB] = [Object.entries(a as Doc), Object.entries(b as Doc)];
    for (const [index, [key, value]] of entriesA.entries()) {
      const other = entriesB[index];
      if (!other) return 1;
      if (key !== other[0]) return key < other[0] ? -1 : 1;
      const order = compare(value, other[1]);
      if (order !== 0) return order;
    }
    return entriesA.length - entriesB.length;
  }
  return (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0;
}

const isPlain = (value: unknown): value is Doc => rankOf(value) === 3;

/** Returns the value of a path; of a field of embedded documents in an array, their values as an array. */
function valueAt(document: Doc, path: string): unknown {
  if (!path.includes('.')) return document[path];
  return path.split('.').reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return value.map((item: Doc) => item[key]);
    return isPlain(value) ? value[key] : undefined;
  }, document);
}

const equals = (value: unknown, wanted: unknown): boolean =>
  value === wanted ||
  (typeof wanted !== 'number' && typeof wanted !== 'string' && compare(value, wanted) === 0) ||
  (Array.isArray(value) && value.some((item) => compare(item, wanted) === 0));

const sameType = (a: unknown, b: unknown): boolean => rankOf(a) === rankOf(b) && rankOf(a) !== 0;

const CONDITIONS: Record<string, (value: unknown, wanted: never) => boolean> = {
  $eq: (value, wanted) => equals(value, wanted),
  $ne: (value, wanted) => !equals(value, wanted),
  $in: (value, wanted: unknown[]) => wanted.some((each) => equals(value, each)),
  $nin: (value, wanted: unknown[]) => !wanted.some((each) => equals(value, each)),
  $exists: (value, wanted: boolean) => (value !== undefined) === wanted,
  $gt: (value, wanted) => sameType(value, wanted) && compare(value, wanted) > 0,
  $gte: (value, wanted) => sameType(value, wanted) && compare(value, wanted) >= 0,
  $lt: (value, wanted) => sameType(value, wanted) && compare(value, wanted) < 0,
  $lte: (value, wanted) => sameType(value, wanted) && compare(value, wanted) <= 0,
  $type: (value, wanted: 'object') => (wanted === 'object' ? isPlain(value) : unknown(`$type ${wanted}`)),
  $not: (value, wanted: Doc) => !meets(value, wanted),
};

function meets(value: unknown, condition: unknown): boolean {
  if (!isPlain(condition)) return equals(value, condition);
  const operators = Object.keys(condition);
  if (!operators[0]?.startsWith('$')) return equals(value, condition);
  return operators.every((operator) =>
    (CONDITIONS[operator] ?? unknown(operator))(value, condition[operator] as never),
  );
}

export function matches(document: Doc, filter: Doc, variables: Variables = {}): boolean {
  for (const key in filter) {
    const condition = filter[key];
    if (condition === undefined) continue;
    if (key === '$or') {
      if (!(condition as Doc[]).some((each) => matches(document, each, variables))) return false;
    } else if (key === '$and') {
      if (!(condition as Doc[]).every((each) => matches(document, each, variables))) return false;
    } else if (key === '$expr') {
      if (!evaluate(condition, document, variables)) return false;
    } else if (key.startsWith('$')) unknown(key);
    else if (!meets(valueAt(document, key), condition)) return false;
  }
  return true;
}

const EXPRESSIONS: Record<string, (...values: never[]) => unknown> = {
  $arrayElemAt: (array: unknown[] | null, index: number) => array?.at(index),
  $indexOfArray: (array: unknown[], value: unknown) => array.findIndex((each) => compare(each, value) === 0),
  $mergeObjects: (...objects: (Doc | null | undefined)[]) => Object.assign({}, ...objects),
  $slice: (array: unknown[], count: number) => (count < 0 ? array.slice(count) : array.slice(0, count)),
  $concatArrays: (...arrays: (unknown[] | null | undefined)[]) =>
    arrays.some((array) => !array) ? null : (arrays as unknown[][]).flat(),
  $setUnion: (...arrays: unknown[][]) =>
    arrays
      .flat()
      .filter((value, index, all) => all.findIndex((each) => compare(each, value) === 0) === index)
      .sort(compare),
  $add: (...values: (number | Date)[]) => {
    const sum = values.reduce<number>((total, value) => total + Number(value), 0);
    return values.some((value) => value instanceof Date) ? new Date(sum) : sum;
  },
  $subtract: (a: number | Date, b: number | Date) => Number(a) - Number(b),
  $ifNull: (...values: unknown[]) => values.find((value) => value !== null && value !== undefined) ?? null,
  $eq: (a: unknown, b: unknown) => compare(a, b) === 0,
  $ne: (a: unknown, b: unknown) => compare(a, b) !== 0,
  $gt: (a: unknown, b: unknown) => compare(a, b) > 0,
  $gte: (a: unknown, b: unknown) => compare(a, b) >= 0,
  $lt: (a: unknown, b: unknown) => compare(a, b) < 0,
  $lte: (a: unknown, b: unknown) => compare(a, b) <= 0,
  $and: (...values: unknown[]) => values.every(Boolean),
  $or: (...values: unknown[]) => values.some(Boolean),
  $not: (value: unknown) => !value,
  $in: (value: unknown, array: unknown[]) => array.some((each) => compare(each, value) === 0),
  $size: (array: unknown[]) => array.length,
  $max: (...values: unknown[]) => values.flat().reduce((a, b) => (compare(a, b) >= 0 ? a : b)),
  $min: (...values: unknown[]) => values.flat().reduce((a, b) => (compare(a, b) <= 0 ? a : b)),
};

function evaluateOperator(operator: string, operand: unknown, document: Doc, variables: Variables): unknown {
  if (operator === '$literal') return operand;
  if (operator === '$cond') {
    const [condition, then, otherwise] = Array.isArray(operand)
      ? operand
      : [(operand as Doc).if, (operand as Doc).then, (operand as Doc).else];
    return evaluate(evaluate(condition, document, variables) ? then : otherwise, document, variables);
  }
  if (operator === '$filter') {
    const { input, as = 'this', cond } = operand as Doc;
    return (evaluate(input, document, variables) as unknown[]).filter((each) =>
      evaluate(cond, document, { ...variables, [String(as)]: each }),
    );
  }
  if (operator === '$map') {
    const { input, as = 'this', in: each } = operand as Doc;
    return (evaluate(input, document, variables) as unknown[]).map((item) =>
      evaluate(each, document, { ...variables, [String(as)]: item }),
    );
  }
  const values = (Array.isArray(operand) ? operand : [operand]).map((value) =>
    evaluate(value, document, variables),
  );
  return (EXPRESSIONS[operator] ?? unknown(operator))(...(values as never[]));
}

function evaluate(expression: unknown, document: Doc, variables: Variables): unknown {
  if (typeof expression === 'string' && expression.startsWith('$')) {
    if (expression === '$$ROOT') return document;
    if (expression === '$$REMOVE') return undefined;
    if (expression.startsWith('$$')) return valueAt(variables, expression.slice(2));
    return valueAt(document, expression.slice(1));
  }
  if (Array.isArray(expression)) return expression.map((each) => evaluate(each, document, variables) ?? null);
  if (!isPlain(expression)) return expression;
  const [operator] = Object.keys(expression);
  if (operator?.startsWith('$')) return evaluateOperator(operator, expression[operator], document, variables);
  return evaluateFields(expression, document, variables);
}

const evaluateFields = (fields: Doc, document: Doc, variables: Variables): Doc =>
  withoutUndefined(
    Object.fromEntries(
      Object.entries(fields).map(([key, value]) => [key, evaluate(value, document, variables)]),
    ),
  );

function withoutUndefined(document: Doc): Doc {
  for (const key in document) if (document[key] === undefined) delete document[key];
  return document;
}

function without(document: Doc, fields: readonly string[]): Doc {
  const copy = { ...document };
  for (const field of fields) delete copy[field];
  return copy;
}

/** Returns the document with a field set, which may be one of an embedded document. */
function withField(document: Doc, path: string, value: unknown): Doc {
  const [first, ...rest] = path.split('.') as [string, ...string[]];
  const inner = rest.length === 0 ? value : withField((document[first] ?? {}) as Doc, rest.join('.'), value);
  return { ...document, [first]: inner };
}

interface PushModifiers {
  $each: Doc[];
  $slice?: number;
  $sort?: Record<string, number>;
}

const FIELD_UPDATES: Record<string, (before: unknown, operand: never) => unknown> = {
  $set: (_before, operand) => operand,
  $inc: (before, operand: number) => Number(before ?? 0) + operand,
  $max: (before, operand) => (before !== undefined && compare(before, operand) >= 0 ? before : operand),
  $min: (before, operand) => (before !== undefined && compare(before, operand) <= 0 ? before : operand),
  $push: (before, { $each, $slice, $sort, ...others }: PushModifiers) => {
    for (const modifier of Object.keys(others)) unknown(modifier);
    const all = [...((before as Doc[] | undefined) ?? []), ...$each];
    if ($sort) all.sort(sorting($sort));
    return $slice === undefined ? all : all.slice($slice);
  },
};

/** Returns the updated document. @param inserts true for the document of an upsert */
export function updated(document: Doc, update: Doc | Doc[], inserts = false): Doc {
  if (Array.isArray(update)) return update.reduce((current, stage) => staged(current, stage), document);
  let result = document;
  for (const [operator, fields] of Object.entries(update)) {
    if (operator === '$unset') result = without(result, Object.keys(fields as Doc));
    else if (operator === '$setOnInsert') {
      if (inserts) result = { ...result, ...(fields as Doc) };
    } else {
      const change = FIELD_UPDATES[operator] ?? unknown(operator);
      for (const [path, operand] of Object.entries(fields as Doc))
        if (operand !== undefined)
          result = withField(result, path, change(valueAt(result, path), operand as never));
    }
  }
  return result;
}

function staged(document: Doc, stage: Doc): Doc {
  const [[operator, operand] = ['', null]] = Object.entries(stage);
  if (operator === '$set') {
    const fields = Object.entries(operand as Doc).map(
      ([key, value]) => [key, evaluate(value, document, {})] as const,
    );
    return withoutUndefined({ ...document, ...Object.fromEntries(fields) });
  }
  if (operator === '$unset') return without(document, [operand as string | string[]].flat());
  if (operator === '$replaceWith') return evaluate(operand, document, {}) as Doc;
  return unknown(operator);
}

/** Returns a comparison by the fields of a sort specification. */
export const sorting =
  (fields: Record<string, number>) =>
  (a: Doc, b: Doc): number => {
    for (const [field, direction] of Object.entries(fields)) {
      const order = compare(valueAt(a, field), valueAt(b, field));
      if (order !== 0) return direction * order;
    }
    return 0;
  };

/** Returns the part of a document that has only this path, in each element of an array. */
function included(document: Doc, path: string): Doc {
  const [first, ...rest] = path.split('.') as [string, ...string[]];
  const value = document[first];
  if (rest.length === 0) return { [first]: value };
  const inner = (item: unknown) => (isPlain(item) ? included(item, rest.join('.')) : item);
  return { [first]: Array.isArray(value) ? value.map(inner) : inner(value) };
}

/** Returns the projected document. */
export function projected(document: Doc, projection: Doc, variables: Variables = {}): Doc {
  const entries = Object.entries(projection);
  if (entries.length === 0) return document;
  if (entries.every(([, value]) => value === 0)) return without(document, Object.keys(projection));
  const result: Doc = projection._id === 0 ? {} : { _id: document._id };
  for (const [field, value] of entries)
    if (value === 1 || value === true) Object.assign(result, included(document, field));
    else if (value !== 0) result[field] = evaluate(value, document, variables);
  return withoutUndefined(result);
}

function grouped(documents: Doc[], { _id, ...fields }: Doc): Doc[] {
  const groups = Map.groupBy(documents, (document) => {
    const value = evaluate(_id, document, {});
    return value instanceof Types.ObjectId ? value.toHexString() : value;
  });
  return [...groups.values()].map((members) => {
    const result: Doc = { _id: evaluate(_id, members[0] as Doc, {}) ?? null };
    for (const [field, accumulator] of Object.entries(fields)) {
      const [[operator, operand] = ['', null]] = Object.entries(accumulator as Doc);
      const values = members.map((member) => evaluate(operand, member, {}));
      if (operator === '$first') result[field] = values[0];
      else if (operator === '$min') result[field] = values.reduce((a, b) => (compare(a, b) <= 0 ? a : b));
      else if (operator === '$max') result[field] = values.reduce((a, b) => (compare(a, b) >= 0 ? a : b));
      else if (operator === '$sum')
        result[field] = values.reduce<number>((sum, value) => sum + Number(value), 0);
      else unknown(operator);
    }
    return result;
  });
}

/** Returns the results of a pipeline. @param collection returns the documents of another collection */
export function aggregated(
  documents: Doc[],
  pipeline: readonly Doc[],
  collection: (name: string) => Doc[],
  variables: Variables = {},
): Doc[] {
  return pipeline.reduce<Doc[]>((current, stage) => {
    const [[operator, operand] = ['', null]] = Object.entries(stage);
    const spec = operand as Doc;
    switch (operator) {
      case '$documents':
        return operand as Doc[];
      case '$match':
        return current.filter((document) => matches(document, spec, variables));
      case '$sort':
        return current.toSorted(sorting(spec as Record<string, number>));
      case '$limit':
        return current.slice(0, operand as number);
      case '$project':
        return current.map((document) => projected(document, spec, variables));
      case '$set':
        return current.map((document) => staged(document, stage));
      case '$group':
        return grouped(current, spec);
      case '$count':
        return current.length > 0 ? [{ [String(operand)]: current.length }] : [];
      case '$unionWith':
        return current.concat(
          aggregated(collection(String(spec.coll)), spec.pipeline as Doc[], collection, variables),
        );
      case '$lookup':
        return current.map((document) => {
          const { from, localField, foreignField, pipeline: inner = [], as } = spec;
          const local = localField === undefined ? undefined : valueAt(document, String(localField));
          const found = collection(String(from)).filter(
            (each) => localField === undefined || equals(valueAt(each, String(foreignField)), local),
          );
          const scope = { ...variables, ...evaluateFields((spec.let ?? {}) as Doc, document, variables) };
          return { ...document, [String(as)]: aggregated(found, inner as Doc[], collection, scope) };
        });
      default:
        return unknown(operator);
    }
  }, documents);
}
