/**
 * Finds the operations that create many items at once: a POST whose body is a list of what the create of a collection
 * takes, and whose answer is a list with an outcome of each.
 *
 * An outcome has the id or a status of its item. Without either it may be anything, such as a price. A list that is
 * named "errors" or the like has the failures only, as in `{ imported: 2, errors: [] }`.
 */
import type { Node } from '../../document/node.js';
import type { Operation } from '../../document/operations.js';
import { answerLayers, listOf } from '../../resources/shape.js';
import { isWrapped } from '../../resources/wrapper.js';
import { typeOf } from '../../values/bounds.js';
import { isObject, type Value } from '../../values/json.js';
import { layersOf } from '../../values/layers.js';
import { type Member, membersOf } from '../../values/sites.js';
import type { ResourceClient } from './client.js';

export interface Bulk {
  readonly operation: Operation;
  /** The member of the body that has the list; undefined if the body is the list. */
  readonly member: string | undefined;
  /** The member of the answer that has the outcomes; undefined if the answer is their list. */
  readonly outcomes: string | undefined;
}

const statusNames = /^(?:http_?)?status(?:_?code)?$|^code$/i;
/** A list with such a name has outcomes of some items only. */
const failureNames =
  /^(?:error|fail|problem|reject|unprocessed|invalid|conflict|duplicate|skipped)|(?:error|failure|problem|rejection)s$/i;

/**
 * @returns undefined if the operation does not take a list of what the create takes, or if its answer does not have an
 *   outcome of each item
 */
export function bulkOf({ identity, resource }: ResourceClient, operation: Operation): Bulk | undefined {
  const { create, wrapper } = resource;
  if (operation.method !== 'POST' || operation.id === create.id || operation.body === undefined)
    return undefined;
  if (operation.path.replace(create.path, '').includes('{')) return undefined;
  const outcomes = listOf(operation);
  // What is in a wrapper has a schema of its own, which nothing here compares.
  if (outcomes === undefined || create.body === undefined) return undefined;
  if (failureNames.test(outcomes.member ?? '') || !tellsOfItems(outcomes.items, identity.names))
    return undefined;
  if (isWrapped(layersOf(create.body.schema), wrapper)) return undefined;
  const layers = layersOf(operation.body.schema);
  const lists = membersOf(layers).filter(({ schemas }) => typeOf(schemas.flatMap(layersOf)) === 'array');
  const list =
    typeOf(layers) === 'array' ? layers : lists.length === 1 ? lists[0]?.schemas.flatMap(layersOf) : [];
  const { key } = create.body.schema;
  const takesItems = list?.some((layer) => layer.at('items')?.facing('request').key === key) ?? false;
  const member = typeOf(layers) === 'array' ? undefined : lists[0]?.name;
  return takesItems ? { operation, member, outcomes: outcomes.member } : undefined;
}

/** Whether an outcome has the id of its item, in itself or in an object such as "item", or a status. */
function tellsOfItems(outcome: readonly Node[], idNames: readonly string[]): boolean {
  const members = membersOf(outcome);
  const near = members.flatMap(({ schemas }) => membersOf(schemas.flatMap(layersOf)));
  const isId = ({ name }: Member): boolean => idNames.includes(name);
  return members.some(({ name }) => statusNames.test(name)) || [...members, ...near].some(isId);
}

/** Whether the document has a status for each item, beside that of the whole. */
export function tellsEach(operation: Operation): boolean {
  const items = listOf(operation)?.items ?? answerLayers(operation);
  return (
    operation.responses.get(207)?.key === '207' && membersOf(items).some(({ name }) => statusNames.test(name))
  );
}

/** @returns undefined if the outcome has no status of HTTP */
export function statusIn(outcome: Value): number | undefined {
  if (!isObject(outcome)) return undefined;
  const value = Object.entries(outcome).find(([name]) => statusNames.test(name))?.[1];
  const status = typeof value === 'bigint' || typeof value === 'string' ? Number(value) : Number.NaN;
  return status >= 100 && status < 600 ? status : undefined;
}
