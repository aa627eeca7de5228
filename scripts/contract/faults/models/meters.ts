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
      const stored = new Map<string, Members>();
      const handlers = handlersOf<{ code: string }, Members & { code: string }>({
        installMeter: ({ body }) => {
          if (stored.has(body.code))
            return { status: 409, body: { error: 409, message: 'The code is taken.' } };
          stored.set(body.code, only(members, body));
          return { status: 201, body: stored.get(body.code) };
        },
        listMeters: () => ({ status: 200, body: { meters: [...stored.values()] } }),
        readMeter: ({ path: { code } }) =>
          stored.has(code) ? { status: 200, body: stored.get(code) } : absent,
        changeMeter: ({ path: { code }, body }) => {
          const meter = stored.get(code);
          if (meter === undefined) return absent;
          stored.set(code, { ...meter, ...only(members.slice(2), body) });
          return { status: 204 };
        },
        scrapMeter: ({ path: { code } }) => (stored.delete(code) ? { status: 204 } : absent),
      });
      return startModelServer(scope, contract, handlers, tokens);
    },
  };
}
