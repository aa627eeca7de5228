/** Makes the bodies of updates, and predicts the content of an item after one. */

import type { Operation } from '../../document/operations.js';
import { listParametersOf } from '../../resources/list-parameters.js';
import { contentLayers } from '../../resources/shape.js';
import { isObject } from '../../values/json.js';
import { membersOf } from '../../values/sites.js';
import { fits } from '../../values/valid-values.js';
import { plainRequest } from '../requests/plain-request.js';
import type { Focus, RequestValues } from '../requests/request-values.js';
import { within, wrapped } from './bodies.js';
import type { ResourceClient } from './client.js';
import { type Content, contentOf } from './content.js';
import type { Id } from './ids.js';
import type { Owner, OwnItem } from './own-items.js';

type Body = RequestValues['body'];

/** Puts the item's marker into a body, if the body has a text for it. */
export function markedBody(
  client: ResourceClient,
  operation: Operation,
  body: Body,
  item: OwnItem,
  focus: Focus | undefined,
): Body {
  const { markers, resource } = client;
  const marker = markers.of(item.content);
  if (!isObject(body) || marker === undefined) return body;
  const carrier = Object.entries(item.content).find(
    ([, text]) => typeof text === 'string' && text.includes(marker),
  );
  // Members that a change leaves out stay, and the marker with them.
  if (operation.id === resource.modify?.id && !Object.hasOwn(body, carrier?.[0] ?? '')) return body;
  const marked = markers.put(body, marker, {
    not: focus?.where.slice(1) ?? '',
    keep: focus === undefined,
  });
  const known = [...membersIn(client, operation), ...Object.keys(body)];
  const isKnown = Object.keys(marked).every((name) => known.includes(name));
  // An update may allow shorter texts than the create, whose schema made the marker.
  return isKnown &&
    operation.body &&
    fits([operation.body.schema], wrapped(client.resource, operation, marked) ?? null)
    ? marked
    : body;
}

/**
 * Puts the id of the path into a body, if the update's schema has the id: the two must be the same. An update
 * that takes another value under this name, such as a text instead of an integer, keeps its own.
 */
export function bodyFor(client: ResourceClient, operation: Operation, body: Body, id: Id): Body {
  const { id: place, parameter, wrapper } = client.resource;
  const name = place.in === 'location' ? parameter.name : place.member;
  const member = membersOf(contentLayers(operation, { wrapper })).find((one) => one.name === name);
  return isObject(body) && member !== undefined && fits(member.schemas, id) ? { ...body, [name]: id } : body;
}

/** Makes the plainest body of an update with a new text of an owner in it: a change that changes nothing would not show. */
export function changedBody(client: ResourceClient, operation: Operation, owner: Owner): Body {
  const { body } = operation;
  const plain = within(client.resource, operation, plainRequest(operation).body);
  if (body === undefined || !isObject(plain)) return plain;
  const names = membersIn(client, operation);
  const content = client.plainContent(`of the ${owner} owner`, 'with', owner);
  const texts = Object.entries(content).filter(
    ([name, text]) => names.includes(name) && client.markers.of({ [name]: text }) !== undefined,
  );
  const marked = { ...plain, ...Object.fromEntries(texts) };
  return fits([body.schema], wrapped(client.resource, operation, marked) ?? null) ? marked : plain;
}

/**
 * Predicts the content after an update: a PUT replaces all members of its schema, a PATCH those in its body.
 */
export function contentAfter(
  client: ResourceClient,
  operation: Operation,
  body: Body,
  before: Content,
): Content {
  const { members } = client.resource;
  const named = membersIn(client, operation);
  const kept =
    operation.id === client.resource.replace?.id
      ? Object.fromEntries(Object.entries(before).filter(([name]) => !named.includes(name)))
      : before;
  const taken = members.filter(({ name }) => named.includes(name));
  const content = contentOf(taken, body);
  return operation.body?.mediaType === 'application/merge-patch+json'
    ? mergePatch(kept, content)
    : { ...kept, ...content };
}

/** RFC 7396, section 2: null removes a member, and an object changes the members that it names. */
function mergePatch(target: Content, patch: Content): Content {
  const others = Object.entries(target).filter(([name]) => !Object.hasOwn(patch, name));
  const changed = Object.entries(patch)
    .filter(([, part]) => part !== null)
    .map(([name, part]) => {
      const before = target[name];
      return [name, isObject(part) ? mergePatch(isObject(before) ? before : {}, part) : part] as const;
    });
  return Object.fromEntries([...others, ...changed]);
}

/** Puts what the server is known to take into a body. A PATCH goes on leaving out what it does not change. */
export function filledBody(
  client: ResourceClient,
  operation: Operation,
  body: Body,
  owner: Owner = 'first',
  focus?: string,
): Body {
  const { resource, surroundings } = client;
  if (!isObject(body)) return body;
  const names = operation.id === resource.modify?.id ? Object.keys(body) : membersIn(client, operation);
  return surroundings.fill(owner, body, focus, names);
}

/**
 * Whether an update gives the item what no create gives it and a list filters by, such as a state: a list may hide what
 * is closed, unless somebody asks for it.
 */
export function mayHide({ resource: { list, members } }: ResourceClient, body: Body): boolean {
  if (list === undefined || !isObject(body)) return false;
  return listParametersOf(list).filters.some(
    ({ comparison, member: { name } }) =>
      comparison === 'is' && Object.hasOwn(body, name) && !members.some((member) => member.name === name),
  );
}

function membersIn({ resource }: ResourceClient, operation: Operation): string[] {
  return membersOf(contentLayers(operation, resource)).map(({ name }) => name);
}
