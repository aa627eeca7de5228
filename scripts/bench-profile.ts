/** `npm run bench:profile`: flame graphs of the service's main thread, in docs/benchmarks. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from '../src/project.js';
import { Cleanup } from './bench/cleanup.js';
import { service } from './bench/contestants.js';
import { BenchDatabase } from './bench/database.js';
import { type CpuProfile, flameGraph } from './bench/flame-graph.js';
import { readList } from './bench/list.js';
import type { Load } from './bench/load.js';
import { deletesPerSecond } from './bench/measures.js';
import { Progress } from './bench/progress.js';
import { Server } from './bench/server.js';
import { connections, openSession, owners, type Session } from './bench/session.js';

const plants = 1_000_000;
/** In seconds (loads) and in requests (lists). */
const loads = { warmUp: 5, measured: 5 };
const lists = { warmUp: 5, measured: 5 };

/** Sends requests to the server; the first call warms it up. */
type Work = (server: Server, measured: boolean) => Promise<unknown>;

async function main(cleanup: Cleanup): Promise<void> {
  const options = {
    rounds: 1,
    seconds: loads.measured,
    warmUp: loads.warmUp,
    plants,
    databaseUrl: undefined,
    wants: (name: string) => name === service.name,
  };
  const session = await openSession(options, cleanup, new Progress());
  const { tokens } = session;
  const database = await BenchDatabase.create(session.postgres, tokens);
  const send = (kind: Load['kind']): Work => {
    return (server, measured) =>
      session.send(server.address, {
        kind,
        connections,
        seconds: measured ? loads.measured : loads.warmUp,
        // The warm-up uses other plants.
        firstId: measured ? loads.warmUp * deletesPerSecond + 1 : 1,
        tokens,
      });
  };
  await profile(session, database, 'creates', `Creates, ${connections} connections`, send('create'));
  await database.fill((loads.warmUp + loads.measured) * deletesPerSecond, owners);
  await profile(session, database, 'deletes', `Deletes, ${connections} connections`, send('delete'));
  await database.fill(plants, 1);
  await profile(session, database, 'list', 'Lists of a million plants', async (server, measured) => {
    for (let count = measured ? lists.measured : lists.warmUp; count > 0; count--) {
      await readList(server, tokens[0] ?? '', plants, undefined);
    }
  });
}

async function profile(
  { cleanup, folder, progress }: Session,
  { url }: BenchDatabase,
  name: string,
  title: string,
  work: Work,
): Promise<void> {
  progress.show(title);
  const { file, parameters } = service.command;
  const command = { file, parameters: ['--cpu-prof', `--cpu-prof-dir=${folder}`, ...parameters] };
  const server = await Server.start(cleanup, command, url);
  await work(server, false);
  const begin = performance.now();
  await work(server, true);
  const end = performance.now();
  await server.stop();
  const ended = performance.now();
  const [written = ''] = (await readdir(folder))
    .filter((entry) => entry.endsWith('.cpuprofile'))
    .sort()
    .reverse();
  const recorded: CpuProfile = JSON.parse(await readFile(join(folder, written), 'utf8'));
  // Counted back from the end of the process. This program sees that end a little later.
  const window = [(ended - begin) * 1_000, (ended - end) * 1_000] as const;
  const picture = join(projectFolder, 'docs', 'benchmarks', `${name}-profile.svg`);
  await writeFile(picture, flameGraph(`${title}: the service's main thread`, recorded, window));
  progress.done(`${title}: ${picture}`);
}

const cleanup = new Cleanup();
cleanup.beforeExit();
try {
  await main(cleanup);
} finally {
  await cleanup.run();
}
