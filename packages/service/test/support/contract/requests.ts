/**
 * Runs tables of requests. A table has, for each schema, what a client sends and what becomes of it:
 *
 * ```ts
 * await accepts(t, inQuery, { '{ type: boolean }': [['?value=true', true]] });
 * await refuses(t, inQuery, { '{ type: boolean }': [['?value=TRUE', 'query/value must be boolean.']] });
 * ```
 *
 * One server has an operation for each schema. A failure names the schema and what was sent. A schema stands in a
 * table once: if two computed keys are equal, JavaScript keeps the rows of the last.
 */
import type { Test } from 'tap';
import type { Answer } from '../../../../kit/testing.js';
import { documentOfBodies, documentOfLooks, serve } from './contract.js';

/** Where a value is sent. A body has no name. */
export interface Place {
  readonly part: 'query' | 'path' | 'header' | 'cookie' | 'body';
  readonly name: string;
  /** What the contract says about a parameter beside its name, part and schema, such as `, explode: false`. */
  readonly rest?: string;
}

export const inQuery: Place = { part: 'query', name: 'value' };
export const inPath: Place = { part: 'path', name: 'value', rest: ', required: true' };
export const inHeader: Place = { part: 'header', name: 'X-Value' };
export const inCookie: Place = { part: 'cookie', name: 'value' };
export const inBody: Place = { part: 'body', name: '' };

/**
 * What is sent: the query with its `?`, a segment of the path, the value of the header or of the field Cookie, or
 * the JSON of the body. `undefined` sends no such field, and no body.
 */
type Sent = string | undefined;

type Table<Row> = Readonly<Record<string, readonly Row[]>>;

/** Sends each value; the handler must get what follows it: of a parameter, `undefined` if it is absent. */
export async function accepts(
  t: Test,
  place: Place,
  table: Table<readonly [sent: Sent, value: unknown]>,
): Promise<void> {
  const { send, seen } = await serveTable(t, place, Object.keys(table));
  for (const { schema, sent, expected } of rowsOf(table)) {
    const what = `${schema} takes ${JSON.stringify(sent)}`;
    t.equal((await send(schema, sent)).status, 204, what);
    // The objects of a parsed body inherit nothing, unlike those of a table.
    if (place.part === 'body') t.strictSame(structuredClone(seen.at(-1)?.body), expected, what);
    else
      t.strictSame(seen.at(-1)?.[place.part], expected === undefined ? {} : { [place.name]: expected }, what);
  }
}

/** Sends each value; the answer must be a 400, with the text that follows if there is one. */
export async function refuses(
  t: Test,
  place: Place,
  table: Table<readonly [sent: Sent, fault?: string | RegExp]>,
): Promise<void> {
  const { send, seen } = await serveTable(t, place, Object.keys(table));
  for (const { schema, sent, expected } of rowsOf(table)) {
    const what = `${schema} refuses ${JSON.stringify(sent)}`;
    const { status, text } = await send(schema, sent);
    t.equal(status, 400, what);
    if (typeof expected === 'string') t.equal(text, expected, what);
    else if (expected !== undefined) t.match(text, expected, what);
  }
  t.strictSame(seen, [], 'no handler got a request');
}

/**
 * Sends each JSON text as the body of an operation with its schema: `fit` must be taken, and `unfit` answered 400.
 *
 * @param yamlOf writes the document with these bodies
 */
export async function checkBodies(
  t: Test,
  table: Readonly<Record<string, { readonly fit: readonly string[]; readonly unfit: readonly string[] }>>,
  yamlOf?: typeof documentOfBodies,
): Promise<void> {
  const { send, seen } = await serveTable(t, inBody, Object.keys(table), yamlOf);
  for (const [schema, { fit, unfit }] of Object.entries(table)) {
    filled(schema, [...fit, ...unfit]);
    for (const body of fit) t.equal((await send(schema, body)).status, 204, `${schema} takes ${body}`);
    const taken = seen.length;
    for (const body of unfit) t.equal((await send(schema, body)).status, 400, `${schema} refuses ${body}`);
    t.equal(seen.length, taken, `${schema}: no handler got what is refused`);
  }
}

function rowsOf<Expected>(table: Table<readonly [sent: Sent, expected?: Expected]>) {
  return Object.entries(table).flatMap(([schema, rows]) =>
    filled(schema, rows).map(([sent, expected]) => ({ schema, sent, expected })),
  );
}

/** @throws {Error} if there is nothing to send, so that no schema passes unseen */
function filled<Row>(schema: string, rows: readonly Row[]): readonly Row[] {
  if (rows.length === 0) throw new Error(`Nothing is sent for the schema ${schema}.`);
  return rows;
}

/** Serves an operation for each schema. Its `seen` has the requests that handlers got. */
async function serveTable(
  t: Test,
  { part, name, rest = '' }: Place,
  schemas: readonly string[],
  yamlOf = documentOfBodies,
) {
  const pathOf = (schema: string) => `/schema${schemas.indexOf(schema)}`;
  const looks = schemas.map(
    (schema) =>
      [
        part === 'path' ? `${pathOf(schema)}/{${name}}` : pathOf(schema),
        [`{ name: ${name}, in: ${part}${rest}, schema: ${schema} }`],
      ] as const,
  );
  const bodies = schemas.map((schema) => [pathOf(schema), schema] as const);
  const { call, seen } = await serve(t, part === 'body' ? yamlOf(bodies) : documentOfLooks(looks));
  const send = (schema: string, sent: Sent): Promise<Answer> => {
    const path = pathOf(schema);
    if (part === 'body') return call('POST', path, { body: sent });
    if (part === 'path') return call('GET', `${path}/${sent}`);
    if (part === 'query') return call('GET', `${path}${sent ?? ''}`);
    return call(
      'GET',
      path,
      sent === undefined ? {} : { headers: { [part === 'header' ? name : 'Cookie']: sent } },
    );
  };
  return { send, seen };
}
