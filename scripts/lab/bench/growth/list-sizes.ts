import { setTimeout as pause } from 'node:timers/promises';
import { makeToken } from '../../../../src/access/token.js';
import { BenchDatabase } from '../../../kit/database.js';
import { Server } from '../../../kit/server.js';
import { service } from '../contestants.js';
import { type ListResult, readList } from '../list.js';
import { listMeasures } from '../lists.js';
import type { Measured } from '../results.js';
import { type Entrant, inRounds } from '../rounds.js';
import { connections, type Session } from '../session.js';

/** The lists that are measured, as shares of the longest one: by default 10 thousand to 10 million plants. */
const parts = [0.001, 0.01, 0.1, 0.3, 1];
const title = 'The whole list by plants in it';
/** How long an idle server gets to collect its garbage. */
const restMs = 1_000;

/** Reads whole lists, each from a new server, so that none inherits the memory of another. */
export async function measureListSizes(session: Session): Promise<Measured[]> {
  const { cleanup, options, postgres, progress, send } = session;
  const sizes = parts.map((part) => Math.round(part * options.plants));
  const tokens = sizes.map(makeToken);
  const database = await BenchDatabase.create(postgres, tokens);
  progress.show(`storing ${sizes.map((size) => size.toLocaleString('en')).join(' + ')} plants`);
  await database.fillEach(sizes);
  const entrants = sizes.map(
    (size, owner): Entrant<ListResult> => ({
      name: service.name,
      title: service.title,
      at: size,
      async measure() {
        const server = await Server.start(cleanup, service.command, database.url);
        const token = tokens[owner] ?? '';
        await send(server.address, { kind: 'page', connections, seconds: 1, firstId: 1, tokens: [token] });
        await pause(restMs);
        const idle = await server.memory();
        const result = await readList(server, token, size, idle?.now);
        await server.stop();
        return result;
      },
    }),
  );
  const measured = await inRounds(title, entrants, session);
  return listMeasures('list-by-size', title, measured, 'plants');
}
