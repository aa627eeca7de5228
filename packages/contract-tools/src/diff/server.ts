import type { Node } from '../document/node.js';
import type { FoundChange } from './change.js';
import type { PathOperation } from './operations.js';
import { below } from './values.js';

/**
 * Compares the addresses at which an operation is served. An address that is gone breaks clients that were
 * told to use it. A part of it may stand in the server or in the path: `/v1` and `/plants` is served where
 * `/` and `/v1/plants` is.
 */
export function compareServers(base: PathOperation, next: PathOperation): FoundChange[] {
  const before = serversOf(base);
  const after = serversOf(next);
  const lost = before.filter((old) => !after.some((now) => covers([now, next], [old, base])));
  const gained = after.filter((now) => !before.some((old) => covers([old, base], [now, next])));
  return [
    ...lost.map((server) => ({
      part: '',
      id: 'server-removed' as const,
      at: server,
      what: `server ${urlOf(server)} removed or changed`,
    })),
    ...gained.map((server) => ({
      part: '',
      id: 'server-added' as const,
      adds: true,
      at: server,
      what: `server ${urlOf(server)} added, or its variables may have further values`,
    })),
  ];
}

/** The nearest list of servers holds. Without any, the document's own address is the only one. */
function serversOf({ item, operation }: PathOperation): readonly Node[] {
  const servers = [operation.list('servers'), item.list('servers'), below(operation.fromRoot(['servers']))];
  return servers.find((list) => list.length > 0) ?? [operation.fromRoot([]) ?? operation];
}

/** A server with an operation that it serves. */
type Served = readonly [server: Node, operation: PathOperation];

/** Whether each address of `narrow` is one of `wide`, and clients that choose none get the same. */
function covers([wide, there]: Served, [narrow, here]: Served): boolean {
  if (addressOf(wide, there) !== addressOf(narrow, here)) return false;
  const variables = narrow.at('variables')?.members() ?? [];
  return variables.every(([name, variable]) => {
    const other = wide.at('variables', name);
    return other?.text('default') === variable.text('default') && allowsAll(other, variable);
  });
}

/** Whether a variable may have all values of another one. Without an enum, any value will do. */
function allowsAll(wide: Node | undefined, narrow: Node): boolean {
  const allowed = wide?.at('enum')?.members();
  const values = narrow.at('enum')?.members();
  if (allowed === undefined) return true;
  return values?.every(([, { value }]) => allowed.some(([, other]) => other.value === value)) ?? false;
}

/** The names of the path's parameters do not count. */
function addressOf(server: Node, { path }: PathOperation): string {
  // A path begins with a slash, and tools leave out the one before it.
  return `${urlOf(server).replace(/\/$/, '')}${path.replaceAll(/\{[^{}]*\}/g, '{}')}`;
}

/**
 * Finds operations that have the same method and the same addresses, although their paths differ.
 *
 * @param removed the operations that only the old contract has, by their keys
 * @returns the key of the old operation for that of the new one
 */
export function movedOperations(
  removed: ReadonlyMap<string, PathOperation>,
  added: ReadonlyMap<string, PathOperation>,
): Map<string, string> {
  const wayTo = (one: PathOperation): string =>
    [
      one.method,
      ...serversOf(one)
        .map((server) => addressOf(server, one))
        .sort(),
    ].join('\n');
  const ways = new Map([...removed].map(([key, old]) => [wayTo(old), key]));
  return new Map(
    [...added].flatMap(([key, now]) => {
      const from = ways.get(wayTo(now));
      return from === undefined ? [] : [[key, from] as const];
    }),
  );
}

function urlOf(server: Node): string {
  return server.text('url') ?? '/';
}
