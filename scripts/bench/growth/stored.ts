import { service } from '../contestants.js';
import { BenchDatabase } from '../database.js';
import type { Load, LoadResult } from '../load.js';
import { loadMeasures } from '../measures.js';
import type { Measured } from '../results.js';
import { type Entrant, inRounds } from '../rounds.js';
import { Server } from '../server.js';
import { connections, owners, type Session } from '../session.js';

/** Shares of the fullest store: 0, 1, 3 and 10 million plants by default. */
const parts = [0, 0.1, 0.3, 1];
/** More creates or deletes than anybody manages in a second. */
const mostPerSecond = 80_000;

interface Store {
  readonly size: number;
  /** Whether ids jump about in the index, which is harder, or count up. */
  readonly scattered: boolean;
  readonly server: Server;
  readonly database: BenchDatabase;
}

/** Short lists, creates and deletes in stores of each size. */
export async function measureStored(session: Session): Promise<Measured[]> {
  const { rounds, seconds, plants } = session.options;
  const stride = seconds * mostPerSecond;
  // The smallest filled store needs enough plants to delete for all rounds and the warm-up.
  const least = stride * (rounds + 1);
  const sizes = new Set(parts.map((part) => (part === 0 ? 0 : Math.max(least, Math.round(part * plants)))));
  const stores = await fillStores(session, [...sizes]);
  const measure = async (
    kind: Load['kind'],
    name: string,
    title: string,
    firstId: (size: number, round: number) => number,
  ) => {
    const entrants = stores.map(({ size, scattered, server, database }): Entrant<LoadResult> => {
      const load = { kind, connections, seconds, scattered, tokens: session.tokens };
      // An empty store needs some plants to list or to delete.
      const few = kind === 'create' ? 0 : stride;
      return {
        name: scattered ? 'scattered' : service.name,
        title: scattered ? 'ids in no order' : 'ascending ids',
        at: size,
        prepare: () => (size === 0 ? database.fill(few, owners, scattered) : database.settle()),
        measure: (round) => session.send(server.address, { ...load, firstId: firstId(size, round) }),
      };
    });
    const measured = await inRounds(`${title} by plants stored`, entrants, session);
    return loadMeasures(`${name}-by-stored`, `${title} by plants stored`, measured, 'plants stored');
  };
  const measured = [
    ...(await measure('page', 'page', 'Lists of limit=20', () => 1)),
    ...(await measure('create', 'creates', 'Creates', (size, round) => size + 1 + round * stride)),
    ...(await measure('delete', 'deletes', 'Deletes', (size, round) =>
      size === 0 ? 1 : 1 + round * stride,
    )),
  ];
  await Promise.all(stores.map(({ server }) => server.stop()));
  return measured;
}

/** Each store is a database with a server of its own, so rounds can switch between them. */
async function fillStores(session: Session, sizes: readonly number[]): Promise<Store[]> {
  const stores: Store[] = [];
  for (const scattered of [false, true]) {
    for (const size of sizes) {
      session.progress.show(`storing ${size.toLocaleString('en')} plants`);
      const database = await BenchDatabase.create(session.postgres, session.tokens);
      await database.fill(size, owners, scattered);
      stores.push({
        size,
        scattered,
        database,
        server: await Server.start(session.cleanup, service.command, database.url),
      });
    }
  }
  return stores;
}
