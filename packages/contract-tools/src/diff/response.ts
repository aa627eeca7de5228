/**
 * Compares the responses of an operation: which statuses are documented, with which headers and bodies. A
 * status may be described by its number, by its class (`4XX`), or by `default`. So a status whose own entry
 * was removed may still be described, and is then compared with the entry that covers it.
 */

import type { Node } from '../document/node.js';
import type { FoundChange } from './change.js';
import { compareEntries } from './entries.js';
import { compareContent, type Part } from './media.js';
import { compareParameter } from './parameter.js';
import { namedAt } from './values.js';

export function compareResponses(base: Node, next: Node): FoundChange[] {
  const before = namedAt(base, 'responses');
  const after = namedAt(next, 'responses');
  return compareEntries<Node, FoundChange>(before, after, {
    both: compareResponse,
    removed: (old, status) => {
      const covering = coverOf(status, after);
      const at = old.use;
      return covering === undefined
        ? [{ part: '', status, id: `response-${kindOf(status)}-removed`, at, what: 'removed' }]
        : [
            { part: '', status, id: 'response-status-covered', at, what: 'no longer described on its own' },
            ...compareResponse(old, covering, status),
          ];
    },
    added: (now, status) => {
      const covering = coverOf(status, before);
      const at = now.use;
      return covering === undefined
        ? [{ part: '', status, id: `response-${kindOf(status)}-added`, adds: true, at, what: 'added' }]
        : [
            { part: '', status, id: 'response-status-described', at, what: 'described on its own now' },
            ...compareResponse(covering, now, status),
          ];
    },
  });
}

function compareResponse(base: Node, next: Node, status: string): FoundChange[] {
  return [
    ...compareHeaders(base, next, status),
    ...compareContent(base, next, { part: '', status, subject: 'response-body' }),
  ];
}

function compareHeaders(base: Node, next: Node, status: string): FoundChange[] {
  return compareEntries<Node, FoundChange>(headersOf(base), headersOf(next), {
    both: (old, now) =>
      compareParameter(old, now, { ...partOfHeader(old), status, subject: 'response-header' }),
    removed: (old) => [
      { ...partOfHeader(old), status, id: 'response-header-removed', at: old.use, what: 'removed' },
    ],
    added: (now) => [
      { ...partOfHeader(now), status, id: 'response-header-added', adds: true, at: now.use, what: 'added' },
    ],
  });
}

export function partOfHeader(header: Node): Pick<Part, 'part' | 'name'> {
  const name = String(header.entry.at(-1));
  return { part: `header \`${name}\``, name };
}

/** Header names are case-insensitive; Content-Type is described by the media types. */
export function headersOf(response: Node): Map<string, Node> {
  const members = response.at('headers')?.members() ?? [];
  return new Map(
    members
      .map(([name, node]) => [name.toLowerCase(), node] as const)
      .filter(([name]) => name !== 'content-type'),
  );
}

/** The entry for a status without one of its own. */
export function coverOf(status: string, responses: ReadonlyMap<string, Node>): Node | undefined {
  return responses.get(`${status.charAt(0)}XX`) ?? responses.get('default');
}

/**
 * A client treats an unknown status as the first of its class (RFC 9110, section 15), so a new error breaks
 * nobody. A 206 and a 304 answer only those who asked for a range, or sent a condition (sections 15.3.7 and
 * 15.4.5). A new success breaks clients: those that were generated refuse it.
 */
export function kindOf(status: string): 'foreseen-status' | 'success-status' {
  const isForeseen = status === 'default' || status === '206' || status === '304' || /^[45]/.test(status);
  return isForeseen ? 'foreseen-status' : 'success-status';
}
