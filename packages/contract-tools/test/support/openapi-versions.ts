/** Writes a document of OpenAPI in the words of another version, as its author would have written it there. */
import { parse, stringify } from 'yaml';
import { isMap, isReference, type Kind, walk } from '../../src/document/grammar.js';

/** An object of the document that is being written anew, so that it can be changed. */
type Written = Record<string, unknown>;

/**
 * @param text the YAML of a document of OpenAPI 3.0
 * @param version what the twin says of itself
 */
export function asOpenApi31(text: string, version = '3.1.0'): string {
  return rewritten(text, version, (kind, schema) => {
    if (kind === 'schema') writeAs31(schema);
  });
}

/**
 * Writes exclusive bounds and examples of schemas as 3.0 has them. The reader refuses what else 3.0 does not
 * know, so no twin means less than its original.
 *
 * @param text the YAML of a document of OpenAPI 3.1
 */
export function asOpenApi30(text: string): string {
  return rewritten(text, '3.0.3', (kind, schema) => {
    if (kind !== 'schema' || isReference(schema)) return;
    for (const [exclusive, inclusive] of [
      ['exclusiveMinimum', 'minimum'],
      ['exclusiveMaximum', 'maximum'],
    ] as const) {
      if (schema[exclusive] === undefined) continue;
      schema[inclusive] = schema[exclusive];
      schema[exclusive] = true;
    }
    const { examples } = schema;
    if (!Array.isArray(examples)) return;
    [schema['example']] = examples;
    delete schema['examples'];
  });
}

/**
 * Writes the values of examples as 3.2 has them.
 *
 * @param text the YAML of a document of OpenAPI 3.1
 */
export function asOpenApi32(text: string): string {
  return rewritten(text, '3.2.0', (kind, example) => {
    if (kind !== 'example' || example['value'] === undefined) return;
    example['dataValue'] = example['value'];
    delete example['value'];
  });
}

function rewritten(text: string, version: string, rewrite: (kind: Kind, value: Written) => void): string {
  const document: unknown = parse(text, { intAsBigInt: true });
  if (!isMap(document)) throw new TypeError('A document of OpenAPI is a map.');
  const written = ownCopy(document);
  for (const { kind, value } of [...walk(written)]) {
    // The copy is this function's own.
    if (isMap(value)) rewrite(kind, value as Written);
  }
  return stringify({ ...written, openapi: version }, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** Copies what YAML repeats by an alias, so that nothing is rewritten twice. */
function ownCopy<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(ownCopy) as Value;
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, ownCopy(one)])) as Value;
}

function writeAs31(schema: Written): void {
  if (isReference(schema)) {
    // Beside a reference, 3.0 ignores what 3.1 would obey.
    for (const key of Object.keys(schema)) if (key !== '$ref') delete schema[key];
    return;
  }
  rewriteNull(schema);
  for (const [exclusive, inclusive] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    const isExclusive = schema[exclusive] === true && schema[inclusive] !== undefined;
    if (typeof schema[exclusive] === 'boolean') delete schema[exclusive];
    if (!isExclusive) continue;
    schema[exclusive] = schema[inclusive];
    delete schema[inclusive];
  }
  if (schema['example'] !== undefined) {
    schema['examples'] = [schema['example']];
    delete schema['example'];
  }
  const { enum: values, allOf } = schema;
  if (Array.isArray(values) && values.length === 1) {
    [schema['const']] = values;
    delete schema['enum'];
  }
  if (schema['format'] === 'byte') {
    schema['contentEncoding'] = 'base64';
    delete schema['format'];
  }
  // Keywords beside a reference count, so that `allOf` is not needed for them.
  if (Array.isArray(allOf) && allOf.length === 1 && isReference(allOf[0])) {
    schema['$ref'] = allOf[0].$ref;
    delete schema['allOf'];
  }
}

/** A null is a type of JSON Schema, and `nullable` is none of its keywords. */
function rewriteNull(schema: Written): void {
  const { nullable, ...rest } = schema;
  delete schema['nullable'];
  if (nullable !== true) return;
  if (typeof schema['type'] === 'string') {
    schema['type'] = [schema['type'], 'null'];
    return;
  }
  const beside = ['title', 'description', 'default', 'deprecated', 'example', 'readOnly', 'writeOnly', 'xml'];
  const within = Object.keys(rest).filter((key) => !beside.includes(key));
  if (within.length === 0) return;
  const inner = Object.fromEntries(within.map((key) => [key, schema[key]]));
  for (const key of within) delete schema[key];
  schema['anyOf'] = [inner, { type: 'null' }];
}
