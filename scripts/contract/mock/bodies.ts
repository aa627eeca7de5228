/** Reads items from the bodies of requests, and writes them as the schemas of the answers have them. */

import type { AnyAnswer } from '../../../src/contract/handlers.js';
import type { Node } from '../document/node.js';
import type { Operation } from '../document/operations.js';
import { successesOf } from '../document/statuses.js';
import { answerLayers, listOf, type Resource, shownLayers } from '../resources/shape.js';
import { isWrapped, wrapperOfRequest } from '../resources/wrapper.js';
import { typeOf } from '../values/bounds.js';
import { fromYaml, readJson } from '../values/json.js';
import { layersOf, namesNull } from '../values/layers.js';
import { violationsOf } from '../values/schema.js';
import { type Member, membersOf } from '../values/sites.js';
import { jsonText, plain, sampleFor } from './samples.js';

/** The members of an item that is kept. */
export type Item = Readonly<Record<string, unknown>>;

/** Reads the members of the item that a request names, without the wrapper of its body. */
export function toldIn(resource: Resource, operation: Operation, body: unknown): Item {
  const wrapper = wrapperOfRequest(operation, resource.wrapper);
  return objectOf(wrapper === undefined ? body : objectOf(body)[wrapper]);
}

/** Makes a success of an operation, by default the first one, with an item in the form of its schema. */
export function answerWith(
  resource: Resource,
  operation: Operation,
  item: Item,
  headers: Readonly<Record<string, string>> = {},
  status = successesOf(operation)[0] ?? 200,
): AnyAnswer {
  const whole = answerLayers(operation);
  const { wrapper } = resource;
  const shown = shaped(item, membersOf(shownLayers(operation, resource)));
  const body = isWrapped(whole, wrapper) ? shaped({ [wrapper]: shown }, membersOf(whole)) : shown;
  const hasBody = (operation.responses.get(status)?.content.size ?? 0) > 0;
  return { status, headers, ...(hasBody && { body }) };
}

/** Returns the members of a body that are stored: those that a schema of the create names. */
export function contentOf(resource: Resource, body: Item): Item {
  const known = resource.members.flatMap(({ name, schemas }) => {
    const value = body[name];
    if (value === undefined) return [];
    const isTyped = typeOf(schemas.flatMap(layersOf)) !== undefined;
    return [[name, isTyped ? value : withoutBigints(value)] as const];
  });
  return Object.fromEntries(known);
}

/** What is known of a new item beside its content. */
interface Surroundings {
  /** The values of the parameters in the path of the create. */
  readonly path: Item;
  /** How many items there have been. */
  readonly count: bigint;
}

/**
 * Adds all that an answer must have: the ids of parents, the number of the item, and whatever else, such as the
 * time of creation.
 */
export function wholeItem(resource: Resource, item: Item, { path, count }: Surroundings): Item {
  const { create, get, list } = resource;
  const members = [
    ...membersOf(shownLayers(create, resource)),
    ...(get ? membersOf(shownLayers(get, resource)) : []),
    ...(list ? membersOf(listOf(list)?.items ?? []) : []),
  ];
  const missing = members.filter(({ name, required }) => required && item[name] === undefined);
  const made = missing.map(({ name, schemas }) => {
    const isNumber = typeOf(schemas.flatMap(layersOf)) === 'integer' && isReadOnly(schemas);
    const known = path[name] ?? (isNumber ? count : undefined);
    return [name, known !== undefined && fitsAll(known, schemas) ? known : madeFor(schemas)];
  });
  return { ...Object.fromEntries(made), ...item };
}

function isReadOnly(schemas: readonly Node[]): boolean {
  return schemas.flatMap(layersOf).some((layer) => layer.flag('readOnly'));
}

/** What is not known is null, if it can be. */
function madeFor(schemas: readonly Node[]): unknown {
  return schemas.flatMap(layersOf).some(namesNull) ? null : sampleFor(schemas);
}

/** Adds the defaults of members that are absent (JSON Schema 2020-12, validation, section 9.2), also of objects within. */
export function withDefaults(item: Item, members: readonly Member[]): Item {
  const added = members.flatMap(({ name, schemas }): [string, unknown][] => {
    const layers = schemas.flatMap(layersOf);
    const value = item[name];
    if (value === undefined) {
      const [usual] = [...schemas, ...layers].flatMap((layer) => layer.at('default') ?? []);
      return usual === undefined ? [] : [[name, plain(fromYaml(usual.value))]];
    }
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? [[name, withDefaults(objectOf(value), membersOf(layers))]] : [];
  });
  return { ...item, ...Object.fromEntries(added) };
}

/** RFC 7396, section 2: null removes a member, and objects are merged. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const merged = new Map(Object.entries(Array.isArray(target) ? {} : objectOf(target)));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

/**
 * Returns the members of an item that an answer's schema names, and makes up those that it needs, or that do
 * not fit it as they were sent.
 */
export function shaped(item: Item, members: readonly Member[]): Item {
  if (members.length === 0) return item;
  const shown = members.flatMap(({ name, schemas, required }) => {
    const sent = item[name];
    if (sent === undefined && !required) return [];
    const value = sent === undefined ? madeFor(schemas) : answered(sent, schemas);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(shown);
}

/**
 * Returns a member in the form of an answer, which need not be that of the request: a price may be sent as a
 * number or as text, and be answered as text.
 */
function answered(value: unknown, schemas: readonly Node[]): unknown {
  const forms = typeof value === 'number' || typeof value === 'bigint' ? [value, String(value)] : [value];
  const fitting = forms.find((form) => fitsAll(form, schemas));
  return fitting === undefined ? sampleFor(schemas) : fitting;
}

function fitsAll(value: unknown, schemas: readonly Node[]): boolean {
  // A handler has an int32 as a number, and the judge reads JSON, where it is an integer.
  const sent = readJson(Buffer.from(jsonText(value)));
  return schemas.every((schema) => violationsOf(schema, sent).length === 0);
}

/** Turns bigints into numbers, because the layer writes a bigint only if its schema has a type. */
function withoutBigints(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(withoutBigints);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withoutBigints(part)]));
}

/** Takes a part of a request for an object; one that is absent has no members. */
export function objectOf(value: unknown): Item {
  // Validated parts of a request are objects.
  return typeof value === 'object' && value !== null ? (value as Item) : {};
}
