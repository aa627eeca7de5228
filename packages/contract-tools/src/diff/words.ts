/**
 * Compares documentation: descriptions, examples, deprecation and the like, if both contracts have the
 * described thing at the same place. Text that was only moved is not reported. References are not followed,
 * because a component is visited at its own place.
 */
import { exactJson, type JsonValue, memberAt, type Path, pointerOf } from '../../../exact-json/index.js';
import { isObject } from '../base/canonical.js';
import { isReference } from '../document/grammar.js';
import type { ApiDocument } from '../document/read-document.js';
import { type Change, sentenceOf } from './change.js';
import { kebab, wordKeywords } from './ids.js';
import { operationAt } from './operations.js';

type Word = (typeof wordKeywords)[number];

/** Objects whose keys are chosen names, not keywords. */
const named = new Set([
  ...['paths', 'webhooks', 'responses', 'content', 'headers', 'encoding', 'variables', 'callbacks'],
  ...['schemas', 'parameters', 'requestBodies', 'securitySchemes', 'pathItems', 'mediaTypes'],
  ...['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions', 'scopes', 'mapping'],
  'additionalOperations',
]);

/** Values that are data, and contain no keywords. */
const data = new Set(['default', 'enum', 'security', 'required', 'dependentRequired', 'x-limits']);

/** Whether the keys of the object at a path are chosen names: a member of an object may be called "properties". */
export function hasChosenNames(path: Path): boolean {
  const above = path.slice(0, -1);
  return named.has(String(path.at(-1))) && !hasChosenNames(above);
}

/** Whether data stands at a path. */
export function isData(path: Path): boolean {
  return data.has(String(path.at(-1))) && !hasChosenNames(path.slice(0, -1));
}

/** A value of a document as it is written in the form, with references. */
interface Written {
  readonly document: ApiDocument;
  readonly path: Path;
  readonly value: JsonValue;
}

/** Lists the changes of documentation in two documents. */
export function compareWords(base: ApiDocument, next: ApiDocument): Change[] {
  return compareWithin(top(base), top(next), false);
}

function top(document: ApiDocument): Written {
  return { document, path: [], value: document.root.value };
}

/** @param names whether the keys of the values are chosen names, and not keywords */
function compareWithin(base: Written, next: Written, names: boolean): Change[] {
  if (!isObject(base.value) || !isObject(next.value)) return [];
  if (isReference(base.value) || isReference(next.value) || isOther(base, next)) return [];
  const keys = new Set([...Object.keys(base.value), ...Object.keys(next.value)]);
  return [...keys].flatMap((key) => {
    const before = child(base, key);
    const after = child(next, key);
    if (!names && isForPeople(key)) return inMember(key, before, after);
    if (before === undefined || after === undefined || (!names && data.has(key))) return [];
    return compareWithin(before, after, !names && named.has(key) && !Array.isArray(after.value));
  });
}

/** An extension that this tool does not know is compared, too. */
function isForPeople(key: string): boolean {
  return isWord(key) || (key.startsWith('x-') && key !== 'x-limits');
}

function isWord(key: string): key is Word {
  return wordKeywords.some((word) => word === key);
}

function inMember(key: string, before: Written | undefined, after: Written | undefined): Change[] {
  const at = after ?? before;
  if (at === undefined || saidBy(key, before) === saidBy(key, after)) return [];
  const how = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  const what =
    key === 'deprecated' && at.value === true && after !== undefined ? 'deprecated now' : `${key} ${how}`;
  const place = at.document.place(at.path);
  return [
    {
      id: `documentation-${isWord(key) ? kebab(key) : 'extension'}-${how}`,
      ...{ breaking: false, accepted: false, adds: false, place, pointer: `#${pointerOf(at.path)}` },
      operation: operationOf(at.path),
      ...{ member: '', what, sentence: sentenceOf(subjectOf(at.path), what) },
    },
  ];
}

/** Writes a keyword's value, or its default, as text to compare. */
function saidBy(key: string, written: Written | undefined): string {
  if (written !== undefined) return exactJson(written.value);
  return key === 'deprecated' ? 'false' : '';
}

function child({ document, path, value }: Written, key: string): Written | undefined {
  const found = memberAt(value, key);
  // What stands in a value of JSON is one.
  return found === undefined ? undefined : { document, path: [...path, key], value: found as JsonValue };
}

/**
 * Whether two parameters are different ones. They have no fixed order, so the same index may hold another
 * one.
 */
function isOther(base: Written, next: Written): boolean {
  const text = ({ value }: Written, key: string): unknown => {
    const found = memberAt(value, key);
    return typeof found === 'string' ? found : undefined;
  };
  return ['in', 'name'].some((key) => text(base, key) !== text(next, key));
}

/** A path has operations, and also words, parameters and servers that belong to all of them. */
function operationOf(path: Path): string {
  return operationAt(path) ?? 'document';
}

/** The path to the described thing, without the parts that other columns show. */
function subjectOf(path: Path): string {
  const shown = operationAt(path) === undefined ? 0 : path[2] === 'additionalOperations' ? 4 : 3;
  return path.slice(shown, -1).join(' ');
}
