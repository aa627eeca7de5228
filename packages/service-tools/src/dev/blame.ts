/**
 * Finds the line whose edit removed a protection. Redocly names only the result: each unprotected
 * operation, or the scheme that is no longer used.
 */
import { isMap, isNode, LineCounter, parseDocument } from 'yaml';
import { canonical } from '../../../contract-tools/base.js';
import type { ApiDocument } from '../../../contract-tools/index.js';
import { isSecurityRule, type Problem, rankOfRule } from '../../../contract-tools/lint.js';
import { type Path, valueAt } from '../../../exact-json/index.js';

/** The contract at one save. */
export type Edition = Pick<ApiDocument, 'text' | 'written'>;

const unused = 'redocly/no-unused-components';

export function isOfSecurity({ rule, message }: Problem): boolean {
  return isSecurityRule(rule) || (rule === unused && message.startsWith('Security scheme'));
}

/**
 * Puts the problems of security at the lines that were edited. If Redocly reports nothing there, the first
 * edit gets the most telling problem.
 *
 * @param before the last edition that broke no security rule
 * @returns all problems, by line
 */
export function blameEdits(problems: readonly Problem[], before: Edition, next: Edition): Problem[] {
  const ofSecurity = problems.filter(isOfSecurity);
  // An unused scheme is only a consequence of the other problems.
  const telling = ofSecurity.filter(({ rule }) => rule !== unused);
  const [first] = (telling.length > 0 ? telling : ofSecurity).toSorted(
    (a, b) => rankOfRule(a.rule) - rankOfRule(b.rule),
  );
  const places = editedPlaces(before, next);
  if (first === undefined || places.length === 0) return [...problems];
  const onLine = places.flatMap(({ line }) => telling.find((problem) => problem.line === line) ?? []);
  const blamed = onLine.length > 0 ? onLine : places.slice(0, 1).map((place) => ({ ...first, ...place }));
  return [...problems.filter((problem) => !isOfSecurity(problem)), ...blamed].sort((a, b) => a.line - b.line);
}

type LineAndColumn = Pick<Problem, 'line' | 'column'>;

/**
 * Finds the places at which two editions differ in security. One that is gone has its place in the old
 * edition.
 */
function editedPlaces(before: Edition, next: Edition): LineAndColumn[] {
  const paths = new Map([...serviceOf(before), ...serviceOf(next)].map((path) => [path.join('\n'), path]));
  return [...paths.values()].flatMap((path) => {
    const [old, now] = [valueAt(before.written, path), valueAt(next.written, path)];
    if (canonical(old) === canonical(now)) return [];
    return now === undefined
      ? placeOf(before.text, path)
      : placeOf(next.text, [...path, ...pathToDifference(old, now)]);
  });
}

function serviceOf({ written: { paths } }: Edition): Path[] {
  const operations = Object.entries(paths ?? {}).flatMap(([path, item]) =>
    Object.keys(item ?? {}).map((method) => ['paths', path, method, 'security']),
  );
  return [['security'], ['components', 'securitySchemes'], ...operations];
}

/** Finds the path to the deepest value that differs. */
function pathToDifference(old: unknown, now: unknown): Path {
  if (typeof old !== 'object' || typeof now !== 'object' || old === null || now === null) return [];
  const key = Object.keys(now).find(
    (name) => canonical(valueAt(old, [name])) !== canonical(valueAt(now, [name])),
  );
  if (key === undefined) return [];
  return [
    Array.isArray(now) ? Number(key) : key,
    ...pathToDifference(valueAt(old, [key]), valueAt(now, [key])),
  ];
}

/** Finds the place of the key, because the value may be on a line below. */
function placeOf(text: string, path: Path): LineAndColumn[] {
  const lines = new LineCounter();
  const yaml = parseDocument(text, { lineCounter: lines });
  const parent = yaml.getIn(path.slice(0, -1), true);
  const pair = isMap(parent)
    ? parent.items.find(({ key }) => String(key) === String(path.at(-1)))
    : undefined;
  const node = pair?.key ?? yaml.getIn(path, true);
  if (!isNode(node) || !node.range) return [];
  const { line, col } = lines.linePos(node.range[0]);
  return [{ line, column: col }];
}
