import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

type Json = { [key: string]: unknown };

/** An example in a document and the schema that it stands for. */
export interface Example {
  /** JSON pointer of the schema. */
  schema: string;
  value: unknown;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const escaped = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** Every `example` that stands beside a `schema`, wherever in the document. */
export function examplesOf(value: unknown, pointer = ''): Example[] {
  if (Array.isArray(value)) return value.flatMap((item, i) => examplesOf(item, `${pointer}/${i}`));
  if (!isObject(value)) return [];
  const here =
    'example' in value && 'schema' in value ? [{ schema: `${pointer}/schema`, value: value.example }] : [];
  const below = Object.entries(value).filter(([key]) => key !== 'example' && key !== 'schema');
  return [...here, ...below.flatMap(([key, child]) => examplesOf(child, `${pointer}/${escaped(key)}`))];
}

/** Compiles schemas of a document by their pointer, in the dialect of OpenAPI 3.1. */
export function schemasOf(document: object): (pointer: string) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, 'document');
  return (pointer) => ajv.compile({ $ref: `document#${encodeURI(pointer).replaceAll('%25', '%')}` });
}
