/**
 * A server of contracts/exhibits.yaml that shares nothing with the service or the checker: it was written from
 * the document and the RFCs, before anybody looked at what the checker does with them. `faults.ts` lists what
 * it can do wrong, and each name there is asked for at the one line that it breaks.
 */
import type { Scope } from '../../../src/base/scope.js';
import { type Habits, rightHabits, startPlainServer } from '../plain/server.js';
import { type Museum, ownerOf } from './credentials.js';
import { exhibitRoutes } from './exhibits.js';
import type { ExhibitFault } from './faults.js';
import { hallRoutes } from './halls.js';
import { Store } from './store.js';

/** Starts the server on a free port of 127.0.0.1, with nothing stored. */
export function startExhibits(
  scope: Scope,
  museums: readonly Museum[],
  fault?: ExhibitFault | undefined,
): Promise<URL> {
  const store = new Store(fault);
  return startPlainServer(scope, [...exhibitRoutes(store), ...hallRoutes(store)], habitsOf(museums, store));
}

function habitsOf(museums: readonly Museum[], store: Store): Habits {
  return {
    ...rightHabits,
    ownerOf: (headers, operation) => ownerOf(headers, operation, museums, store),
    ...(store.has('a 405 has no Allow') && { allow: () => undefined }),
    ...(store.has('Allow names a method that is refused') && {
      allow: (methods: readonly string[]) => [...methods, 'PUT'].join(', '),
    }),
    ...(store.has('problems are sent as application/json') && { problemType: 'application/json' }),
    answersHead: !store.has('HEAD is refused'),
    emptyHasBody: store.has('a 204 has a body'),
  };
}
