import { join } from 'node:path';
import { readContract } from '../../../../src/contract/document/document.js';
import { projectFolder } from '../../../../src/project.js';
import { handlersOf, type Members, type Model, only, startModelServer } from './server.js';

const file = join(projectFolder, 'scripts', 'contract', 'faults', 'contracts', 'meters.yaml');
const members = ['code', 'id', 'place', 'reading', 'unit', 'sealed'];
const absent = { status: 404, body: { error: 404, message: 'There is no such meter.' } };

/** A server that keeps meters.yaml. */
export async function meters(): Promise<Model> {
  const contract = await readContract(file);
  return {
    contract,
    start(scope, tokens) {
      const owners = new Map<unknown, Map<string, Members>>();
      const storedOf = (owner: unknown): Map<string, Members> => {
        const stored = owners.get(owner) ?? new Map<string, Members>();
        owners.set(owner, stored);
        return stored;
      };
      const handlers = handlersOf<{ code: string }, Members & { code: string }>({
        installMeter: ({ caller, body }) => {
          const stored = storedOf(caller);
          if (stored.has(body.code))
            return { status: 409, body: { error: 409, message: 'The code is taken.' } };
          stored.set(body.code, only(members, body));
          return { status: 201, body: stored.get(body.code) };
        },
        listMeters: ({ caller }) => ({ status: 200, body: { meters: [...storedOf(caller).values()] } }),
        readMeter: ({ caller, path: { code } }) => {
          const stored = storedOf(caller);
          return stored.has(code) ? { status: 200, body: stored.get(code) } : absent;
        },
        changeMeter: ({ caller, path: { code }, body }) => {
          const stored = storedOf(caller);
          const meter = stored.get(code);
          if (meter === undefined) return absent;
          stored.set(code, { ...meter, ...only(members.slice(2), body) });
          return { status: 204 };
        },
        scrapMeter: ({ caller, path: { code } }) =>
          storedOf(caller).delete(code) ? { status: 204 } : absent,
      });
      return startModelServer(scope, contract, handlers, tokens);
    },
  };
}
