/**
 * Asks of a document what no JSON Schema can: whether its references lead somewhere, and to an object of the
 * right kind; whether it uses the parts of JSON Schema that would give a reference another meaning; whether
 * its operations can be told apart.
 */
import { memberAt, type Path, pathOfReference, valueAt } from '../../../exact-json/index.js';
import {
  childrenOf,
  fixedMethods,
  isMap,
  isReference,
  type Kind,
  kindAt,
  type Place,
  walk,
} from './grammar.js';
import { nearestTo } from './nearest.js';

type PlaceOf = (path: Path) => string;

/** These change what a reference means, or which keywords count. */
const foreignToOpenApi: Readonly<Record<string, string>> = {
  $dynamicRef: 'write "$ref", and a schema for each use',
  $dynamicAnchor: 'write a name in "components/schemas", and "$ref" to it',
  $recursiveRef: 'write "$ref"',
  $recursiveAnchor: 'take it away, and write "$ref" instead of "$recursiveRef"',
  $anchor: 'refer to the schema by its path, such as "#/components/schemas/Plant"',
};

const dialects: ReadonlySet<unknown> = new Set([
  'https://json-schema.org/draft/2020-12/schema',
  'https://spec.openapis.org/oas/3.1/dialect/base',
]);

const words: Readonly<Partial<Record<Kind, string>>> = {
  pathItem: 'path item',
  requestBody: 'request body',
  mediaType: 'media type',
  securityScheme: 'security scheme',
};

/**
 * @param document a document that its published schema calls valid
 * @returns a sentence for each fault that makes the document unreadable, with its place
 */
export function referenceFaults(document: unknown, place: PlaceOf): string[] {
  const faults: string[] = [];
  const dialect = memberAt(document, 'jsonSchemaDialect');
  if (dialect !== undefined && !isDialect(dialect))
    faults.push(`${place(['jsonSchemaDialect'])}: ${strangeDialect(dialect)}`);
  for (const found of walk(document)) {
    if (isReference(found.value)) {
      const fault = faultOfReference(document, found);
      if (fault !== undefined) faults.push(`${place([...found.path, '$ref'])}: ${fault}`);
    }
    if (found.kind === 'schema') faults.push(...foreignKeywords(found, place));
  }
  return faults;
}

/** The reference of a document to itself may begin with its `$self` (OpenAPI 3.2, "Base URI"). */
export function localReference(reference: string, document: unknown): string {
  const self = memberAt(document, '$self');
  return typeof self === 'string' && reference.startsWith(`${self}#`)
    ? reference.slice(self.length)
    : reference;
}

