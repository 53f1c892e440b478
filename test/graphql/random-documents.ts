import {
  __Schema,
  __Type,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';

/** Returns numbers from 0 to below 1 that depend on the seed only (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface RandomDocument {
  query: string;
  variables: Record<string, unknown>;
}

/** Shape of one document: each document is extreme in other respects. */
interface Shape {
  /** Levels of fields below the root. */
  depth: number;
  /** Fields of a selection set. */
  fields: number;
  /** Largest number of aliases of one field. */
  aliases: number;
  /** Number of fragments. */
  fragments: number;
  /** Share of the selections that are spreads, if there are fragments. */
  spreads: number;
  /** Share of the selections with a directive. */
  directives: number;
  /** Share of the root fields that introspect. */
  introspection: number;
  /** Share of the arguments that are variables. */
  variables: number;
  /** Share of the documents that are damaged. */
  damaged: number;
  /** Characters after which only leaves are selected. */
  length: number;
}

/**
 * Returns a generator of query documents, with fragments, aliases, variables, directives and introspection in any
 * combination. Most are valid; the same seed generates the same documents.
 */
export function randomDocuments(schema: GraphQLSchema, seed: number): () => RandomDocument {
  const random = seededRandom(seed);
  const below = (count: number): number => Math.floor(random() * count);
  const chance = (share: number): boolean => random() < share;
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;
  const queryType = schema.getQueryType() as GraphQLObjectType;
  const rootFields = Object.values(queryType.getFields());
  const introspected: readonly GraphQLObjectType[] = [__Schema, __Type];

  function newShape(): Shape {
    const extreme = <T>(usual: T, others: readonly T[]): T => (chance(0.5) ? usual : pick(others));
    return {
      depth: extreme(5, [2, 8, 12, 16]),
      fields: extreme(4, [1, 2, 12, 60, 400]),
      aliases: extreme(1, [2, 3, 5, 6]),
      fragments: extreme(0, [1, 5, 20, 60, 150]),
      spreads: pick([0.1, 0.5, 0.9]),
      directives: extreme(0, [0.05, 0.5]),
      introspection: extreme(0.2, [0, 1]),
      variables: pick([0, 0.5]),
      damaged: 0.1,
      length: pick([500, 3_000, 8_000, 60_000]),
    };
  }

  return () => {
    const shape = newShape();
    const variables: Record<string, unknown> = {};
    const definitions = new Map<string, string>();
    const fragments: { name: string; type: GraphQLObjectType }[] = [];
    let length = 0;

    const directive = (): string => {
      if (!chance(shape.directives)) return '';
      const name = pick(['skip', 'include']);
      return ` @${name}(if: ${chance(shape.variables) ? variable('Boolean!', chance(0.5)) : chance(0.5)})`;
    };

    function variable(type: string, value: unknown): string {
      const name = `v${definitions.size}`;
      definitions.set(name, type);
      variables[name] = value;
      return `$${name}`;
    }

    function inputValue(type: GraphQLInputType): unknown {
      if (isNonNullType(type)) return inputValue(type.ofType);
      if (isListType(type)) return Array.from({ length: pick([0, 1, 20]) }, () => inputValue(type.ofType));
      if (isEnumType(type)) return pick(type.getValues()).name;
      if (isInputObjectType(type))
        return Object.fromEntries(
          Object.values(type.getFields()).map((field) => [field.name, inputValue(field.type)]),
        );
      const { name } = getNamedType(type);
      if (name === 'Int') return pick([1, 5, 50, 100]);
      if (name === 'Boolean') return chance(0.5);
      if (name === 'DateTime') return '2026-01-01T00:00:00Z';
      if (name === 'String' && chance(0.3)) return pick(['Query', 'Conversation', '__Type', 'é'.repeat(50)]);
      return pick(['65a1b2c3d4e5f60718293a4b', 'x', 'Query']);
    }

    /** Writes a value as a literal; texts of enums have no quotes. */
    function literal(type: GraphQLInputType, value: unknown): string {
      if (isNonNullType(type)) return literal(type.ofType, value);
      if (isListType(type))
        return `[${(value as unknown[]).map((item) => literal(type.ofType, item)).join(' ')}]`;
      if (isEnumType(type)) return String(value);
      if (isInputObjectType(type)) {
        const members = Object.values(type.getFields()).map(
          ({ name, type: memberType }) =>
            `${name}: ${literal(memberType, (value as Record<string, unknown>)[name])}`,
        );
        return `{${members.join(' ')}}`;
      }
      return JSON.stringify(value);
    }

    function argumentsOf(args: readonly GraphQLArgument[]): string {
      const chosen = args.filter((argument) => isRequiredArgument(argument) || chance(0.3));
      if (chosen.length === 0) return '';
      const texts = chosen.map(({ name, type }) => {
        const value = inputValue(type);
        return `${name}: ${chance(shape.variables) ? variable(String(type), value) : literal(type, value)}`;
      });
      return `(${texts.join(', ')})`;
    }

    function selection(field: GraphQLField<unknown, unknown>, depth: number): string {
      const type: GraphQLNamedType = getNamedType(field.type);
      const text = `${field.name}${argumentsOf(field.args)}${directive()}`;
      return isObjectType(type) ? `${text} ${selectionSet(type, depth)}` : text;
    }

    function selectionSet(type: GraphQLObjectType, depth: number): string {
      const all = Object.values(type.getFields());
      const leaves = all.filter((field) => !isObjectType(getNamedType(field.type)));
      const usable = depth <= 0 || length > shape.length ? leaves : all;
      const texts: string[] = ['__typename'];
      const count = 1 + below(shape.fields);
      for (let i = 0; i < count && usable.length > 0 && length < shape.length; i += 1) {
        const spread = fragments.filter((fragment) => fragment.type === type);
        if (spread.length > 0 && chance(shape.spreads)) texts.push(`...${pick(spread).name}${directive()}`);
        else if (chance(0.05))
          texts.push(`... on ${type.name}${directive()} ${selectionSet(type, depth - 1)}`);
        else {
          const field = pick(usable);
          const aliases = 1 + below(shape.aliases);
          for (let alias = 0; alias < aliases; alias += 1) {
            const text = `${aliases > 1 ? `a${alias}${field.name}: ` : ''}${selection(field, depth - 1)}`;
            length += text.length;
            texts.push(text);
          }
        }
      }
      return `{ ${texts.join(' ')} }`;
    }

    // A fragment spreads those that were declared before it, so that there is no cycle.
    const types = [...introspected, ...rootFields.map((field) => getNamedType(field.type))].filter(
      isObjectType,
    );
    const declared: string[] = [];
    for (let i = 0; i < shape.fragments; i += 1) {
      const type = chance(shape.introspection) ? __Type : pick(types);
      declared.push(`fragment F${i} on ${type.name} ${selectionSet(type, 2)}`);
      fragments.push({ name: `F${i}`, type });
    }
    length = 0;
    const roots = Array.from({ length: 1 + below(3) }, (_, i) => {
      if (!chance(shape.introspection)) return `r${i}: ${selection(pick(rootFields), shape.depth)}`;
      return chance(0.5)
        ? `r${i}: __schema ${selectionSet(__Schema, shape.depth)}`
        : `r${i}: __type(name: ${JSON.stringify(inputValue(getNamedType(__Type) as never))}) ${selectionSet(__Type, shape.depth)}`;
    });
    const declarations = [...definitions].map(([name, type]) => `$${name}: ${type}`);
    const head = declarations.length > 0 ? `query (${declarations.join(', ')}) ` : '';
    // A fragment that is not used is invalid: one more root field uses all of them.
    const query = `${head}{ ${roots.join(' ')} } ${used(declared, roots.join(' ')).join(' ')}`;
    return { query: chance(shape.damaged) ? damaged(query) : query, variables };
  };

  /** Returns the fragments that the operation uses, directly or within others. */
  function used(declared: readonly string[], roots: string): string[] {
    const names = new Set<string>();
    const add = (text: string): void => {
      for (const [, index] of text.matchAll(/\.\.\.F(\d+)/g)) {
        if (index === undefined || names.has(index)) continue;
        names.add(index);
        add(declared[Number(index)] ?? '');
      }
    };
    add(roots);
    return declared.filter((_, index) => names.has(String(index)));
  }

  /** Removes, repeats or swaps parts of a document. */
  function damaged(text: string): string {
    const from = below(text.length);
    const to = from + below(Math.min(200, text.length - from));
    return pick([
      text.slice(0, from) + text.slice(to),
      text.slice(0, to) + text.slice(from),
      text.slice(0, from) + '{'.repeat(below(200)) + text.slice(from),
      text.replaceAll('a0', 'a1'),
    ]);
  }
}
