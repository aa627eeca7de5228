/**
 * Answers by the document's examples: for each operation, each example of each documented status is one
 * answer. The caller chooses one by `Prefer`; otherwise it gets the first one of the success.
 *
 * The layer writes JSON by its schema. It knows no other media type, so the body of such an answer is written
 * here (`written`), and app.ts sends it as it is.
 */

import { fromYaml, isJson, type Node, violationsOf } from '../../contract-tools/index.js';
import {
  type AnyAnswer,
  type AnyHandler,
  type Contract,
  headersOfAnswer,
  InvalidRequestError,
  type Operation,
} from '../../service/layer.js';
import { jsonText, plain, sampleFor } from './samples.js';

/** The server sets these headers, so their examples are not sent. */
const ownHeaders = Object.keys(headersOfAnswer());

/** The answers of each operation, by its operationId. */
export type Answers = ReadonlyMap<string, readonly ExampleAnswer[]>;

/**
 * Makes a handler for each operation, which answers its success with the first example.
 *
 * @throws {InvalidRequestError} if an operation has no answer
 */
export function exampleHandlers({ operations }: Contract, answers: Answers): Record<string, AnyHandler> {
  return Object.fromEntries(
    operations.map((operation) => {
      const success = choose(answers.get(operation.id) ?? [], operation, {});
      return [operation.id, async ({ query }) => withinLimit(success, query)];
    }),
  );
}

/**
 * Chooses the first example of a status.
 *
 * @param id an operationId
 * @returns undefined if the operation does not document the status
 */
export function documentedAnswer(
  { operations }: Contract,
  answers: Answers,
  id: string,
  status: number,
): ExampleAnswer | undefined {
  const operation = operations.find((one) => one.id === id);
  const known = answers.get(id) ?? [];
  const key = operation?.responses.get(status)?.key;
  if (operation === undefined || known.every((answer) => answer.key !== key)) return undefined;
  return choose(known, operation, { code: String(status) });
}

/** Shortens an array to the parameter `limit`. */
function withinLimit({ status, headers = {}, body }: ExampleAnswer, query: unknown): AnyAnswer {
  const limit = typeof query === 'object' && query !== null && 'limit' in query ? query.limit : undefined;
  return {
    status,
    headers,
    body: Array.isArray(body) && limit !== undefined ? body.slice(0, Number(limit)) : body,
  };
}

interface Preference {
  readonly code?: string | undefined;
  readonly example?: string | undefined;
}

/** Reads `code=400, example=range`, as Prism does. RFC 7240 also allows a semicolon and quotes. */
export function readPreference(prefer: string): Preference {
  const pairs = [...prefer.matchAll(/\b([a-z]+)\s*=\s*"?([\w-]+)"?/gi)];
  const preferred = (name: string) => pairs.find(([, key]) => key?.toLowerCase() === name)?.[2];
  return { code: preferred('code'), example: preferred('example') };
}

export interface ExampleAnswer extends AnyAnswer {
  readonly example: string | undefined;
  /** Its key in the document: `404`, `4XX` or `default`. */
  readonly key: string;
  /** The schema of the body, if the body is JSON. */
  readonly schema?: Node | undefined;
  /** The body that the layer cannot write, with its media type. */
  readonly written?: { readonly mediaType: string; readonly text: string };
}

/**
 * Chooses the first answer that fits the preference. Without one, it is the success, and its first example.
 *
 * @throws {InvalidRequestError} if the operation has no such answer
 */
export function choose(
  answers: readonly ExampleAnswer[],
  { id, responses }: Operation,
  { code, example }: Preference,
): ExampleAnswer {
  const key = code === undefined ? successKey(answers) : responses.get(Number(code))?.key;
  const found = answers.find(
    (answer) => answer.key === key && (example === undefined || answer.example === example),
  );
  if (found !== undefined) return code === undefined ? found : { ...found, status: Number(code) };
  const known = answers.map((answer) => `${answer.key} ${answer.example ?? ''}`.trim());
  throw new InvalidRequestError(`${id} does not document this answer. It documents: ${known.join(', ')}.`);
}

/** The first documented status or range of success, else `default`. */
function successKey(answers: readonly ExampleAnswer[]): string | undefined {
  const keys = answers.map(({ key }) => key).sort();
  return keys.find((key) => key.startsWith('2')) ?? keys.find((key) => key === 'default') ?? keys[0];
}

