/**
 * Compares a document with the JSON Schema that the OpenAPI Initiative publishes for its version. From 3.1
 * on, that schema leaves the Schema Objects alone, so that `type: strng` would pass; they are compared with
 * the meta-schema of their dialect, JSON Schema 2020-12.
 */
import { createRequire } from 'node:module';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import draft04 from 'ajv-draft-04';
import type { Path } from '../../../exact-json/index.js';
import type { SchemaError } from './fault-sentences.js';
import type { Version } from './form.js';
import { walk } from './grammar.js';
import { schemaFaults } from './schema-faults.js';

const require = createRequire(import.meta.url);
// Sentences need the schema of an error, which Ajv adds if it is verbose.
const options = { allErrors: true, strict: false, validateFormats: false, verbose: true } as const;

/** A process compiles each schema once, because that takes a tenth of a second. */
const compiled = new Map<string, ValidateFunction>();

/**
 * @param document the document with its references, and with doubles for integers
 * @returns sentences, each with its place at the beginning; none if the document is valid
 */
export function invalidities(
  document: unknown,
  version: Version,
  place: (path: Path) => string,
): readonly string[] {
  const faults: string[] = [];
  for (const { errors, value, path } of errorsIn(document, version)) {
    faults.push(...schemaFaults(errors, value, path, place));
    // Of a document whose parts are in the wrong places, nobody can say where its schemas are.
    if (path.length === 0 && faults.length > 0) break;
  }
  return faults;
}

/** What a published schema has against the value at a path of the document. */
interface ErrorsOfPart {
  readonly errors: readonly SchemaError[];
  readonly value: unknown;
  readonly path: Path;
}

/** Yields the errors of the document as a whole, and then those of each schema in it. */
export function* errorsIn(document: unknown, version: Version): Generator<ErrorsOfPart> {
  yield { errors: errorsOf(publishedSchema(version), document), value: document, path: [] };
  if (version === '3.0') return;
  for (const { kind, path, value } of walk(document, ({ kind }) => kind !== 'schema'))
    if (kind === 'schema') yield { errors: errorsOf(metaSchema(), value), value, path };
}

function errorsOf(validate: ValidateFunction, value: unknown): readonly ErrorObject[] {
  const errors = validate(value) ? [] : (validate.errors ?? []);
  // referenceFaults refuses this keyword, whatever its value. Authors who use it write a boolean.
  return errors.filter(({ instancePath }) => !instancePath.endsWith('/$recursiveAnchor'));
}

function publishedSchema(version: Version): ValidateFunction {
  return once(version, () => {
    const schema: object = require(`@seriousme/openapi-schema-validator/schemas/v${version}/schema.json`);
    return version === '3.0'
      ? new draft04.default(options).compile(schema)
      : new Ajv2020(options).compile(schema);
  });
}

/** What OpenAPI adds to the vocabulary of JSON Schema (OpenAPI 3.1, "Schema Object"). */
const openApiVocabulary = {
  type: ['object', 'boolean'],
  properties: {
    discriminator: {
      type: 'object',
      required: ['propertyName'],
      properties: {
        propertyName: { type: 'string' },
        mapping: { type: 'object', additionalProperties: { type: 'string' } },
        defaultMapping: { type: 'string' },
      },
    },
    xml: {
      type: 'object',
      // `nodeType` of 3.2 replaces the two others.
      dependentSchemas: { nodeType: { properties: { attribute: false, wrapped: false } } },
    },
    externalDocs: { type: 'object', required: ['url'] },
  },
} as const;

function metaSchema(): ValidateFunction {
  return once('schema', () =>
    new Ajv2020(options).compile({
      allOf: [{ $ref: 'https://json-schema.org/draft/2020-12/schema' }, openApiVocabulary],
    }),
  );
}

function once(name: string, compile: () => ValidateFunction): ValidateFunction {
  const known = compiled.get(name) ?? compile();
  compiled.set(name, known);
  return known;
}
