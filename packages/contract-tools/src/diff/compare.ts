/**
 * Compares two contracts. An operation is the same if it has the same method and path; the names of the
 * path's parameters do not count, nor whether a part of its address stands in the server. Operations that only one
 * contract has are removed or added. Those of both are compared part by part (operation.ts). Documentation is compared
 * last and by itself (words.ts), because it never breaks anybody.
 */
import type { ApiDocument } from '../document/read-document.js';
import { compareCalls } from './call.js';
import { type Change, changesOf, type FoundChange } from './change.js';
import { compareEntries } from './entries.js';
import { compareOperations } from './operation.js';
import { operationsOf, type PathOperation } from './operations.js';
import { movedOperations } from './server.js';
import { compareWords } from './words.js';

/**
 * Lists the changes that a consumer of the API would notice, breaking ones first. There are none if the
 * contracts say the same in different ways, or in different versions of OpenAPI.
 */
export function compareContracts(base: ApiDocument, next: ApiDocument): Change[] {
  const before = operationsOf(base.root);
  const { after, moves } = withMoved(before, operationsOf(next.root));
  const changes = [
    ...changesOf('document', moves),
    ...compareEntries(before, after, {
      both: (old, now) => changesOf(nameOf(now), compareOperations(old, now)),
      removed: (old) => {
        const what = `operation removed${whereTo(old, after)}`;
        return changesOf(nameOf(old), [{ part: '', id: 'operation-removed', at: old.operation, what }]);
      },
      added: (now) =>
        changesOf(nameOf(now), [
          { part: '', id: 'operation-added', adds: true, at: now.operation, what: 'operation added' },
        ]),
    }),
    ...changesOf('document', compareCalls(base.root, next.root, 'webhook')),
    ...compareWords(base, next),
  ];
  return [...changes.filter(({ breaking }) => breaking), ...changes.filter(({ breaking }) => !breaking)];
}

/**
 * Finds the operations whose path has got a part of the server's address, or has given one to it. Their addresses are
 * the same, so they are compared as one operation, and the move is told once.
 *
 * @returns the new operations by the keys of the old ones, and a change for each part that has moved
 */
function withMoved(
  before: ReadonlyMap<string, PathOperation>,
  written: ReadonlyMap<string, PathOperation>,
): { readonly after: ReadonlyMap<string, PathOperation>; readonly moves: readonly FoundChange[] } {
  const only = (one: typeof before, other: typeof before) =>
    new Map([...one].filter(([key]) => !other.has(key)));
  const moved = movedOperations(only(before, written), only(written, before));
  const moves = [...moved].flatMap(([to, from]) => {
    const now = written.get(to);
    if (now === undefined) return [];
    // The keys are the method and the path.
    const pathOf = (key: string) => key.slice(now.method.length + 1);
    const [old, path] = [pathOf(from), pathOf(to)] as const;
    const [part, where] = path.endsWith(old)
      ? [path.slice(0, -old.length), 'from the servers into the paths']
      : [old.slice(0, -path.length), 'from the paths into the servers'];
    const at = now.operation.fromRoot(['servers']) ?? now.operation.fromRoot(['paths']) ?? now.operation;
    const what = `${part} moved ${where}, and every address is the same`;
    return [{ part: '', id: 'server-path-moved' as const, at, what }];
  });
  return { after: new Map([...written].map(([key, now]) => [moved.get(key) ?? key, now])), moves };
}

function nameOf({ method, path }: PathOperation): string {
  return `${method} ${path}`;
}

/** Says where the operation with the same operationId is now; nothing if there is none. */
function whereTo(old: PathOperation, after: ReadonlyMap<string, PathOperation>): string {
  const id = old.operation.text('operationId');
  const now = [...after.values()].find(({ operation }) => operation.text('operationId') === id);
  return id === undefined || now === undefined ? '' : `: ${id} is ${nameOf(now)} now`;
}
