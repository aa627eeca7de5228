/**
 * Compares documentation: descriptions, examples, deprecation and the like, if both contracts have the
 * described thing at the same place. Text that was only moved is not reported.
 */
import { memberAt } from '../../../src/schema/json-pointer.js';
import { canonical, isObject } from '../kit/canonical.js';
import type { Change } from './change.js';
import { methods, Node } from './node.js';

const keywords = new Set([
  ...['title', 'summary', 'description', 'example', 'examples', 'externalDocs', 'deprecated', 'tags'],
  ...['bearerFormat', 'links', 'contact', 'license', 'termsOfService', 'openapi'],
]);

/** Objects whose keys are chosen names, not keywords. */
const named = new Set([
  ...['paths', 'responses', 'content', 'headers', 'encoding', 'variables', 'callbacks'],
  ...['schemas', 'parameters', 'requestBodies', 'securitySchemes', 'properties', 'scopes', 'mapping'],
]);

/** Values that are data, and contain no keywords. */
const data = new Set(['default', 'enum', 'security', 'required', 'x-limits']);

/**
 * Lists the changes of documentation in two values, and in all within them.
 *
 * @param names whether the keys of the values are chosen names, and not keywords
 */
export function compareWords(base: Node, next: Node, names = false): Change[] {
  if (!isObject(base.value) || !isObject(next.value)) return [];
  if (isReference(base.value) || isReference(next.value) || isOther(base, next)) return [];
  const keys = new Set([...Object.keys(base.value), ...Object.keys(next.value)]);
  return [...keys].flatMap((key) => {
    const before = child(base, key);
    const after = child(next, key);
    if (!names && isForPeople(key)) return changeOf(key, before, after);
    if (before === undefined || after === undefined || (!names && data.has(key))) return [];
    return compareWords(before, after, !names && named.has(key) && !Array.isArray(after.value));
  });
}

/** An extension that this tool does not know is compared, too. */
function isForPeople(key: string): boolean {
  return keywords.has(key) || (key.startsWith('x-') && key !== 'x-limits' && !key.startsWith('x-exact-'));
}

function changeOf(key: string, before: Node | undefined, after: Node | undefined): Change[] {
  const at = after ?? before;
  if (at === undefined || saidBy(key, before) === saidBy(key, after)) return [];
  const how = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  const what =
    key === 'deprecated' && at.value === true && after !== undefined ? 'deprecated now' : `${key} ${how}`;
  const subject = subjectOf(at);
  return [
    {
      breaking: false,
      adds: false,
      place: at.place,
      operation: operationOf(at),
      sentence: subject === '' ? `${what}.` : `${subject}: ${what}.`,
    },
  ];
}

/** Writes a keyword's value, or its default, as text to compare. */
function saidBy(key: string, node: Node | undefined): string {
  return canonical(node?.value ?? (key === 'deprecated' ? false : undefined));
}

/**
 * Returns the value below `key`. References are not followed, because a component is visited at its own
 * place.
 */
function child({ contract, path, value }: Node, key: string): Node | undefined {
  const found = memberAt(value, key);
  return found === undefined ? undefined : new Node(contract, [...path, key], found);
}

function isReference(value: Readonly<Record<string, unknown>>): boolean {
  return typeof value['$ref'] === 'string';
}

/**
 * Whether two parameters are different ones. They have no fixed order, so the same index may hold another
 * one.
 */
function isOther(base: Node, next: Node): boolean {
  return ['in', 'name'].some((key) => base.text(key) !== next.text(key));
}

/** A path has operations, and also words, parameters and servers that belong to all of them. */
function operationOf({ path: [root, path, method] }: Node): string {
  return root === 'paths' && methods.includes(String(method))
    ? `${String(method).toUpperCase()} ${path}`
    : 'document';
}

/** The path to the described thing, without the parts that other columns show. */
function subjectOf(node: Node): string {
  return node.path.slice(operationOf(node) === 'document' ? 0 : 3, -1).join(' ');
}
