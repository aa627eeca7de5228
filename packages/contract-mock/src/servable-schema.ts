/**
 * Makes schemas of requests that the service's own layer can check. That layer refuses a document with a
 * keyword that it does not check, such as an unknown format. The mock serves a copy without such keywords, and
 * so accepts values that the document may refuse; it says which rules those are.
 */

import { patternOf } from '../../contract-tools/index.js';
import { exactJson } from '../../exact-json/index.js';
import { type ContractSchema, convertedWithin, stringFormats, typesOf } from '../../service/layer.js';
import { isBounded } from './bounded-patterns.js';

/** Takes a schema of a request to one that the layer can check. */
type Servable = (schema: ContractSchema) => ContractSchema;

/** The layer checks these keywords, by type. */
const keywordsOf: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  integer: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'format'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'format'],
  boolean: [],
  null: [],
  array:
    'items prefixItems contains minContains maxContains minItems maxItems uniqueItems unevaluatedItems'.split(
      ' ',
    ),
  object:
    'properties patternProperties propertyNames required dependentRequired dependentSchemas additionalProperties unevaluatedProperties minProperties maxProperties'.split(
      ' ',
    ),
};
/** The layer checks these for every type, or they are words for people. */
const always: ReadonlySet<string> = new Set(
  'type enum allOf anyOf oneOf not if then else description title examples'.split(' '),
);

/**
 * @param drop is called with each rule that is left out, such as `format: phone`
 * @returns a function that keeps the keywords that the layer checks, and as much of a schema's meaning as they
 *   leave
 */
export function servableSchemas(drop: (rule: string) => void): Servable {
  const made = new Map<ContractSchema, ContractSchema>();
  return function servable(schema): ContractSchema {
    const before = made.get(schema);
    if (before !== undefined) return before;
    // It is known before it is whole, because it may contain itself.
    const whole: ContractSchema = {};
    made.set(schema, whole);
    return Object.assign(whole, servableSchema(schema, servable, drop));
  };
}

function servableSchema(
  schema: ContractSchema,
  below: Servable,
  drop: (rule: string) => void,
): ContractSchema {
  const types = impliedTypes(schema);
  const known = new Set([...always, ...types.flatMap((type) => keywordsOf[type] ?? [])]);
  const kept = Object.entries(sendable(schema)).filter(([key]) => known.has(key));
  const own: ContractSchema = Object.fromEntries(kept);
  const made = withoutUndefined({
    ...own,
    ...convertedWithin(own, below),
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : types }),
    ...(types.includes('array') && own.items === undefined && { items: {} }),
    ...enumOf(types, schema.enum),
    ...formatOf(types, schema),
    ...(hasBoundedNames(schema) && memberRulesLeftOut),
  });
  for (const rule of rulesOf(schema, types)) {
    if (rule in made) continue;
    drop(`${rule}${isAskedApart(rule, schema) ? boundOf(schema) : ''}: ${shown(schema[rule])}`);
  }
  return made;
}

/** Without `patternProperties`, nothing tells which members are additional ones. */
const memberRulesLeftOut = {
  patternProperties: undefined,
  additionalProperties: undefined,
  unevaluatedProperties: undefined,
};

/** Whether the names of members are matched by a pattern that could hold the mock. */
function hasBoundedNames({ patternProperties }: ContractSchema): boolean {
  return Object.keys(patternProperties ?? {}).some(isBounded);
}

/** Says for which texts the mock does not check the pattern of a schema. */
function boundOf({ pattern }: ContractSchema): string {
  return ` beyond ${patternOf(String(pattern))?.maxLength} characters`;
}

/** Whether the mock asks a rule apart from the layer (bounded-patterns.ts). */
function isAskedApart(rule: string, { pattern }: ContractSchema): boolean {
  return rule === 'pattern' && typeof pattern === 'string' && isBounded(pattern);
}

