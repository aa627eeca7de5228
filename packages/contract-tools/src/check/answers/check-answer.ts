/**
 * Compares one answer with what the YAML says about it: its status, its headers, its media type and its body.
 * It does not know which request was sent, nor which status is right for it (expectations.ts does).
 */

import type { Path } from '../../../../exact-json/index.js';
import { type Answer, headerValues } from '../../base/http/answer.js';
import { covers, isReadAsJson, withoutParameters } from '../../document/media-types.js';
import type { Node } from '../../document/node.js';
import type { Operation } from '../../document/operations.js';
import type { Header, Response } from '../../document/responses.js';
import { isObject, NotJsonError, printable, readJson, show, type Value } from '../../values/json.js';
import { type Violation, violationsOf } from '../../values/schema.js';
import { type Description, keysOf } from '../document/description.js';
import { readText, type Text } from '../values/parameter-text.js';
import { undocumentedMembers, writeOnlyMembers } from '../values/undocumented.js';
import type { Breach } from './findings.js';

/** Lists how an answer differs from what the document says about answers of its status. */
export function checkAnswer(description: Description, operation: Operation, answer: Answer): Breach[] {
  const response = operation.responses.get(answer.status);
  if (response === undefined) {
    return [
      ...checkFraming(answer, operation.node.path),
      ...checkMethodRefusal(answer, operation.node.path),
      {
        rule: `status ${answer.status} is not documented`,
        says: `${operation.id} answers ${keysOf(operation).join(', ')}`,
        path: operation.node.at('responses')?.path ?? operation.node.path,
        did: brief(answer),
      },
    ];
  }
  return [
    ...checkFraming(answer, response.node.path),
    ...checkHeaders(response, answer),
    ...checkChallenge(operation, answer, response.node.path),
    ...checkMethodRefusal(answer, response.node.path),
    ...checkBody(description, response, answer),
  ];
}

/** Lists how an answer of an undocumented status breaks HTTP. */
export function checkRefusal(operation: Operation, answer: Answer): Breach[] {
  const { path } = operation.node;
  return [
    ...checkFraming(answer, path),
    ...checkChallenge(operation, answer, path),
    ...checkMethodRefusal(answer, path),
  ];
}

/**
 * Lists how an answer that belongs to no operation differs from the body that all errors have.
 *
 * @param path the place in the YAML that a breach names
 */
export function checkErrorAnswer(description: Description, answer: Answer, path: Path): Breach[] {
  const { errorSchema, errorTypes } = description;
  return [
    ...checkFraming(answer, path),
    ...(errorSchema ? checkJson(description, answer, errorSchema, errorTypes) : []),
  ];
}

/** Whether an answer looks like one of this contract at all, even if it breaks it in some way. */
export function isOfContract(description: Description, operation: Operation, answer: Answer): boolean {
  const response = operation.responses.get(answer.status);
  return response !== undefined && checkBody(description, response, answer).length === 0;
}

function checkFraming(answer: Answer, path: Path): Breach[] {
  return answer.faults.map((fault) => ({
    rule: `HTTP: ${fault.replace(/\b[0-9]+ bytes/, 'bytes')}`,
    says: 'an answer is one HTTP message, no more and no less',
    path,
    did: `${brief(answer)}: ${fault}`,
    isHabit: true,
  }));
}

/** Lists how the headers of an answer differ from those of a documented response. */
export function checkHeaders(response: Response, answer: Answer): Breach[] {
  return response.headers.flatMap((header) => checkHeader(header, answer));
}

function checkHeader({ name, required, schema, node }: Header, answer: Answer): Breach[] {
  const values = valuesOf(answer, name, schema);
  const [value] = values;
  const breach = (rule: string, says: string, path: Path = node.path): Breach[] => [
    { rule: `header ${name} ${rule}`, says, path, did: `${brief(answer)}: ${name} is ${show(values)}` },
  ];
  if (value === undefined) return required ? breach('is missing', `${name} is required`) : [];
  if (values.length > 1 && !/^set-cookie$/i.test(name))
    return breach('came more than once', `${name} is one value`);
  if (schema === undefined) return [];
  const [violation] = values.flatMap((one) => violationsOf(schema, readText(schema, one)));
  return violation
    ? breach(`does not fit: ${violation.keyword}`, `${name}: ${wordsOf(schema, violation)}`, violation.path)
    : [];
}

/**
 * Fields whose values are lists (RFC 9110, section 5.6.1, and RFC 8288), so that they may come in several
 * lines.
 */
const lists =
  /^(?:accept.*|allow|cache-control|connection|content-(?:encoding|language)|link|.*-authenticate|trailer|upgrade|vary|via)$/i;

/** The values of a header. RFC 9110, section 5.3: the lines of a list are one value. */
function valuesOf(answer: Answer, name: string, schema: Node | undefined): Text[] {
  const lines = headerValues(answer, name);
  if (lines.length === 0) return [];
  if (schema?.at('items') !== undefined)
    return [
      lines
        .join()
        .split(',')
        .map((part) => part.trim()),
    ];
  return lists.test(name) ? [lines.join(', ')] : lines;
}

/**
 * RFC 9110, section 15.5.2: a 401 has a challenge, documented or not. A challenge names an authentication
 * scheme of HTTP, and an API key is none of those that IANA registers (section 16.4.1), so common servers
 * send none.
 */
function checkChallenge(operation: Operation, answer: Answer, path: Path): Breach[] {
  if (takesKeys(operation)) return [];
  if (answer.status !== 401 || headerValues(answer, 'www-authenticate').length > 0) return [];
  return [
    {
      rule: '401 without WWW-Authenticate',
      says: 'a 401 has a challenge (RFC 9110, section 15.5.2)',
      isHabit: true,
      path,
      did: brief(answer),
    },
  ];
}