interface Examples {
  readonly answers: Answers;
  /** A sentence for each example that does not fit its schema, and for each body that there is nothing for. */
  readonly remarks: readonly string[];
}

/** Makes the answers of each operation: one for each example of each documented status. */
export function exampleAnswers({ root, operations }: Pick<Contract, 'root' | 'operations'>): Examples {
  const remarks: string[] = [];
  const answers = operations.map(({ id, path, method, responses: documented }) => {
    const responses = root.at('paths', path, method.toLowerCase(), 'responses')?.members() ?? [];
    const ofOperation = responses.flatMap(([key, response]) => {
      // A range stands for its first status without a description of its own. A 1xx does not end a request.
      const [status, winner] = [...documented].find(([, winner]) => winner.key === key) ?? [];
      if (status === undefined) return [];
      const isOfLayer = winner?.content !== undefined;
      return bodiesOf(response, isOfLayer, (how, what, why) =>
        remarks.push(`${how} ${what} of ${id}, ${key}: ${why}.`),
      ).map((body): ExampleAnswer => ({ key, status, headers: headersOf(response), ...body }));
    });
    return [id, ofOperation] as const;
  });
  return { answers: new Map(answers), remarks };
}

function headersOf(response: Node): Record<string, string> {
  const members = response.at('headers')?.members() ?? [];
  return Object.fromEntries(
    members
      .filter(([name]) => !ownHeaders.includes(name))
      .flatMap(([name, header]) => {
        const [example] = header.list('examples').flatMap((one) => one.at('value') ?? []);
        const schema = header.at('schema');
        const value =
          example === undefined
            ? header.flag('required') && schema !== undefined
              ? sampleFor([schema.facing('response')])
              : undefined
            : plain(fromYaml(example.value));
        return value === undefined ? [] : [[name, String(value)]];
      }),
  );
}

type Body = Pick<ExampleAnswer, 'example' | 'schema' | 'body' | 'written'>;
type Say = (how: string, what: string, why: string) => void;

/** Makes the bodies of a response: those of its examples, or a made one. */
function bodiesOf(response: Node, isOfLayer: boolean, say: Say): Body[] {
  const content = response.at('content')?.members() ?? [];
  // The first JSON is the one that the layer writes.
  const [mediaType, media] =
    content.find(([type, one]) => isJson(type) && one.at('schema') !== undefined) ??
    content.find(([, one]) => one.at('examples') !== undefined) ??
    content[0] ??
    [];
  if (mediaType === undefined || media === undefined) return [{ example: undefined }];
  const schema = media.at('schema')?.facing('response');
  const bodyOf = (example: string | undefined, value: unknown): Body => {
    if (isOfLayer) return { example, schema, body: value };
    const text = isJson(mediaType) ? jsonText(value) : typeof value === 'string' ? value : undefined;
    if (text !== undefined) return { example, written: { mediaType, text } };
    say('The mock does not write the body', mediaType, 'the document has no text for an example of it');
    return { example };
  };
  const named = (media.at('examples')?.members() ?? []).flatMap(([name, one]): [string, Node][] => {
    const value = one.at('value');
    return value === undefined ? [] : [[name, value]];
  });
  // The reader writes the only `example` of a media type as one of this name.
  const isSingle = named.length === 1 && named[0]?.[0] === 'example';
  const examples = isSingle ? named.map(([, value]) => [undefined, value] as const) : named;
  const bodies = examples.flatMap(([name, { value }]) => {
    const why = schema && isJson(mediaType) ? shapeFault(schema, value) : undefined;
    if (why === undefined) return [bodyOf(name, plain(fromYaml(value)))];
    say('The mock makes a value instead of', `the example${name === undefined ? '' : ` ${name}`}`, why);
    return [];
  });
  if (bodies.length > 0) return bodies;
  const sample = schema && sampleFor([schema]);
  if (sample !== undefined) return [bodyOf(undefined, sample)];
  say('The mock answers without the body', mediaType, 'no value was found that fits its schema');
  return [{ example: undefined }];
}

/** Only these keywords are about what a reader of JSON needs: an example may break a pattern. */
const shapeKeywords = ['type', 'required', 'oneOf', 'anyOf', 'allOf'];

function shapeFault(schema: Node, value: unknown): string | undefined {
  return violationsOf(schema, fromYaml(value)).find(({ keyword }) => shapeKeywords.includes(keyword))
    ?.message;
}