function faultOfReference(document: unknown, { kind, path, value }: Place<unknown>): string | undefined {
  if (!isReference(value)) return undefined;
  const written = localReference(value.$ref, document);
  if (!written.startsWith('#'))
    return `another file is not read: bundle all files into one, such as by Redocly's "bundle".`;
  if (!/^#(?:\/|$)/.test(written))
    return `${written} is a name, and not a path: write the path, such as "#/components/schemas/Plant".`;
  const target = pathOfReference(written);
  const found = valueAt(document, target);
  if (found === undefined) return deadReference(document, target, written);
  const targetKind = kindAt(target);
  if (targetKind === undefined)
    return `${written} is data, and no ${wordFor(kind)}: move it to "components", and refer to it there.`;
  if (targetKind !== kind)
    return `${written} is a ${wordFor(targetKind)}, and a ${wordFor(kind)} is needed here.`;
  if (isCircle(document, path)) return `${written} leads in a circle: write out what it stands for.`;
  const operations = Object.keys(value).filter((key) => isOperation(key));
  if (kind === 'pathItem' && operations.length > 0)
    return `OpenAPI does not say what "${operations[0]}" means beside a reference: write it at ${written}.`;
  return undefined;
}

function isOperation(key: string): boolean {
  return fixedMethods.some((method) => method === key) || key === 'parameters';
}

/** @returns whether a reference leads to references only */
function isCircle(document: unknown, start: Path): boolean {
  const seen = new Set<unknown>();
  let value = valueAt(document, start);
  while (isReference(value)) {
    if (seen.has(value)) return true;
    seen.add(value);
    value = valueAt(document, pathOfReference(localReference(value.$ref, document)));
  }
  return false;
}

function deadReference(document: unknown, target: readonly string[], written: string): string {
  const siblings = valueAt(document, target.slice(0, -1));
  const names = isMap(siblings) ? Object.keys(siblings) : [];
  const nearest = nearestTo(target.at(-1) ?? '', names);
  const instead = names.length === 0 ? 'add it' : `write one of ${nearest.join(', ')}, or add it`;
  return `there is no ${written}: ${instead}.`;
}

function wordFor(kind: Kind): string {
  return words[kind] ?? kind;
}

function foreignKeywords({ path, value }: Place<unknown>, place: PlaceOf): string[] {
  if (!isMap(value)) return [];
  const faults = Object.entries(foreignToOpenApi)
    .filter(([keyword]) => Object.hasOwn(value, keyword))
    .map(([keyword, instead]) => `${place([...path, keyword])}: "${keyword}" is not supported: ${instead}.`);
  // References below would be relative to it.
  if (typeof value['$id'] === 'string' && hasReference(value))
    faults.push(
      `${place([...path, '$id'])}: "$id" is not supported above a reference: take it away, and refer to the schema by its path, such as "#/components/schemas/Plant".`,
    );
  const dialect = value['$schema'];
  return dialect === undefined || isDialect(dialect)
    ? faults
    : [...faults, `${place([...path, '$schema'])}: ${strangeDialect(dialect)}`];
}

function hasReference(schema: unknown): boolean {
  return childrenOf('schema', schema).some(({ value }) => isReference(value) || hasReference(value));
}

function isDialect(uri: unknown): boolean {
  const text = String(uri).replace(/#$/, '');
  return dialects.has(text) || /^https:\/\/spec\.openapis\.org\/oas\/3\.\d\/dialect\/[\w-]+$/.test(text);
}

function strangeDialect(dialect: unknown): string {
  return `the dialect ${JSON.stringify(dialect)} is not supported: take it away, and write the schemas in that of OpenAPI, which is JSON Schema 2020-12.`;
}

/**
 * @returns a sentence for each fault of an operation, with its place: an id that another operation has, a
 * parameter of the path that is not described, a path that no router can tell from another. The rest of such
 * a document can be read
 */
export function operationFaults(document: unknown, place: PlaceOf): string[] {
  const faults: string[] = [];
  const ids = new Map<unknown, string>();
  const templates = new Map<string, string>();
  for (const { kind, path, value } of walk(document, ({ kind }) => kind !== 'schema')) {
    if (kind === 'operation' && isMap(value)) {
      const id = value['operationId'];
      const other = ids.get(id);
      if (id !== undefined && other !== undefined)
        faults.push(
          `${place([...path, 'operationId'])}: ${other} has the operationId "${id}", too: choose another.`,
        );
      ids.set(id, nameOf(path));
      if (isOfPath(path)) faults.push(...undescribed(document, path, place));
    }
    if (kind === 'pathItem' && path[0] === 'paths' && path.length === 2) {
      const written = String(path[1]);
      const template = written.replaceAll(/\{[^{}]*\}/g, '{}');
      const other = templates.get(template);
      if (other !== undefined)
        faults.push(`${place(path)}: ${written} and ${other} are the same path: keep one of them.`);
      templates.set(template, written);
    }
  }
  return faults;
}

/** Whether an operation is one of the service, and not of a webhook or a callback. */
function isOfPath(path: Path): boolean {
  return path[0] === 'paths' && path.length === (path[2] === 'additionalOperations' ? 4 : 3);
}

function nameOf(path: Path): string {
  const method = String(path.at(-1)).toUpperCase();
  return `${method} ${path.at(path.at(-2) === 'additionalOperations' ? -3 : -2)}`;
}

function undescribed(document: unknown, path: Path, place: PlaceOf): string[] {
  const described = [path.slice(0, 2), path].flatMap((at) => {
    const list = valueAt(document, [...at, 'parameters']);
    return Array.isArray(list) ? list.map((parameter) => resolved(document, parameter)) : [];
  });
  const names = new Set(
    described
      .filter((parameter) => memberAt(parameter, 'in') === 'path')
      .map((parameter) => memberAt(parameter, 'name')),
  );
  const templated = Array.from(String(path[1]).matchAll(/\{([^{}]*)\}/g), ([, name = '']) => name);
  const missing = templated.filter((name) => !names.has(name));
  return missing.map(
    (name) => `${place(path)}: ${nameOf(path)} does not describe {${name}}: add a parameter with "in: path".`,
  );
}

function resolved(document: unknown, value: unknown): unknown {
  return isReference(value)
    ? resolved(document, valueAt(document, pathOfReference(localReference(value.$ref, document))))
    : value;
}
