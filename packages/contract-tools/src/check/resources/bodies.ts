/** Puts an item's content into the body of a request: beside its id, and in the wrapper that all bodies have. */
import type { Operation } from '../../document/operations.js';
import { contentLayers, type Resource } from '../../resources/shape.js';
import { wrapperOfRequest } from '../../resources/wrapper.js';
import { isObject } from '../../values/json.js';
import { membersOf } from '../../values/sites.js';
import { plainRequest } from '../requests/plain-request.js';
import type { RequestValues } from '../requests/request-values.js';
import type { Content } from './content.js';
import type { Id } from './ids.js';

/** The content of a create's body, with the id if the client chooses it and the body has it. */
export function withId(resource: Resource, id: Id | undefined, content: Content): Content {
  const { create, id: place } = resource;
  if (id === undefined || (place.in !== 'request' && place.in !== 'path')) return content;
  const isSent = membersOf(contentLayers(create, resource)).some(({ name }) => name === place.member);
  return isSent ? { [place.member]: id, ...content } : content;
}

/** Returns the body of a request that describes an item by this content. */
export function wrapped(
  { wrapper }: Resource,
  operation: Operation,
  content: RequestValues['body'],
): RequestValues['body'] {
  const name = wrapperOfRequest(operation, wrapper);
  if (name === undefined || content === undefined) return content;
  const beside = plainRequest(operation).body;
  return { ...(isObject(beside) && beside), [name]: content };
}

/** Returns the part of a request's body that describes the item. */
export function within(
  { wrapper }: Resource,
  operation: Operation,
  body: RequestValues['body'],
): RequestValues['body'] {
  const name = wrapperOfRequest(operation, wrapper);
  return name === undefined || !isObject(body) ? body : body[name];
}