/** Whether a caller can do with API keys alone. */
export function takesKeys({ requirements }: Operation): boolean {
  return requirements.some((parts) => parts.every(({ scheme }) => scheme.kind === 'apiKey'));
}

/** RFC 9110, section 15.5.6: a 405 says in Allow which methods there are, documented or not. */
export function checkMethodRefusal(answer: Answer, path: Path): Breach[] {
  if (answer.status !== 405 || headerValues(answer, 'allow').length > 0) return [];
  return [
    {
      rule: '405 without Allow',
      says: 'a 405 has Allow (RFC 9110, section 15.5.6)',
      isHabit: true,
      path,
      did: brief(answer),
    },
  ];
}

function checkBody(description: Description, response: Response, answer: Answer): Breach[] {
  if (response.content.size === 0) {
    // OpenAPI 3.0.3 does not say that a response without "content" has no body.
    if (answer.body.length === 0 || !description.rules.on.has('undocumented-bodies')) return [];
    return [
      {
        rule: `${answer.status} has a body`,
        isHabit: true,
        says: `${answer.status} has no body`,
        by: 'undocumented-bodies',
        path: response.node.path,
        did: brief(answer),
      },
    ];
  }
  const type = mediaTypeOf(answer);
  const documented = [...response.content.keys()];
  const covering = documented.find((key) => key === type) ?? documented.find((key) => covers(key, type));
  if (covering === undefined) return wrongMediaType(answer, documented, response.node.path);
  const schema = response.content.get(covering);
  // Bodies that are not JSON have no schema that could be judged here.
  return schema === undefined || !isReadAsJson(type)
    ? []
    : checkJson(description, answer, schema, documented);
}

function checkJson(
  description: Description,
  answer: Answer,
  schema: Node,
  types: readonly string[],
): Breach[] {
  const { path } = schema;
  const [value = ''] = headerValues(answer, 'content-type');
  if (!types.some((documented) => covers(documented, mediaTypeOf(answer))))
    return wrongMediaType(answer, types, path);
  const breach = (rule: string, says: string, at: Path, did: string): Breach[] => [
    { rule, says, path: at, did: `${brief(answer)}: ${did}` },
  ];
  const habit = (...told: Parameters<typeof breach>): Breach[] =>
    breach(...told).map((one) => ({ ...one, isHabit: true }));
  // RFC 8259, section 11: JSON has no charset parameter; charset=utf-8 is harmless.
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(value)?.[1] ?? 'utf-8';
  if (charset.toLowerCase() !== 'utf-8') {
    return habit('the charset is not UTF-8', 'JSON is UTF-8 (RFC 8259, section 8.1)', path, value);
  }
  const coding = headerValues(answer, 'content-encoding').join();
  if (coding !== '') {
    return habit('the body is compressed', 'nobody asked for a Content-Encoding', path, coding);
  }
  try {
    const body = readJson(answer.body);
    const named = description.rules.on.has('unnamed-members');
    return [
      ...[
        ...violationsOf(schema, body),
        ...writeOnlyMembers([schema], body),
        ...(named ? undocumentedMembers([schema], body) : []),
      ].flatMap((violation) =>
        breach(
          `body${pattern(violation.pointer)} does not fit: ${violation.keyword}`,
          wordsOf(schema, violation),
          violation.path,
          `body${violation.pointer}: ${violation.message}`,
        ).map((one) => ({ ...one, keyword: violation.keyword })),
      ),
      ...(answer.status >= 400 ? checkStatusMembers(description, answer, body, path) : []),
    ];
  } catch (error) {
    if (!(error instanceof NotJsonError)) throw error;
    return breach('the body is not JSON', `the body is ${types.join(' or ')}`, path, error.message);
  }
}

/** These members are the status in every example of the document. */
function checkStatusMembers(
  { rules, statusMembers }: Description,
  answer: Answer,
  body: Value,
  path: Path,
): Breach[] {
  if (!rules.on.has('status-in-errors')) return [];
  return statusMembers
    .filter((name) => isObject(body) && body[name] !== BigInt(answer.status))
    .map((name) => ({
      rule: `body/${name} is not the status`,
      says: `in every example "${name}" is the status of the answer`,
      by: 'status-in-errors' as const,
      isHabit: true,
      path: [...path, 'properties', name],
      did: brief(answer),
    }));
}

function wrongMediaType(answer: Answer, types: readonly string[], path: Path): Breach[] {
  const [type = 'missing'] = headerValues(answer, 'content-type');
  return [
    {
      rule: `the media type is ${mediaTypeOf(answer) || 'missing'}, and not ${types.join(' or ')}`,
      says: `the body is ${types.join(' or ')}`,
      isHabit: true,
      path,
      did: `${brief(answer)}: Content-Type is ${type}`,
    },
  ];
}

function mediaTypeOf(answer: Answer): string {
  const [value = ''] = headerValues(answer, 'content-type');
  return withoutParameters(value);
}

function wordsOf(schema: Node, { keyword, path }: Violation): string {
  const node = schema.fromRoot(path);
  const value = node?.value;
  if (typeof value !== 'object') return `${keyword}: ${value}`;
  const exact = (_name: string, part: unknown): unknown => (typeof part === 'bigint' ? String(part) : part);
  return `${keyword}: ${printable(JSON.stringify(value, exact), 100)}`;
}

/** Unnamed members of all items of an array are one finding. */
function pattern(pointer: string): string {
  return pointer.replace(/\/[0-9]+(?=\/|$)/g, '/*');
}

/** Shows an answer in one line, such as `400 {"error":400,…`. */
export function brief({ status, body }: Answer): string {
  const text = printable(body.toString('utf8'), 160);
  return text === '' ? `${status} without a body` : `${status} ${text}`;
}
