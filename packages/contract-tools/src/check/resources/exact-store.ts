/**
 * Resources that are stored as exactly as the rule `exact-store` says: a create can be repeated, other
 * content with the same id is a conflict, and a list is in the order of the ids and cut at its limit. No
 * shape shows these promises. With them, whole sequences of requests can be compared with a model of the
 * store.
 */

import type { Operation, Parameter } from '../../document/operations.js';
import { pagingOf, sizeParameterOf } from '../../resources/paging.js';
import { relationsOf } from '../../resources/relations.js';
import type { Resource } from '../../resources/shape.js';
import { typeOf } from '../../values/bounds.js';
import { layersOf } from '../../values/layers.js';
import type { Rules } from '../document/rules.js';
import { idsFor } from './ids.js';

/** The operations without which nothing can be stored, seen and removed. */
export interface ExactStore {
  readonly create: Operation;
  readonly list: Operation;
  readonly remove: Operation;
  /** The list's parameter that bounds its number of items. */
  readonly limit: Parameter | undefined;
}

/** @returns undefined if the rule is off, or if the resource has not the shape for it */
export function exactStoreOf(
  resource: Resource,
  all: readonly Resource[],
  rules: Rules,
): ExactStore | undefined {
  const { create, list, remove, id, parameter } = resource;
  if (!rules.on.has('exact-store') || list === undefined || remove === undefined) return undefined;
  // Texts have many orders, and integers one.
  const isInteger = typeOf(layersOf(parameter.schema)) === 'integer';
  const choosesIds = isInteger && id.in === 'request' && idsFor(parameter.schema) !== undefined;
  const hasConflicts = create.responses.get(409)?.key === '409';
  // A list in pages, and items that refer to others, are tried as those of any document.
  const isAlone = pagingOf(list) === undefined && relationsOf(resource, all).length === 0;
  return choosesIds && hasConflicts && isAlone
    ? { create, list, remove, limit: sizeParameterOf(list) }
    : undefined;
}
