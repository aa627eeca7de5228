/** Decides whether an answer shows the content of an item correctly. */

import type { Node } from '../document/node.js';
import { typeOf } from '../values/bounds.js';
import { Decimal, isArray, isObject, sameValue, type Value, type ValueObject } from '../values/json.js';
import { layersOf } from '../values/schema.js';
import { type Member, membersOf } from '../values/sites.js';

/** All members that an item was created with, except the id. */
export type Content = ValueObject;

/** Returns the members of a value that belong to the content; none if the value is not an object. */
export function contentOf(members: readonly Member[], value: Value | undefined): Content {
  if (!isObject(value)) return {};
  const names = new Set(members.map(({ name }) => name));
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.has(name)));
}

/**
 * Compares the members that both the request and the answer have in their schemas.
 *
 * @param members those of the content
 * @param answer the schemas of the answer
 * @param judgesUnsent whether a member that was not sent must be absent, null or its default
 * @returns the name of the first member that differs; undefined if none does
 */
export function differingMember(
  members: readonly Member[],
  answer: readonly Node[],
  expected: Content,
  answered: Value | undefined,
  { judgesUnsent }: { readonly judgesUnsent: boolean },
): string | undefined {
  const shown = new Set(membersOf(answer).map(({ name }) => name));
  return members
    .filter(({ name, schemas }) => shown.has(name) && !schemas.some((schema) => schema.flag('writeOnly')))
    .find(({ name, schemas }) => {
      const part = isObject(answered) ? ownMember(answered, name) : undefined;
      const sent = ownMember(expected, name);
      // A server may fill in what it was not sent.
      return (sent !== undefined || judgesUnsent) && !sameMember(schemas, sent, part);
    })?.name;
}

function sameMember(schemas: readonly Node[], sent: Value | undefined, answered: Value | undefined): boolean {
  const layers = schemas.flatMap(layersOf);
  if (sent !== undefined) return answered !== undefined && sameUnder(layers, sent, answered);
  // A member that was not sent may come back as null, or as its documented default.
  const absent =
    answered === undefined || (answered === null && layers.some((layer) => layer.flag('nullable')));
  return absent || layers.some((layer) => layer.at('default') !== undefined);
}

/** Integers are compared to the last digit; other numbers as doubles, as readers do. */
function sameUnder(layers: readonly Node[], a: Value, b: Value): boolean {
  if (typeOf(layers) === 'number') return numberOf(a) === numberOf(b);
  if (isArray(a) && isArray(b)) {
    const items = layers.flatMap((layer) => layer.at('items') ?? []).flatMap(layersOf);
    return a.length === b.length && a.every((item, index) => sameUnder(items, item, b[index] ?? null));
  }
  if (isObject(a) && isObject(b)) {
    const members = membersOf(layers);
    const names = new Set([...Object.keys(a), ...Object.keys(b)]);
    return [...names].every((name) => {
      const [mine, theirs] = [ownMember(a, name), ownMember(b, name)];
      const below = members.find((member) => member.name === name)?.schemas.flatMap(layersOf) ?? [];
      // A member that no schema names is ignored, as JSON Schema does; an open schema keeps it.
      if (below.length === 0 && members.length > 0) return true;
      return mine !== undefined && theirs !== undefined && sameUnder(below, mine, theirs);
    });
  }
  return sameValue(a, b) || (layers.some(isMoment) && sameInstant(a, b));
}

function isMoment(layer: Node): boolean {
  return layer.text('format') === 'date-time';
}

/** RFC 3339, section 5.6: an instant has several spellings, with or without a fraction, "Z" or "+00:00". */
function sameInstant(a: Value, b: Value): boolean {
  return typeof a === 'string' && typeof b === 'string' && Date.parse(a) === Date.parse(b);
}

function numberOf(value: Value): unknown {
  return typeof value === 'bigint' ? Number(value) : value instanceof Decimal ? Number(value.text) : value;
}

function ownMember(object: ValueObject, name: string): Value | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
