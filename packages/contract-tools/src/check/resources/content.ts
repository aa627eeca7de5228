/** Decides whether an answer shows the content of an item correctly. */

import type { Node } from '../../document/node.js';
import { isFile } from '../../values/files.js';
import { isObject, memberOf, type Value, type ValueObject } from '../../values/json.js';
import { type Member, membersOf } from '../../values/sites.js';
import { compare } from '../values/compare.js';

/** All members that an item was created with, except the id. */
export type Content = ValueObject;

/** Returns the members of a value that belong to the content; none if the value is not an object. */
export function contentOf(members: readonly Member[], value: Value | undefined): Content {
  if (!isObject(value)) return {};
  const names = new Set(members.map(({ name }) => name));
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.has(name)));
}

/** What comparing the content of an item with an answer has shown. */
interface Difference {
  /** The name of the first member that differs; undefined if none does. */
  readonly member: string | undefined;
  /** The places that the document lets the answer show otherwise (compare.ts), such as `owner/name`. */
  readonly uncompared: readonly string[];
}

/**
 * Compares the members that both the request and the answer have in their schemas.
 *
 * @param members those of the content
 * @param answer the schemas of the answer
 * @param judgesUnsent whether a member that was not sent must be absent, null or its default
 */
export function differenceBetween(
  members: readonly Member[],
  answer: readonly Node[],
  expected: Content,
  answered: Value | undefined,
  { judgesUnsent }: { readonly judgesUnsent: boolean },
): Difference {
  const shown = new Map(membersOf(answer).map((member) => [member.name, member]));
  const compared = members.flatMap(({ name, schemas }) => {
    const given = shown.get(name);
    if (given === undefined || isFile(schemas) || schemas.some((schema) => schema.flag('writeOnly')))
      return [];
    const sent = { schemas, value: memberOf(expected, name) };
    const side = {
      schemas: given.schemas,
      value: memberOf(answered, name),
      isRequired: given.required,
    };
    return [{ name, ...compare(sent, side, { judgesUnsent }, name) }];
  });
  return {
    member: compared.find(({ differs }) => differs)?.name,
    uncompared: compared.flatMap(({ uncompared }) => uncompared),
  };
}
