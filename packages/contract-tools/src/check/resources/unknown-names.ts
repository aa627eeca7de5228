/**
 * Knows which values of a valid request name what only the server can tell: an item by its id, an entity tag, and a place
 * in a list by a cursor. If the checker makes one up, a right server refuses the request, although each schema allows it.
 */
import type { Operation } from '../../document/operations.js';
import { pagingOf } from '../../resources/paging.js';
import { isArray, isObject, type Value } from '../../values/json.js';
import { sitesOf } from '../../values/sites.js';
import type { Focus, RequestValues } from '../requests/request-values.js';

/**
 * Whether a request names something that may not be there.
 *
 * @param isKnown whether a member of that name is the id of the item itself, or refers to an item that is there
 */
export function namesUnknown(
  operation: Operation,
  { body, query }: RequestValues,
  focus: Focus | undefined,
  isKnown: (member: string) => boolean,
): boolean {
  const cursor = pagingOf(operation)?.cursor?.name ?? '';
  const isTag = focus?.part === 'header' && /^if-/i.test(focus.where);
  return (
    isTag ||
    query[cursor] !== undefined ||
    Object.keys(query).some(isNameOfId) ||
    memberNames(body).some((name) => isNameOfId(name) && !isKnown(name))
  );
}

/** The members of the body, and the parameters outside the path, that have the name of an id. */
export function namesOfIds({ body, parameters }: Operation): string[] {
  const members = body === undefined ? [] : sitesOf([body.schema]).map(({ pointer }) => pointer);
  const ofBody = members.flatMap(
    (pointer) => pointer.split('/').findLast((part) => !/^\d*$/.test(part)) ?? [],
  );
  const others = parameters.filter(({ in: place }) => place !== 'path').map(({ name }) => name);
  return [...ofBody, ...others].filter(isNameOfId);
}

/** The names of all members that are not null. */
export function memberNames(value: Value | undefined): string[] {
  if (isArray(value)) return value.flatMap(memberNames);
  if (!isObject(value)) return [];
  const given = Object.entries(value).filter(([, part]) => part !== null);
  return given.flatMap(([name, part]) => [name, ...memberNames(part)]);
}

/** `id`, `memo_id`, `memoIds`, `ID` and `uuid` are names of ids; `paid` and `grid` are not. */
export function isNameOfId(name: string): boolean {
  return /(?:^|[^a-z])(?:id|uuid|guid)s?$/i.test(name) || /[a-z](?:Id|ID|Uuid|UUID|Guid|GUID)s?$/.test(name);
}