function shown(value: unknown): string {
  const text = exactJson(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** Lists the keywords that say something of a value of these types, or of any type if there is none. */
function rulesOf(schema: ContractSchema, types: readonly string[]): string[] {
  const lists = types.length === 0 ? Object.values(keywordsOf) : types.map((type) => keywordsOf[type] ?? []);
  const rules = new Set(['enum', 'multipleOf', ...lists.flat()]);
  const isText = types.length === 0 || types.includes('string');
  // Such a format only names the type, and a list of no members is no rule.
  const isIdle = (key: string): boolean =>
    (key === 'format' && (!isText || ['password', 'binary'].includes(schema.format ?? ''))) ||
    (key === 'required' && sendable(schema)['required'] === undefined);
  return Object.keys(schema).filter((key) => rules.has(key) && !isIdle(key));
}

/** A keyword whose value is undefined is still a keyword to a validator. */
function withoutUndefined(schema: object): ContractSchema {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}

function impliedTypes(schema: ContractSchema): readonly string[] {
  const types = typesOf(schema);
  if (types.length > 0) return types;
  // The layer compares integers only if the type says so.
  if (schema.enum?.length && schema.enum.every((value) => typeof value === 'bigint')) return ['integer'];
  if (schema.properties ?? schema['required']) return ['object'];
  return schema.items === undefined && schema.prefixItems === undefined ? [] : ['array'];
}

function enumOf(types: readonly string[], values: readonly unknown[] | undefined): object {
  if (values === undefined) return {};
  const fits = (value: unknown): boolean =>
    typeof value === 'bigint'
      ? types.includes('integer')
      : typeof value === 'string' || typeof value === 'boolean' || value === null;
  return { enum: !types.includes('number') && values.every(fits) ? values : undefined };
}

function formatOf(types: readonly string[], { format, pattern, multipleOf }: ContractSchema): object {
  const made: Record<string, unknown> = {};
  if (types.includes('integer')) {
    const isWhole =
      multipleOf === undefined || typeof multipleOf === 'bigint' || Number.isInteger(multipleOf);
    made['format'] = format === 'int32' ? format : 'int64';
    if (!isWhole) made['multipleOf'] = undefined;
  } else if (types.includes('number')) {
    if (format !== 'float' && format !== 'double') made['format'] = undefined;
  } else if (format !== undefined && !stringFormats.has(format)) made['format'] = undefined;
  if (types.includes('string') && typeof pattern === 'string') made['pattern'] = unicodePattern(pattern);
  return made;
}

/**
 * The layer reads patterns with the flag "u", which refuses `[\w-.]` and `\@`. Both mean the same if the
 * hyphen is escaped, and the other character is not.
 *
 * @returns undefined if JavaScript cannot read the pattern, or if it is asked for short texts only (bounded-patterns.ts)
 */
function unicodePattern(pattern: string): string | undefined {
  let inClass = false;
  const made = pattern.replaceAll(/\\[dswDSW]-(?!\])|-(?=\\[dswDSW])|\\.|[[\]]/gs, (token) => {
    if (token === '[') inClass = true;
    if (token === ']') inClass = false;
    if (token.endsWith('-') && token !== '\\-') return inClass ? `${token.slice(0, -1)}\\-` : token;
    const isNeeded = /^\\[\p{L}\p{N}^$\\.*+?()[\]{}|/]$/u.test(token) || (token === '\\-' && inClass);
    return token.startsWith('\\') && !isNeeded ? token.slice(1) : token;
  });
  return [pattern, made].find((one) => isPattern(one) && !isBounded(one));
}

function isPattern(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}

/**
 * OpenAPI 3.0.3, "readOnly": such a member need not be sent in a request, even if required. If it is, it must fit its
 * schema: a client that sends back what it has read does nothing wrong.
 */
function sendable(schema: ContractSchema): ContractSchema {
  const { required, ...others } = schema;
  const isReadOnly = (name: unknown): boolean => schema.properties?.[String(name)]?.['readOnly'] === true;
  const needed = [required ?? []].flat().filter((name) => name !== '' && !isReadOnly(name));
  return { ...others, ...(needed.length > 0 && { required: needed }) };
}
