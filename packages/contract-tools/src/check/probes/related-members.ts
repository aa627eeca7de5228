/**
 * Finds out whether a value was refused because of another one, which is a rule that no schema can say. There are three ways:
 *
 * - That `ends_at` comes after `starts_at` makes the greatest `starts_at` a wrong one. So members of one object, or
 *   parameters of the query, of one type that has an order, such as dates or integers, are changed together with the
 *   value that was refused. If any of these requests succeeds, the value alone was not the reason.
 * - That an express parcel is not heavier than 20 kg makes a generated `{ service: express, weight: 30 }` a wrong one. So
 *   one part of a generated request after the other is made as plain as can be. The parts that are left are those without
 *   which the request is taken. If there are two or more, none of them alone was the reason.
 * - That the lines of an invoice add up to its total makes almost any `lines` a wrong one. But an example of the document has
 *   good ones. If it is refused with another total, and that total is taken without lines, the two go together.
 */
import { pointerOf } from '../../../../exact-json/index.js';
import type { Node } from '../../document/node.js';
import type { Operation } from '../../document/operations.js';
import { succeeded } from '../../document/statuses.js';
import { integerBounds, typeOf } from '../../values/bounds.js';
import { formattedTexts, laterText } from '../../values/formats.js';
import { isObject, type Value } from '../../values/json.js';
import { layersOf } from '../../values/layers.js';
import { sitesOf, valueAt, withPart } from '../../values/sites.js';
import { fits } from '../../values/valid-values.js';
import {
  exampleRequests,
  focusOn,
  parameterOf,
  withoutParameter,
  withParameter,
} from '../requests/plain-request.js';
import type { Focus, RequestValues } from '../requests/request-values.js';
import { boundaryValues } from '../values/boundary-values.js';
import { readText, writeText } from '../values/parameter-text.js';
import { askBeside, type ProbeRun } from './probe-run.js';

/** A member of the body or a parameter of the query. */
interface Place {
  readonly focus: Focus;
  readonly name: string;
  readonly layers: readonly Node[];
  valueIn(values: RequestValues): Value | undefined;
  /** @returns undefined if the place cannot have the value */
  put(values: RequestValues, value: Value): RequestValues | undefined;
}

const ordered = ['date', 'time', 'date-time'];
/** The whole body. A request that is about something goes to an item that is there. */
const whole: Focus = { part: 'body', where: '' };

/**
 * @param focus the place with the value; if it is the whole request, one part of the request after the other is made plain
 * @returns whether the value is taken beside other values, so that it alone is not the reason of the refusal
 */
export async function isTakenBesideOthers(
  run: ProbeRun,
  operation: Operation,
  values: RequestValues,
  focus: Focus | undefined,
): Promise<boolean> {
  const isAbout = async (rest: RequestValues, place: Focus): Promise<boolean> =>
    (await isTakenBeside(run, operation, rest, place)) || isBound(run, operation, place);
  if (focus !== undefined && focus.where !== whole.where) return isAbout(values, focus);
  const { rest, parts } = await partsInTheWay(run, operation, values);
  const [first] = parts;
  if (first === undefined) return false;
  if (parts.length === 1) return isAbout(rest, first.focus);
  noteRelated(run, operation, parts);
  return true;
}

/** A part of a request that can be made as in another one: a parameter, or a member of the body. */
interface Part extends Pick<Place, 'focus' | 'name'> {
  asIn(other: RequestValues, values: RequestValues): RequestValues;
}

/** @returns the parts of a refused request without which it is taken, in a request that is plain except for these */
async function partsInTheWay(
  run: ProbeRun,
  operation: Operation,
  values: RequestValues,
): Promise<{ readonly rest: RequestValues; readonly parts: readonly Part[] }> {
  const plain = run.meaning.baseOf(operation);
  const parts: Part[] = [];
  let rest = values;
  for (const part of partsOf(operation, values)) {
    const plainer = part.asIn(plain, rest);
    const step = isWhole(operation, plainer) ? await askBeside(run, operation, plainer, whole) : undefined;
    if (step === undefined) continue;
    if (succeeded(operation, step)) parts.push(part);
    else rest = plainer;
  }
  return { rest, parts };
}

