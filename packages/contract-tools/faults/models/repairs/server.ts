/**
 * A server of contracts/repairs.yaml that shares nothing with the service or the checker: it was written from
 * the document and the RFCs, before anybody looked at what the checker does with them. `faults.ts` lists what
 * it can do wrong, and each name there is asked for at the one line that it breaks.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Scope } from '../../../src/base/scope.js';
import { Problem } from '../plain/problem.js';
import { type Habits, rightHabits, startPlainServer } from '../plain/server.js';
import type { RepairFault } from './faults.js';
import { invoiceRoutes } from './invoices.js';
import { jobRoutes } from './jobs.js';
import { Store } from './store.js';
import { workshopRoutes } from './workshops.js';

const shownBytesOfKey = 12;

export interface RepairsOptions {
  /** The good keys, each of another owner. */
  readonly keys: readonly string[];
  readonly fault?: RepairFault | undefined;
}

/** Starts the server on a free port of 127.0.0.1, with nothing stored. */
export function startRepairs(scope: Scope, options: RepairsOptions): Promise<URL> {
  const { keys, fault } = options;
  const store = new Store(fault);
  const routes = [...workshopRoutes(store), ...jobRoutes(store), ...invoiceRoutes(store)];
  return startPlainServer(scope, routes, habitsOf(keys, store));
}

function habitsOf(keys: readonly string[], store: Store): Habits {
  return {
    ...rightHabits,
    ownerOf: (headers, operation) => ownerOf(headers, operation, keys, store),
    ...(store.has('a 405 has no Allow') && { allow: () => undefined }),
    ...(store.has('problems are sent as application/json') && { problemType: 'application/json' }),
    answersHead: !store.has('HEAD is refused'),
    emptyHasBody: store.has('a 204 has a body'),
  };
}

/** @returns the key, because each owner has one; "" for nobody, with a fault */
function ownerOf(
  headers: IncomingHttpHeaders,
  operation: string,
  keys: readonly string[],
  store: Store,
): string {
  const key = String(headers['x-api-key'] ?? '');
  const isLax = store.has('the beginning of a key is enough');
  const owner = keys.find(
    (one) =>
      one === key ||
      (isLax && key.length >= shownBytesOfKey && one.startsWith(key.slice(0, shownBytesOfKey))),
  );
  if (owner !== undefined) return owner;
  if (operation === 'getInvoice' && store.has('invoices need no key')) return '';
  if (operation === 'removeJob' && store.has('removing a job needs no key')) return '';
  // RFC 9110, section 15.5.2: a 401 has a challenge, also for a scheme that no registry knows.
  const challenge = { 'www-authenticate': 'ApiKey realm="repairs"' };
  throw new Problem(
    401,
    'Send an API key in X-Api-Key.',
    store.has('the 401 has no challenge') ? {} : challenge,
  );
}
