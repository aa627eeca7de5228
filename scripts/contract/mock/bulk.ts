/**
 * Creates many items at once: a POST whose body is a list of what the create of a collection takes, and whose answer
 * is a list with an outcome of each. Each item is created or refused on its own, as by its create.
 */
import type { AnyHandler } from '../../../src/contract/handlers.js';
import type { Node } from '../document/node.js';
import type { Operation } from '../document/operations.js';
import { successesOf } from '../document/statuses.js';
import { listOf, type Resource } from '../resources/shape.js';
import { typeOf } from '../values/bounds.js';
import { layersOf } from '../values/layers.js';
import { membersOf } from '../values/sites.js';
import { type Item, objectOf, shaped } from './bodies.js';
import { type Documented, headersFor } from './documented.js';
import type { ItemHandlers } from './item-handlers.js';

const statusNames = /^(?:http_?)?status(?:_?code)?$|^code$/i;

/** @param makers the handlers of the resources, in their order */
export function bulkHandlers(
  operations: readonly Operation[],
  resources: readonly Resource[],
  makers: readonly ItemHandlers[],
  documented: Documented,
): Record<string, AnyHandler> {
  const found = operations.flatMap((operation): [string, AnyHandler][] => {
    const list = listIn(operation);
    const outcomes = listOf(operation);
    const index = resources.findIndex(({ create }) => create.body?.schema.key === list?.items.key);
    const [resource, maker] = [resources[index], makers[index]];
    if (list === undefined || outcomes === undefined || resource === undefined || maker === undefined)
      return [];
    const handler: AnyHandler = async (asked) => {
      const items = list.member === undefined ? asked.body : objectOf(asked.body)[list.member];
      const told = (Array.isArray(items) ? items : []).map((item): Item => {
        const answer = maker.create(resource.create, { ...asked, body: item });
        return outcomeOf(objectOf(item), answer.status, objectOf(answer.body), outcomes.items);
      });
      const [status = 200] = successesOf(operation);
      const body = outcomes.member === undefined ? told : { [outcomes.member]: told };
      return { status, headers: headersFor(documented, operation, status, {}), body };
    };
    return [[operation.id, handler]];
  });
  return Object.fromEntries(found);
}

/** The list of items in a body: the body itself, or its only array. */
function listIn({ method, body }: Operation): { member: string | undefined; items: Node } | undefined {
  if (method !== 'POST' || body === undefined) return undefined;
  const layers = layersOf(body.schema);
  const members = membersOf(layers).filter(({ schemas }) => typeOf(schemas.flatMap(layersOf)) === 'array');
  const [member] = members;
  const array =
    typeOf(layers) === 'array' ? layers : members.length === 1 ? member?.schemas.flatMap(layersOf) : [];
  const [items] = (array ?? []).flatMap((layer) => layer.at('items')?.facing('request') ?? []);
  return items && { member: typeOf(layers) === 'array' ? undefined : member?.name, items };
}

/** An outcome has the members of its item, the status of HTTP, and what was answered. */
function outcomeOf(sent: Item, status: number, answered: Item, layers: readonly Node[]): Item {
  const told = membersOf(layers).flatMap(({ name, schemas, required }): [string, unknown][] => {
    if (statusNames.test(name)) return [[name, status]];
    const isObject = typeOf(schemas.flatMap(layersOf)) === 'object';
    const isProblem = /^(?:problem|error|failure)$/i.test(name);
    if (isObject) return isProblem === status >= 400 || required ? [[name, answered]] : [];
    const value = answered[name] ?? sent[name];
    return value === undefined ? [] : [[name, value]];
  });
  return shaped(Object.fromEntries(told), membersOf(layers));
}
