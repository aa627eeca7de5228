import { setTimeout as pause } from 'node:timers/promises';
import { BenchDatabase } from '../../../kit/database.js';
import { type Load, unusedIds } from '../../../kit/load.js';
import { Server } from '../../../kit/server.js';
import { serviceAndPeers } from '../contestants.js';
import { firstAnswer } from '../first-answer.js';
import type { Measured } from '../results.js';
import { type Entrant, inRounds, seriesOf } from '../rounds.js';
import { connections, type Session } from '../session.js';

const title = 'Memory at rest';
/** How long an idle server gets to collect its garbage. */
const restMs = 2_000;

/** Resident memory in megabytes. */
interface Memory {
  readonly started: number;
  readonly used: number;
}

/** What a contestant holds while nobody calls it: soon after its start, and after a load. */
export async function measureRest(session: Session): Promise<Measured[]> {
  const { cleanup, contestants, options, postgres, send, tokens } = session;
  const database = await BenchDatabase.create(postgres, tokens);
  const load = (kind: Load['kind']): Load => ({
    kind,
    connections,
    seconds: options.seconds,
    firstId: unusedIds(),
    tokens,
  });
  const entrants = contestants
    .filter(({ name }) => serviceAndPeers.includes(name))
    .map(
      ({ name, title, command }): Entrant<Memory> => ({
        name,
        title,
        async measure() {
          const server = await Server.start(cleanup, command, database.url);
          const resident = async () => {
            await pause(restMs);
            return ((await server.memory())?.now ?? Number.NaN) / 1e6;
          };
          await firstAnswer(server.address, tokens);
          const started = await resident();
          await send(server.address, load('create'));
          await send(server.address, load('page'));
          const used = await resident();
          await server.stop();
          return { started, used };
        },
        // Each round starts a process, so there is nothing to warm up.
        warmUp: null,
      }),
    );
  const measured = await inRounds(title, entrants, session);
  const figure = (name: string, when: string, pick: (memory: Memory) => number): Measured => ({
    name,
    title: `${title}, ${when}`,
    unit: 'MB',
    better: 'less',
    series: seriesOf(measured, pick),
  });
  return [
    figure('rest', 'after one request', ({ started }) => started),
    figure('rest-after-load', 'after creates and short lists with 64 connections', ({ used }) => used),
  ];
}
