import type { Node } from '../document/node.js';
import type { FoundChange } from './change.js';
import type { PathOperation } from './operations.js';
import { below } from './values.js';

/**
 * Compares the addresses at which an operation is served. An address that is gone breaks clients that were
 * told to use it.
 */
export function compareServers(base: PathOperation, next: PathOperation): FoundChange[] {
  const before = serversOf(base);
  const after = serversOf(next);
  const lost = before.filter((old) => !after.some((now) => covers(now, old)));
  const gained = after.filter((now) => !before.some((old) => covers(old, now)));
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

/** Whether each address of `narrow` is one of `wide`, and clients that choose none get the same. */
function covers(wide: Node, narrow: Node): boolean {
  // A path begins with a slash, and tools leave out the one before it.
  if (urlOf(wide).replace(/\/$/, '') !== urlOf(narrow).replace(/\/$/, '')) return false;
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

function urlOf(server: Node): string {
  return server.text('url') ?? '/';
}