function partsOf({ parameters }: Operation, { body }: RequestValues): Part[] {
  return [
    ...parameters
      .filter((parameter) => parameter.in !== 'path')
      .map((parameter) => ({
        focus: focusOn(parameter),
        name: parameter.name,
        asIn(other: RequestValues, values: RequestValues) {
          const text = parameterOf(other, parameter);
          return text === undefined
            ? withoutParameter(values, parameter)
            : withParameter(values, parameter, text);
        },
      })),
    ...Object.keys(isObject(body) ? body : {}).map((name) => ({
      focus: { part: 'body', where: pointerOf([name]) } as const,
      name,
      asIn: (other: RequestValues, values: RequestValues) => ({
        ...values,
        body: withPart(values.body ?? null, pointerOf([name]), valueAt(other.body, pointerOf([name]))),
      }),
    })),
  ];
}

function isWhole({ body }: Operation, values: RequestValues): boolean {
  return body === undefined || values.body === undefined || fits([body.schema], values.body);
}

function noteRelated(
  run: ProbeRun,
  operation: Operation,
  places: readonly Pick<Place, 'name'>[],
  advice = ': add an example of a request that it takes',
): void {
  const names = places.map(({ name }) => `"${name}"`).join(', ');
  run.recorder.note(
    `${operation.id} refuses values of ${names} that the document allows, because of each other${advice}.`,
  );
}

async function isTakenBeside(
  run: ProbeRun,
  operation: Operation,
  values: RequestValues,
  focus: Focus,
): Promise<boolean> {
  // An update that leaves out one of them leaves it as it is.
  const places = comparableWith(placesOf(operation), focus);
  const at = places.findIndex((place) => isSame(place.focus, focus));
  const value = places[at]?.valueIn(values);
  if (places.length < 2 || value === undefined) return false;
  const others: ((place: Place, index: number) => Value | undefined)[] = [
    () => value,
    ({ layers }, index) => endsOf(layers)[index < at ? 0 : 1],
    ({ layers }, index) => endsOf(layers)[index < at ? 1 : 0],
    // The value may be an end itself, beside which only one beyond it is in order.
    (place, index) => stepsFrom(value, index - at, kindOf(place)),
    (place, index) => stepsFrom(value, at - index, kindOf(place)),
  ];
  for (const other of others) {
    const changed = places.reduce<RequestValues | undefined>((whole, place, index) => {
      const part = index === at ? value : other(place, index);
      return part === undefined || whole === undefined ? whole : place.put(whole, part);
    }, values);
    if (changed === undefined || !isWhole(operation, changed)) continue;
    const step = await askBeside(run, operation, changed, focus);
    if (step === undefined) return false;
    // A conflict with what is there tells nothing of the value.
    const isConflict = step.status === 409 && operation.responses.has(409);
    if (!succeeded(operation, step) && !isConflict) continue;
    noteRelated(run, operation, places);
    return true;
  }
  return false;
}

function placesOf({ body, parameters }: Operation): Place[] {
  const members = body === undefined ? [] : sitesOf([body.schema]);
  return [
    ...parameters
      .filter((parameter) => parameter.in === 'query')
      .map((parameter) => ({
        focus: focusOn(parameter),
        name: parameter.name,
        layers: layersOf(parameter.schema),
        valueIn(values: RequestValues) {
          const text = parameterOf(values, parameter);
          return text === undefined ? undefined : readText(parameter.schema, text);
        },
        put(values: RequestValues, value: Value) {
          const text = fits([parameter.schema], value) ? writeText(value) : undefined;
          return text === undefined ? undefined : withParameter(values, parameter, text);
        },
      })),
    ...members
      .filter(({ pointer }) => pointer !== '')
      .map(({ pointer, layers }) => ({
        focus: { part: 'body', where: pointer } as const,
        name: pointer.slice(pointer.lastIndexOf('/') + 1),
        layers,
        valueIn: ({ body: whole }: RequestValues) =>
          whole === undefined ? undefined : valueAt(whole, pointer),
        put: (values: RequestValues, value: Value) => ({
          ...values,
          body: withPart(values.body ?? null, pointer, value),
        }),
      })),
  ];
}

