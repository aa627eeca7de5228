/**
 * Puts a missing protection down to the line whose edit took it away. The linters name what is unprotected now: each
 * operation, or the scheme that nobody uses any more.
 */
import { isMap, isNode, LineCounter, parseDocument } from 'yaml';
import type { ContractDocument } from '../../src/contract/document/document.js';
import { type Path, valueAt } from '../../src/contract/document/json-pointer.js';
import type { Problem } from '../lint/contract-linters.js';
import { rankOfRule } from '../lint/lint-faults.js';

export interface Edition extends Pick<ContractDocument, 'document'> {
  readonly text: string;
}

const rules =
  /^redocly\/(?:security-defined|rule\/bearer-token)$|operation-security-defined$|owasp:api2:2023-(?:write|read)-restricted$/;
const unused = 'redocly/no-unused-components';

export function isOfSecurity({ rule, message }: Problem): boolean {
  return rules.test(rule) || (rule === unused && message.startsWith('Security scheme'));
}

/** @param before the last edition that no rule of security found fault with */
export function blameEdits(problems: readonly Problem[], before: Edition, next: Edition): Problem[] {
  const ofSecurity = problems.filter(isOfSecurity);
  // That a scheme is unused says least: it follows from the rest.
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

type Place = Pick<Problem, 'line' | 'column'>;

/** Where the two say other things about security; where that is gone, where it stood. */
function editedPlaces(before: Edition, next: Edition): Place[] {
  const paths = new Map([...partsOf(before), ...partsOf(next)].map((path) => [path.join('\n'), path]));
  return [...paths.values()].flatMap((path) => {
    const [old, now] = [valueAt(before.document, path), valueAt(next.document, path)];
    if (JSON.stringify(old) === JSON.stringify(now)) return [];
    return now === undefined
      ? placeOf(before.text, path)
      : placeOf(next.text, [...path, ...pathToDifference(old, now)]);
  });
}

function partsOf({ document }: Edition): Path[] {
  const operations = Object.entries(document.paths).flatMap(([path, item = {}]) =>
    Object.keys(item).map((method) => ['paths', path, method, 'security']),
  );
  return [['security'], ['components', 'securitySchemes'], ...operations];
}

/** To the deepest thing that holds the difference, or is it. */
function pathToDifference(old: unknown, now: unknown): Path {
  if (typeof old !== 'object' || typeof now !== 'object' || old === null || now === null) return [];
  const key = Object.keys(now).find(
    (name) => JSON.stringify(valueAt(old, [name])) !== JSON.stringify(valueAt(now, [name])),
  );
  if (key === undefined) return [];
  return [
    Array.isArray(now) ? Number(key) : key,
    ...pathToDifference(valueAt(old, [key]), valueAt(now, [key])),
  ];
}

/** Of the key, which stands on the line that was written, and not of its value, which may stand below. */
function placeOf(text: string, path: Path): Place[] {
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
