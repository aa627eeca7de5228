/**
 * Ends work that takes time after a moment. A 202 says that something has begun, and a GET says how far it is. The two
 * belong together if they show the same schema, or if a link of the 202 leads to the GET (OpenAPI 3.0.3, "Link
 * Object"). For example, `POST /jobs/{jobId}/invoice` is answered 202 with `{ "id": …, "state": "queued" }` and
 * a Location. For half a second, a GET there shows "queued", for another half "running", and then "done" with the path
 * of the invoice.
 */
import type { AnyAnswer, AnyHandler } from '../../../src/contract/handlers.js';
import type { Node } from '../document/node.js';
import type { Operation, Parameter } from '../document/operations.js';
import { answerLayers } from '../resources/shape.js';
import { layersOf } from '../values/layers.js';
import { type Member, membersOf } from '../values/sites.js';
import { choices } from '../values/valid-values.js';
import { type Item, objectOf, shaped } from './bodies.js';
import { absenceFor, type Documented, filledPath, headersFor } from './documented.js';
import type { Asked } from './item-handlers.js';
import { freshId } from './shelf.js';

/** How long work takes, in milliseconds: a front end shows that it waits, and nobody has to wait long. */
const workMs = 1_000;

const stateNames = /^(?:state|status|phase|stage|(?:job|run|task|operation)_?(?:state|status))$/i;
const doneWords = /^(?:done|ok|complete[d]?|finished|success|successful|succeeded|processed)$/i;
const failedWords = /fail|error|cancel|abort|reject|expire|timed?_?-?out|stopped/i;

interface Begun {
  readonly id: unknown;
  /** The parameters of the path with which it has begun. */
  readonly path: Item;
  readonly startedAt: number;
}

/** What a GET shows: `/runs/{runId}` shows a run. */
interface Shown {
  readonly operation: Operation;
  readonly parameter: Parameter;
}

/** What a monitor shows. */
interface Followed {
  readonly begun: Owned<Begun>;
  readonly results: readonly Result[];
}

/** Things that an owner has, by the owner and the id. */
class Owned<Value> {
  readonly #values = new Map<string, Value>();

  get(owner: unknown, id: unknown): Value | undefined {
    return this.#values.get(JSON.stringify([String(owner), String(id)]));
  }

  set(owner: unknown, id: unknown, value: Value): void {
    this.#values.set(JSON.stringify([String(owner), String(id)]), value);
  }
}

/** @param guards refuse work on an item that is not there, by operationId */
export function workHandlers(
  operations: readonly Operation[],
  guards: ReadonlyMap<string, (asked: Asked) => AnyAnswer | undefined>,
  documented: Documented,
): Record<string, AnyHandler> {
  const shown = operations.flatMap((operation): Shown[] => {
    const name = /\{([^{}]+)\}$/.exec(operation.path)?.[1];
    const parameter = operation.parameters.find((one) => one.in === 'path' && one.name === name);
    return operation.method === 'GET' && parameter !== undefined ? [{ operation, parameter }] : [];
  });
  let count = 0n;
  const monitors = new Map<Shown, Followed>();
  const found = operations.flatMap((operation): [string, AnyHandler][] => {
    const monitor = shown.find((one) => shows(one, operation));
    if (operation.responses.get(202)?.key !== '202' || monitor === undefined) return [];
    // Several operations may begin what one monitor shows.
    const followed = monitors.get(monitor) ?? {
      begun: new Owned<Begun>(),
      results: shown.flatMap((one) => resultOf(one, monitor)),
    };
    monitors.set(monitor, followed);
    const { begun, results } = followed;
    const members = membersOf(answerLayers(operation, 202));
    const begin: AnyHandler = async (asked) => {
      const refusal = guards.get(operation.id)?.(asked);
      if (refusal !== undefined) return refusal;
      const id = freshId(monitor.parameter.schema, ++count);
      begun.set(asked.caller, id, { id, path: objectOf(asked.path), startedAt: performance.now() });
      const Location = filledPath(monitor.operation.path, {
        ...objectOf(asked.path),
        [monitor.parameter.name]: id,
      });
      const headers = headersFor(documented, operation, 202, { Location, 'Retry-After': '1' });
      return {
        status: 202,
        headers,
        body: shaped({ ...idMember(monitor, id), ...stateOf(members, 0) }, members),
      };
    };
    return [
      [operation.id, begin],
      [monitor.operation.id, lookAt(monitor, followed, () => ++count, documented)],
      ...results.map((one): [string, AnyHandler] => [one.operation.id, showResult(one, documented)]),
    ];
  });
  return Object.fromEntries(found);
}

