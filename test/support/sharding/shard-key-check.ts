/** A command as the driver reports it. */
export type Command = Readonly<Record<string, unknown>>;
type Filter = Readonly<Record<string, unknown>>;

/** Fields of the shard key by sharded collection; the tenant, or what contains it, is the first. */
export type ShardKeys = ReadonlyMap<string, readonly string[]>;

/** A command, or one statement of it, that a cluster cannot send to one tenant's shards. */
export interface Untargeted {
  collection: string;
  command: string;
  /** Top-level fields of the filter, or of the document, sorted. */
  fields: string[];
  /** Fields of the shard key that are absent or not compared for equality. */
  missing: string[];
}

const isObject = (value: unknown): value is Filter => typeof value === 'object' && value !== null;
const isValue = (value: unknown): boolean =>
  value !== undefined &&
  (!isObject(value) || '_bsontype' in value || value instanceof Date || Object.hasOwn(value, '$eq'));
/** Tenant that an id begins with. */
const tenantOf = (id: unknown): string | null =>
  (typeof id === 'string' && /^\d+(?=[:;])/.exec(id)?.[0]) || null;
/** A range of ids that begin with a tenant: both bounds begin with it. */
const isRangeOfTenant = ({ $gte, $gt = $gte, $lte, $lt = $lte }: Filter): boolean =>
  tenantOf($gt) !== null && tenantOf($gt) === tenantOf($lt);
const isOfTenants = (value: unknown): boolean =>
  isValue(value) || (isObject(value) && (Object.hasOwn(value, '$in') || isRangeOfTenant(value)));

/** Returns the values that a field is compared with, in the filter and its conjunctions. */
function comparisons(filter: Filter, field: string): unknown[] {
  const parts = Array.isArray(filter.$and) ? (filter.$and as Filter[]) : [];
  return [filter[field], ...parts.flatMap((part) => comparisons(part, field))];
}

const missingOf = (
  filter: Filter,
  fields: readonly string[],
  matches: (value: unknown) => boolean,
): string[] => fields.filter((field) => !comparisons(filter, field).some(matches));

interface Statement {
  filter: Filter;
  /** Needed part of the key: its first field, to reach a tenant's shards, or enough for one document. */
  needs: 'tenant' | 'document' | 'whole key';
}

function missing(key: readonly string[], { filter, needs }: Statement): string[] {
  const tenant = missingOf(filter, key.slice(0, 1), isOfTenants);
  if (needs === 'tenant') return tenant;
  const whole = missingOf(filter, key, isValue);
  // A cluster finds one document by its id on the shards of its tenant.
  return needs === 'document' && tenant.length === 0 && isValue(filter._id) ? [] : whole;
}

const list = (value: unknown): Filter[] => (Array.isArray(value) ? value : []) as Filter[];
const asFilter = (value: unknown): Filter => (isObject(value) ? value : {});

/** Returns the conditions of the `$match` stages at the beginning of a pipeline as one filter. */
function leadingMatch(pipeline: Filter[]): Filter {
  const end = pipeline.findIndex((stage) => !('$match' in stage));
  const matches = (end === -1 ? pipeline : pipeline.slice(0, end)).map(({ $match }) => asFilter($match));
  return Object.assign({}, ...matches);
}

/** Returns the reads of other collections in a pipeline. */
const joins = (pipeline: Filter[]): [collection: string, Statement][] =>
  pipeline.flatMap((stage): [string, Statement][] => {
    const join = asFilter(stage.$lookup ?? stage.$unionWith);
    const collection = join.from ?? join.coll;
    if (typeof collection !== 'string') return [];
    const nested = list(join.pipeline);
    const equal = typeof join.foreignField === 'string' ? { [join.foreignField]: null } : {};
    const filter = { ...leadingMatch(nested), ...equal };
    return [[collection, { filter, needs: 'tenant' }], ...joins(nested)];
  });

/** Returns the statements of a command by collection. */
function statements(name: string, command: Command): [collection: string, Statement][] {
  const collection = String(command[name]);
  const read = (filter: unknown): [string, Statement][] => [
    [collection, { filter: asFilter(filter), needs: 'tenant' }],
  ];
  switch (name) {
    case 'find':
      return read(command.filter);
    case 'count':
    case 'distinct':
      return read(command.query);
    case 'aggregate': {
      const pipeline = list(command.pipeline);
      // Change streams observe all shards by design.
      if (pipeline[0] && '$changeStream' in pipeline[0]) return [];
      return [...read(leadingMatch(pipeline)), ...joins(pipeline)];
    }
    case 'insert':
      return list(command.documents).map((filter) => [collection, { filter, needs: 'whole key' }]);
    case 'update':
      return list(command.updates).map(({ q, multi, upsert }) => [
        collection,
        { filter: asFilter(q), needs: upsert ? 'whole key' : multi ? 'tenant' : 'document' },
      ]);
    case 'delete':
      return list(command.deletes).map(({ q, limit }) => [
        collection,
        { filter: asFilter(q), needs: limit === 1 ? 'document' : 'tenant' },
      ]);
    case 'findAndModify':
      return [
        // MongoDB 6.0 finds one document for it by the whole key only.
        [collection, { filter: asFilter(command.query), needs: 'whole key' }],
      ];
    default:
      return [];
  }
}

/** Returns the statements of a command on sharded collections that lack what they need of the shard key. */
export function untargetedStatements(name: string, command: Command, keys: ShardKeys): Untargeted[] {
  return statements(name, command).flatMap(([collection, statement]) => {
    const key = keys.get(collection);
    const lacking = key ? missing(key, statement) : [];
    if (lacking.length === 0) return [];
    return [{ collection, command: name, fields: Object.keys(statement.filter).sort(), missing: lacking }];
  });
}
