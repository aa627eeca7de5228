/**
 * Compares two contracts. An operation is the same if it has the same method and path; the names of the
 * path's parameters do not count. Operations that only one contract has are removed or added. Those of both
 * are compared part by part (operation.ts). Documentation is compared last and by itself (words.ts), because
 * it never breaks anybody.
 */
import type { ContractDocument } from '../document/document.js';
import { type Change, changesOf } from './change.js';
import { compareEntries } from './entries.js';
import { methods, Node } from './node.js';
import { compareOperations } from './operation.js';
import type { PathOperation } from './parameter.js';
import { compareWords } from './words.js';

/**
 * Lists the changes that a consumer of the API would notice, breaking ones first. There are none if the
 * contracts say the same in different ways.
 *
 * @throws {ContractError} if a reference leads out of its document, or in a circle
 */
export function compareContracts(base: ContractDocument, next: ContractDocument): Change[] {
  const after = operationsOf(next);
  const changes = [
    ...compareEntries(operationsOf(base), after, {
      both: (old, now) => changesOf(nameOf(now), compareOperations(old, now)),
      removed: (old) => {
        const what = `operation removed${whereTo(old, after)}`;
        return changesOf(nameOf(old), [{ part: '', breaking: true, at: old.operation, what }]);
      },
      added: (now) =>
        changesOf(nameOf(now), [
          { part: '', breaking: false, adds: true, at: now.operation, what: 'operation added' },
        ]),
    }),
    ...compareWords(Node.root(base), Node.root(next)),
  ];
  return [...changes.filter(({ breaking }) => breaking), ...changes.filter(({ breaking }) => !breaking)];
}

/**
 * Returns the operations by method and path, whatever the names of the path's parameters: `get /plants/{}`.
 */
function operationsOf(contract: ContractDocument): Map<string, PathOperation & { readonly method: string }> {
  const paths = Node.root(contract).get('paths')?.members() ?? new Map<string, Node>();
  return new Map(
    [...paths].flatMap(([path, item]) =>
      [...item.members()]
        .filter(([method]) => methods.includes(method))
        .map(([method, operation]) => {
          const key = `${method} ${path.replaceAll(/\{[^{}]*\}/g, '{}')}`;
          return [key, { path, method, item, operation }] as const;
        }),
    ),
  );
}

function nameOf({ method, path }: { readonly method: string; readonly path: string }): string {
  return `${method.toUpperCase()} ${path}`;
}

/** Says where the operation with the same operationId is now; nothing if there is none. */
function whereTo(
  old: PathOperation,
  after: ReadonlyMap<string, PathOperation & { readonly method: string }>,
): string {
  const id = old.operation.text('operationId');
  const now = [...after.values()].find(({ operation }) => operation.text('operationId') === id);
  return id === undefined || now === undefined ? '' : `: ${id} is ${nameOf(now)} now`;
}