function shows({ operation }: Shown, work: Operation): boolean {
  const response = work.responses.get(202);
  const links = (response?.node.at('links')?.members() ?? []).map(([, link]) => link.text('operationId'));
  const begun = [...(response?.content.values() ?? [])].map((schema) => schema?.key);
  const seen = [...(operation.responses.get(200)?.content.values() ?? [])].map((schema) => schema?.key);
  return links.includes(operation.id) || seen.some((key) => key !== undefined && begun.includes(key));
}

function idMember({ parameter }: Shown, id: unknown): Item {
  return { id, [parameter.name]: id };
}

/** @param part how far the work is, from 0 to 1 */
function stateOf(members: readonly Member[], part: number): Item {
  const states = members.flatMap(({ name, schemas }): [string, unknown][] => {
    if (!stateNames.test(name)) return [];
    const words = schemas.flatMap(layersOf).flatMap(choices).map(String);
    const done = words.find((word) => doneWords.test(word));
    const waiting = words.filter((word) => !doneWords.test(word) && !failedWords.test(word));
    const word = part >= 1 ? done : waiting[Math.min(waiting.length - 1, Math.floor(part * 2))];
    return word === undefined ? [] : [[name, word]];
  });
  return Object.fromEntries(states);
}

interface Result extends Shown {
  /** The member that has its path. */
  readonly member: string;
  /** The results by the ids of their work. */
  readonly ofWork: Owned<Begun>;
  /** The results by their own ids. */
  readonly made: Owned<Begun>;
}

/** Finds the member of what a monitor shows that leads to another thing: `invoice` to `/invoices/{invoiceId}`. */
function resultOf(shown: Shown, monitor: Shown): Result[] {
  const word = shown.operation.path.split('/').at(-2) ?? '';
  const member = membersOf(answerLayers(monitor.operation)).find(
    ({ name, schemas }) =>
      isLink(schemas) && word !== '' && word.toLowerCase().startsWith(name.toLowerCase()),
  );
  return shown === monitor || member === undefined
    ? []
    : [{ ...shown, member: member.name, ofWork: new Owned<Begun>(), made: new Owned<Begun>() }];
}

function isLink(schemas: readonly Node[]): boolean {
  return schemas
    .flatMap(layersOf)
    .some((layer) => /^ur[il](?:-reference)?$/.test(layer.text('format') ?? ''));
}

function lookAt(
  monitor: Shown,
  { begun, results }: Followed,
  nextNumber: () => bigint,
  documented: Documented,
): AnyHandler {
  const { operation, parameter } = monitor;
  const members = membersOf(answerLayers(operation));
  return async ({ caller, path }) => {
    const work = begun.get(caller, objectOf(path)[parameter.name]);
    if (work === undefined)
      return absenceFor(operation, documented.refuse) ?? exampleOf(operation, documented);
    const part = (performance.now() - work.startedAt) / workMs;
    const links =
      part < 1
        ? []
        : results.map(({ operation: { path: below }, parameter: { name, schema }, member, ofWork, made }) => {
            const known = ofWork.get(caller, work.id);
            const id = known === undefined ? freshId(schema, nextNumber()) : known.id;
            if (known === undefined) {
              ofWork.set(caller, work.id, { ...work, id });
              made.set(caller, id, { ...work, id });
            }
            return [member, filledPath(below, { ...work.path, [name]: id })];
          });
    const item = { ...idMember(monitor, work.id), ...stateOf(members, part), ...Object.fromEntries(links) };
    const headers = headersFor(documented, operation, 200, { 'Retry-After': part < 1 ? '1' : undefined });
    return { status: 200, headers, body: shaped(item, members) };
  };
}

/** The result is the document's example, with the ids that are known. */
function showResult({ operation, parameter, made }: Result, documented: Documented): AnyHandler {
  return async ({ caller, path }) => {
    const id = objectOf(path)[parameter.name];
    const work = made.get(caller, id);
    if (work === undefined)
      return absenceFor(operation, documented.refuse) ?? exampleOf(operation, documented);
    const example = exampleOf(operation, documented);
    const known = { ...objectOf(example.body), ...work.path, id, [parameter.name]: id };
    return { ...example, body: shaped(known, membersOf(answerLayers(operation))) };
  };
}

function exampleOf({ id }: Operation, { example }: Documented): AnyAnswer {
  return example(id, 200) ?? { status: 200 };
}
