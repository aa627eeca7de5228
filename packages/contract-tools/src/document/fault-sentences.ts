/** Writes a sentence for an error of a published schema: what is wrong, and what to write instead. */

export interface SchemaError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
  /** The name that a map must not have, if that is the error. */
  readonly propertyName?: string;
  readonly schemaPath?: string;
  /** The value of the keyword. */
  readonly schema?: unknown;
}

interface Told {
  readonly sentence: string;
  /** The member of the value that the sentence is about, if it is one. */
  readonly key?: string;
  /** Whether the member has no meaning where it stands. */
  readonly unknown?: boolean;
}

/** @param value where the error is */
export function sentenceOf(error: SchemaError, value: unknown): Told {
  const { keyword, params, message = 'is not valid' } = error;
  if (error.propertyName !== undefined) return wrongName(error, error.propertyName);
  const list = (values: unknown) => [values].flat().map(String);
  switch (keyword) {
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const key = String(params['additionalProperty'] ?? params['unevaluatedProperty']);
      const instead = /^[1-5]xx$/i.test(key)
        ? `write "${key.toUpperCase()}"`
        : 'correct its name, take it away, or begin its name with "x-"';
      return { key, unknown: true, sentence: `"${key}" has no meaning here: ${instead}.` };
    }
    case 'required':
      return { sentence: missing(error, list(params['missingProperty'])) };
    case 'enum': {
      const allowed = list(params['allowedValues']);
      if (typeof value !== 'string' && allowed.includes(String(value)))
        return { sentence: `${inQuotes(value)}.` };
      return {
        sentence: `${JSON.stringify(value)} is not allowed here: write one of ${allowed.join(', ')}.`,
      };
    }
    case 'type':
      return {
        sentence: `${ofOtherVersion(error, value) ?? wrongType(value, list(params['type']))}.`,
      };
    case 'minItems':
      return { sentence: `this list is too short: it needs ${params['limit']} or more items.` };
    case 'minProperties':
      return { sentence: `this map is too small: it needs ${params['limit']} or more members.` };
    case 'const':
      return {
        sentence: `${JSON.stringify(value)} is not allowed here: write ${String(params['allowedValue'])}.`,
      };
    case 'false schema':
      return { sentence: 'this excludes a member beside it: keep one of them.' };
    case 'propertyNames':
      return wrongName(error, String(params['propertyName']));
    case 'uniqueItems': {
      const [first = 0, second = 0] = [params['i'], params['j']]
        .map((index) => Number(index) + 1)
        .sort((a, b) => a - b);
      return { sentence: `items ${first} and ${second} of this list are the same: take one of them away.` };
    }
    case 'contains':
      return {
        sentence: `this list has ${params['maxContains'] === undefined ? 'too few' : 'too many'} of one kind.`,
      };
    case 'not':
    case 'oneOf': {
      const names = excludingNames(error);
      const who = names.length > 1 ? inWords(names, 'and') : 'two members here';
      return { sentence: `${who} exclude each other: keep one.` };
    }
    default:
      return { sentence: `this ${message}.` };
  }
}

function wrongName({ instancePath, keyword }: SchemaError, name: string): Told {
  if (instancePath.endsWith('/additionalOperations') && keyword === 'not')
    return {
      key: name,
      sentence: `"${name}" is not allowed here: write "${name.toLowerCase()}" beside "additionalOperations".`,
    };
  // OpenAPI names the characters of the names of components, and RFC 9110 those of methods and fields.
  const allowed = /^\/components\/[^/]+$/.test(instancePath)
    ? 'write letters, digits, ".", "-" and "_" only'
    : 'write a token of RFC 9110, which has letters, digits and signs such as "-", and no spaces';
  return { key: name, sentence: `"${name}" is not allowed as a name here: ${allowed}.` };
}

function missing({ schemaPath = '' }: SchemaError, names: readonly string[]): string {
  // The schema of a map of answers asks for it if there is no status.
  if (names[0] === 'default' && schemaPath.endsWith('/then/required'))
    return 'no answer is described: add a status, such as "200", or "default".';
  return names.length === 1
    ? `"${names[0]}" is missing: add it.`
    : `one of ${inWords(names, 'or')} is missing: add it.`;
}

/**
 * A bound that excludes itself is a number from 3.1 on, and a boolean beside another bound before. There, a
 * type is no list.
 */
function ofOtherVersion({ instancePath, params }: SchemaError, value: unknown): string | undefined {
  if (instancePath.endsWith('/type') && params['type'] === 'string' && Array.isArray(value)) {
    return listOfTypes(value);
  }
  const [, keyword, end] = /\/(exclusive(Minimum|Maximum))$/.exec(instancePath) ?? [];
  const inclusive = end?.toLowerCase();
  if (keyword === undefined) return undefined;
  if (params['type'] === 'number' && value === true)
    return `from OpenAPI 3.1 on, "${keyword}" is the bound itself: write the number of "${inclusive}" here, and take "${inclusive}" away`;
  if (params['type'] === 'boolean' && typeof value === 'number')
    return `in OpenAPI 3.0, "${keyword}" is true or false: write "${inclusive}: ${value}" and "${keyword}: true"`;
  return undefined;
}

/** @returns what 3.0 has for a list of types; undefined if it has nothing for it */
function listOfTypes(types: readonly unknown[]): string | undefined {
  const [type, ...others] = new Set(types.filter((one) => one !== 'null'));
  if (![type, ...others].every((one) => typeof one === 'string')) return undefined;
  const instead = others.length === 0 ? `"type: ${type}"` : 'a schema for each type in "anyOf"';
  const nullable = types.includes('null') ? ' and "nullable: true"' : '';
  return `in OpenAPI 3.0, "type" is one text: write ${instead}${nullable}`;
}

/** @returns the names that a schema does not want together, as far as the error says so */
function excludingNames({ schema, schemaPath = '' }: SchemaError): string[] {
  const required =
    typeof schema === 'object' && schema !== null && 'required' in schema ? [schema.required].flat() : [];
  const [, beside] = /\/dependentSchemas\/([^/]+)\/not$/.exec(schemaPath) ?? [];
  return [beside ?? [], required].flat().map(String);
}

function inWords(names: readonly string[], last: 'and' | 'or'): string {
  const quoted = names.map((name) => `"${name}"`);
  return [quoted.slice(0, -1).join(', '), quoted.at(-1)].join(` ${last} `);
}

function wrongType(value: unknown, types: readonly string[]): string {
  const isScalar = typeof value === 'number' || typeof value === 'boolean';
  if (isScalar && types.includes('string')) return inQuotes(value);
  const without = typeof value === 'string' ? scalarIn(value) : undefined;
  const isMeant = types.some(
    (type) => type === typeof without || (type === 'integer' && Number.isInteger(without)),
  );
  const instead = isMeant ? `take the quotes away` : `write ${types.map(article).join(' or ')}`;
  return `${shown(value)} is of the wrong type: ${instead}`;
}

/** The author may not know that YAML reads `1.0` and `012` as numbers, and `null` as nothing. */
function inQuotes(value: unknown): string {
  const type = value === null ? '' : `the ${typeof value} `;
  return `this is read as ${type}${value}: write it in quotes`;
}

/** @returns the number or boolean that a text is without its quotes */
function scalarIn(text: string): unknown {
  return /^(?:true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?)$/.test(text) ? JSON.parse(text) : undefined;
}

/** A long value would hide the sentence. */
function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function article(type: string): string {
  const words: Readonly<Record<string, string>> = {
    array: 'a list ("[…]" or "- …")',
    object: 'a map ("key: value")',
  };
  return words[type] ?? `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}
