/**
 * Answers conditional requests (RFC 9110, section 13), if the document has them: an answer that documents `ETag` has
 * the tag of the item, which is another one after each change. A request whose `If-Match` is not that tag is a 412,
 * one without it a 428 if that is documented (RFC 6585, section 3), and a GET whose `If-None-Match` is that tag
 * is a 304.
 */
import type { AnyAnswer } from '../../../src/contract/handlers.js';
import type { Operation } from '../document/operations.js';
import type { Item } from './bodies.js';
import type { Refuse } from './refusals.js';
import type { Kept } from './shelf.js';

export function tagOf({ version }: Kept): string {
  return `"${version}"`;
}

/**
 * @param kept the item that is there; undefined if there is none, so that a PUT would make it
 * @param headers the values of the operation's header parameters
 * @returns the answer instead of the usual one; undefined if the condition holds
 */
export function unmetCondition(
  operation: Operation,
  kept: Kept | undefined,
  headers: Item,
  refuse: Refuse,
): AnyAnswer | undefined {
  const [match, noneMatch] = [
    headerIn(operation, headers, 'if-match'),
    headerIn(operation, headers, 'if-none-match'),
  ];
  const tag = kept && tagOf(kept);
  if (operation.method === 'GET') {
    const isKnown = noneMatch !== undefined && tag !== undefined && matchesWeakly(noneMatch, tag);
    return isKnown && operation.responses.has(304) ? { status: 304, headers: { ETag: tag } } : undefined;
  }
  if (match !== undefined && (tag === undefined || !matchesStrongly(match, tag))) {
    const message = 'The item has another ETag than If-Match: read it again.';
    return refuse(operation.id, { status: 412, message });
  }
  if (noneMatch !== undefined && tag !== undefined && matchesWeakly(noneMatch, tag))
    return refuse(operation.id, { status: 412, message: 'There is an item with the ETag of If-None-Match.' });
  const isAsked = takes(operation, 'if-match') && match === undefined && noneMatch === undefined;
  if (!isAsked || kept === undefined) return undefined;
  return refuse(operation.id, { status: 428, message: 'Send the ETag of the item as If-Match.' });
}

function takes({ parameters }: Operation, name: string): boolean {
  return parameters.some((one) => one.in === 'header' && one.name.toLowerCase() === name);
}

function headerIn({ parameters }: Operation, headers: Item, name: string): string | undefined {
  const parameter = parameters.find((one) => one.in === 'header' && one.name.toLowerCase() === name);
  const value = parameter && headers[parameter.name];
  return value === undefined ? undefined : String(value);
}

/** Section 8.8.3. No character is in two of the alternatives, so the search takes linear time. */
function tagsIn(header: string): readonly string[] {
  return header.match(/(?:W\/)?"[!#-~\u0080-\u00ff]*"/g) ?? [];
}

/** Section 13.1.1: a weak tag matches nothing. */
function matchesStrongly(header: string, tag: string): boolean {
  return header.trim() === '*' || tagsIn(header).includes(tag);
}

/** Section 13.1.2: only the texts in quotes are compared. */
function matchesWeakly(header: string, tag: string): boolean {
  return header.trim() === '*' || tagsIn(header).some((one) => one.replace(/^W\//, '') === tag);
}
