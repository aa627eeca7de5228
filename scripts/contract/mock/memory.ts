/**
 * Makes handlers that keep items for the life of the process. They do for every resource that the checker
 * recognises (../resources/shape.ts): what is created can be read, changed, listed and deleted, by the
 * owner who created it.
 *
 * A front end that is tried on a mock of examples creates a plant, and does not find it in the list. With
 * these handlers it does. What the document's shape does not say is decided in the plainest way:
 *
 * - The same create again changes nothing. Other content for the same id is a 409, if that is documented;
 *   otherwise it replaces the item.
 * - A parent in the path, or another resource's item that a body names, must exist, or the answer is a 404, or a
 *   422 because of the body, if that is documented. An item that others refer to stays, if its removal documents
 *   a 409; the items below it are removed with it.
 * - Items are listed in the order of integer ids, else in the order in which they were created, and in pages
 *   if the list has parameters for that (page.ts); filters and orders are list-answer.ts.
 * - An item that is not there is answered by the documented 404 or 410. If neither is documented, an item is
 *   made up, because the document has no answer that says so.
 * - Entity tags are conditions.ts, work that takes time is work.ts, creates of many are bulk.ts.
 *
 * Operations that belong to no resource keep answering examples, but only below an item that is there.
 */

import type { Contract } from '../../../src/contract/contract.js';
import type { AnyAnswer, AnyHandler } from '../../../src/contract/handlers.js';
import { type Operation, operationsOf, pathsOf } from '../document/operations.js';
import { relationsOf } from '../resources/relations.js';
import { resourcesOf } from '../resources/shape.js';
import { objectOf } from './bodies.js';
import { bulkHandlers } from './bulk.js';
import { absenceFor, type Documented } from './documented.js';
import { type Asked, ItemHandlers } from './item-handlers.js';
import { Shelf } from './shelf.js';
import { workHandlers } from './work.js';

interface Memory {
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  /** By operationId: makes the answer of an operation below an item that is not there. */
  readonly guards: ReadonlyMap<string, Guard>;
  /** The paths of the collections whose items are kept. */
  readonly kept: readonly string[];
}

type Guard = (asked: Asked) => AnyAnswer | undefined;

export function memoryOf(contract: Contract, documented: Documented): Memory {
  const operations = servedOperations(contract);
  const resources = resourcesOf({ paths: pathsOf(operations) });
  const shelves = resources.map((resource) => new Shelf(resource));
  const relations = shelves.flatMap((shelf) =>
    relationsOf(shelf.resource, resources).flatMap((relation) => {
      const target = shelves.find(({ resource }) => resource === relation.target);
      return target === undefined ? [] : [{ shelf, relation, target }];
    }),
  );
  const itemHandlers = shelves.map((shelf) => {
    return new ItemHandlers(shelf, relations, documented);
  });
  const handlers = Object.fromEntries(itemHandlers.flatMap((one) => one.entries()));
  const others = operations.filter(({ id }) => !Object.hasOwn(handlers, id));
  const guards = new Map(others.map((one) => [one.id, guardOf(one, shelves, documented)]));
  const bulk = bulkHandlers(others, resources, itemHandlers, documented);
  const work = workHandlers(others, guards, documented);
  return {
    handlers: { ...handlers, ...bulk, ...work },
    guards,
    kept: resources.map(({ collectionPath }) => collectionPath),
  };
}

/** Describes the operations that the contract has; the mock may have left out others. */
function servedOperations(contract: Contract): Operation[] {
  const served = new Set(contract.operations.map(({ id }) => id));
  return operationsOf(contract).operations.filter(({ id }) => served.has(id));
}

/** Looks for the item in whose path an operation is: the job of `/jobs/{jobId}/invoice`. */
function guardOf(operation: Operation, shelves: readonly Shelf[], { refuse }: Documented): Guard {
  const above = shelves.filter(({ resource }) => operation.path.startsWith(`${resource.itemPath}/`));
  return ({ caller, path }) => {
    const values = objectOf(path);
    const isThere = above.every(
      (shelf) => shelf.see(caller, values, values[shelf.resource.parameter.name]) !== undefined,
    );
    return isThere ? undefined : absenceFor(operation, refuse);
  };
}