/** How many values of another member are tried beside one of an example. */
const maxOthers = 3;
/** What is known of the members of an operation's body, by their pointers. */
const bound = new WeakMap<Operation, Map<string, Promise<boolean>>>();

/** Whether an example shows that a member of the body goes together with another one; found out once. */
function isBound(run: ProbeRun, operation: Operation, { part, where }: Focus): Promise<boolean> {
  const known = bound.get(operation) ?? new Map<string, Promise<boolean>>();
  bound.set(operation, known);
  const pointer = where.split('/').slice(0, 2).join('/');
  const found = known.get(pointer) ?? (part === 'body' ? findBound(run, operation, pointer) : undefined);
  if (found !== undefined) known.set(pointer, found);
  return found ?? Promise.resolve(false);
}

async function findBound(run: ProbeRun, operation: Operation, pointer: string): Promise<boolean> {
  const { body } = operation;
  if (body === undefined) return false;
  const isTaken = async (values: RequestValues): Promise<boolean> => {
    const step = isWhole(operation, values) ? await askBeside(run, operation, values, whole) : undefined;
    return step !== undefined && succeeded(operation, step);
  };
  const others = sitesOf([body.schema]).filter(
    (site) => /^\/[^/]+$/.test(site.pointer) && site.pointer !== pointer,
  );
  for (const example of exampleRequests(operation)) {
    const put = (at: string, value: Value | undefined, values: RequestValues): RequestValues => ({
      ...values,
      body: withPart(values.body ?? null, at, value),
    });
    if (valueAt(example.body, pointer) === undefined || !(await isTaken(example))) continue;
    for (const { pointer: other, layers } of others) {
      if (valueAt(example.body, other) === undefined) continue;
      for (const { value } of boundaryValues(layers).slice(0, maxOthers)) {
        const changed = put(other, value, example);
        if ((await isTaken(changed)) || !(await isTaken(put(pointer, undefined, changed)))) continue;
        const names = [other, pointer].map((at) => ({ name: at.slice(1) }));
        // There is an example already.
        noteRelated(run, operation, names, '');
        return true;
      }
    }
  }
  return false;
}

function isSame(one: Focus, other: Focus): boolean {
  return one.part === other.part && one.where === other.where;
}

/** The places of the same ordered type, in the document's order: members of one object, or parameters. */
function comparableWith(places: readonly Place[], focus: Focus): Place[] {
  // The names of parameters are no pointers.
  const parentOf = ({ part, where }: Focus): string =>
    part + (part === 'body' ? where.slice(0, where.lastIndexOf('/')) : '');
  const own = places.find((place) => isSame(place.focus, focus));
  const kind = own && kindOf(own);
  if (kind === undefined) return [];
  return places.filter((place) => parentOf(place.focus) === parentOf(focus) && kindOf(place) === kind);
}

function kindOf({ layers }: Place): string | undefined {
  const type = typeOf(layers);
  if (type === 'integer' || type === 'number') return type;
  return ordered.find((format) => layers.some((layer) => layer.text('format') === format));
}

/** A value that is so many steps after another one, or before it. */
function stepsFrom(value: Value, steps: number, kind = ''): Value | undefined {
  return typeof value === 'bigint' ? value + BigInt(steps) : laterText(kind, value, steps);
}

/** The least and the greatest value that is sent. */
function endsOf(layers: Place['layers']): readonly (Value | undefined)[] {
  const texts = formattedTexts(layers)?.toSorted();
  if (texts !== undefined) return [texts[0], texts.at(-1)];
  const { least, most } = integerBounds(layers);
  return [least, most];
}
