/**
 * Writes refusals in the form that the document has for them. The service's own layer says in a sentence what is
 * wrong with a request, and says it in its own form, `{ error, message }`. A front end shows a user what the
 * document's form has. So the sentence goes where that form has one: to `detail` of a problem (RFC 9457), to
 * `message` of `{ error: { code, message } }`. The status goes beside it if there is an integer for it.
 */
import { STATUS_CODES } from 'node:http';
import {
  layersOf,
  type Member,
  membersOf,
  type Node,
  readJson,
  typeOf,
  violationsOf,
} from '../../contract-tools/index.js';
import type { ExampleAnswer } from './examples.js';
import { jsonText } from './samples.js';

/** What a request is refused with, before it has the form of the document. */
export interface Refusal {
  readonly status: number;
  /** A sentence for a person. */
  readonly message: string;
}

/** Makes the documented answer of an operation; undefined if it does not document the status. */
export type Refuse = (operation: string, refusal: Refusal) => ExampleAnswer | undefined;

/** Members for the sentence: the first of these that a form has. */
const sentenceNames = [
  'detail',
  'details',
  'message',
  'error_description',
  'description',
  'error_message',
  'reason',
  'msg',
  'text',
  'error',
  'title',
];
const statusNames = /^(?:http_?)?status(?:_?code)?$|^code$|^error$/i;
/** Members that hold the others. */
const holders = /^(?:errors?|fault|problem|failure)$/i;
const maxDepth = 3;

/** @returns the example with the sentence and the status in it; as it is if they would not fit its schema */
export function toldIn(answer: ExampleAnswer, { status, message }: Refusal): ExampleAnswer {
  const { schema, written } = answer;
  if (written !== undefined) {
    return written.mediaType === 'text/plain'
      ? { ...answer, written: { ...written, text: message } }
      : answer;
  }
  if (schema === undefined) return answer;
  const body = filled(answer.body, layersOf(schema), { status, message }, 0);
  return violationsOf(schema, readJson(Buffer.from(jsonText(body)))).length === 0
    ? { ...answer, body }
    : answer;
}

function filled(value: unknown, layers: readonly Node[], refusal: Refusal, depth: number): unknown {
  if (depth > maxDepth || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = layers.flatMap((layer) => layer.at('items') ?? []).flatMap(layersOf);
    return value.slice(0, 1).map((item) => filled(item, items, refusal, depth + 1));
  }
  const members = membersOf(layers);
  const texts = sentenceNames.filter((name) =>
    members.some((member) => member.name === name && isText(member)),
  );
  const [sentenceName] = texts;
  const told = members.flatMap((member): [string, unknown][] => {
    const { name, schemas } = member;
    const before = Object.hasOwn(value, name) ? Object(value)[name] : undefined;
    if (name === sentenceName) return [[name, refusal.message]];
    if (texts.includes(name) && before !== undefined) return [[name, STATUS_CODES[refusal.status] ?? before]];
    const own = schemas.flatMap(layersOf);
    if (typeOf(own) === 'integer' && statusNames.test(name)) return [[name, refusal.status]];
    if (holders.test(name) && before !== undefined) return [[name, filled(before, own, refusal, depth + 1)]];
    return before === undefined ? [] : [[name, before]];
  });
  return { ...value, ...Object.fromEntries(told) };
}

/** A text that has a form of its own, such as a code of an enum, is no place for a sentence. */
function isText({ schemas }: Member): boolean {
  const own = schemas.flatMap(layersOf);
  return (
    typeOf(own) === 'string' &&
    own.every((layer) => ['enum', 'format'].every((keyword) => layer.at(keyword) === undefined))
  );
}
