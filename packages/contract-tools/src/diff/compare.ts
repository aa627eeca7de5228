/**
 * Compares two contracts. An operation is the same if it has the same method and path; the names of the
 * path's parameters do not count. Operations that only one contract has are removed or added. Those of both
 * are compared part by part (operation.ts). Documentation is compared last and by itself (words.ts), because
 * it never breaks anybody.
 */
import type { ApiDocument } from '../document/read-document.js';
import { type Change, changesOf } from './change.js';
import { compareEntries } from './entries.js';
import { compareOperations, compareWholes } from './operation.js';
import { operationsOf, type PathOperation } from './operations.js';
import { compareWords } from './words.js';

/**
 * Lists the changes that a consumer of the API would notice, breaking ones first. There are none if the
 * contracts say the same in different ways, or in different versions of OpenAPI.
 */
export function compareContracts(base: ApiDocument, next: ApiDocument): Change[] {
  const after = operationsOf(next.root);
  const changes = [
    ...compareEntries(operationsOf(base.root), after, {
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
    ...changesOf('document', compareWholes(base.root, next.root, 'webhooks', 'webhook')),
    ...compareWords(base, next),
  ];
  return [...changes.filter(({ breaking }) => breaking), ...changes.filter(({ breaking }) => !breaking)];
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
