import { canonical } from '../../kit/canonical.js';
import type { FoundChange } from './change.js';
import { Node } from './node.js';
import type { PathOperation } from './parameter.js';

/** The addresses of an operation. */
export function compareServers(base: PathOperation, next: PathOperation): FoundChange[] {
  const before = serversOf(base);
  const after = serversOf(next);
  return [
    ...[...before]
      .filter(([key]) => !after.has(key))
      .map(([, server]) => ({
        part: '',
        breaking: true,
        at: server,
        what: `server ${addressOf(server)} removed or changed`,
      })),
    ...[...after]
      .filter(([key]) => !before.has(key))
      .map(([, server]) => ({
        part: '',
        breaking: false,
        adds: true,
        at: server,
        what: `server ${addressOf(server)} added`,
      })),
  ];
}

/** Compares the parts of each address. The nearest list of servers holds. */
function serversOf({ item, operation }: PathOperation): Map<string, Node> {
  const root = Node.root(operation.contract);
  const servers = [operation, item, root].map((node) => node.get('servers')?.children() ?? []);
  const nearest = servers.find((list) => list.length > 0) ?? [root];
  return new Map(nearest.map((server) => [keyOf(server), server]));
}

function keyOf(server: Node): string {
  const variables = [...(server.get('variables')?.members() ?? [])].map(([name, variable]) => [
    name,
    variable.get('default')?.value,
    (variable.get('enum')?.children() ?? []).map(({ value }) => String(value)).sort(),
  ]);
  return canonical([addressOf(server), variables]);
}

/** Without a list of servers, the document's own address is the only one. */
function addressOf(server: Node): string {
  return server.text('url') ?? '/';
}
