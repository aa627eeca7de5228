import { join } from 'node:path';
import { readContract } from '../../../../src/contract/document/document.js';
import { projectFolder } from '../../../../src/project.js';
import { handlersOf, type Members, type Model, only, startModelServer } from './server.js';

const file = join(projectFolder, 'scripts', 'contract', 'faults', 'contracts', 'notes.yaml');
const absent = { status: 404, body: { error: 404, message: 'There is no such note.' } };

/** A server that keeps notes.yaml. */
export async function notes(): Promise<Model> {
  const contract = await readContract(file);
  return {
    contract,
    start(scope, tokens) {
      const stored = new Map<number, Members>();
      const owners = new Map<number, unknown>();
      let last = 7_000;
      const handlers = handlersOf<{ note: number }>({
        addNote: ({ caller, body }) => {
          const note = ++last;
          owners.set(note, caller);
          stored.set(note, { ...only(['title', 'text'], body), note });
          return { status: 201, body: stored.get(note) };
        },
        listNotes: () => ({ status: 200, body: [...stored.values()] }),
        getNote: ({ path: { note } }) =>
          stored.has(note) ? { status: 200, body: stored.get(note) } : absent,
        changeNote: ({ caller, path: { note }, body }) => {
          const before = stored.get(note);
          if (before === undefined || owners.get(note) !== caller) return absent;
          const changed = Object.entries({ ...before, ...only(['title', 'text'], body) });
          stored.set(note, Object.fromEntries(changed.filter(([, part]) => part !== null)));
          return { status: 204 };
        },
        removeNote: ({ caller, path: { note } }) =>
          owners.get(note) === caller && stored.delete(note) ? { status: 204 } : absent,
      });
      return startModelServer(scope, contract, handlers, tokens);
    },
  };
}
