/**
 * `npm run bench:profile` writes CPU profiles of V8, which show where the service's main thread spends its
 * time.
 */
import { join } from 'node:path';
import { projectFolder } from '../../../src/project.js';
import { Cleanup } from '../../kit/cleanup.js';
import { runCommand } from '../../kit/command.js';
import { BenchDatabase } from '../../kit/database.js';
import type { Load } from '../../kit/load.js';
import { Progress } from '../../kit/progress.js';
import { Server } from '../../kit/server.js';
import { service } from './contestants.js';
import { readList } from './list.js';
import { deletesPerSecond } from './loads.js';
import { connections, openSession, owners, type Session } from './session.js';

const plants = 1_000_000;
const lists = 10;
const seconds = 10;
const folder = join(projectFolder, '.data', 'bench');

const help = `Usage: npm run bench:profile

Writes CPU profiles of the service's main thread under creates, deletes and long lists to .data/bench. Needs wrk.

  --help   this text

Exit code: 0; 2 if it could not measure.`;

async function main(cleanup: Cleanup): Promise<number> {
  const options = {
    rounds: 1,
    seconds,
    warmUpSeconds: 0,
    against: undefined,
    plants,
    databaseUrl: undefined,
    connections: undefined,
    wants: (name: string) => name === service.name,
  };
  const session = await openSession(options, cleanup, new Progress());
  const { tokens } = session;
  const database = await BenchDatabase.create(session.postgres, tokens);
  const send = (kind: Load['kind']) => (server: Server) =>
    session.send(server.address, { kind, connections, seconds, firstId: 1, tokens });
  await profile(session, database, 'creates', send('create'));
  await database.fill(seconds * deletesPerSecond, owners);
  await profile(session, database, 'deletes', send('delete'));
  await database.fill(plants, 1);
  await profile(session, database, 'lists', async (server) => {
    for (let count = 0; count < lists; count++) await readList(server, tokens[0] ?? '', plants, undefined);
  });
  console.log('Open them in Chrome DevTools (Performance, "Load profile …"), or at speedscope.app.');
  return 0;
}

async function profile(
  { cleanup, progress }: Session,
  { url }: BenchDatabase,
  name: string,
  work: (server: Server) => Promise<unknown>,
): Promise<void> {
  progress.show(name);
  const { file, parameters } = service.command;
  const recording = ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-name=${name}.cpuprofile`];
  const server = await Server.start(cleanup, { file, parameters: [...recording, ...parameters] }, url);
  await work(server);
  await server.stop();
  progress.done(join(folder, `${name}.cpuprofile`));
}

const cleanup = new Cleanup();
cleanup.beforeExit();
try {
  await runCommand({ help, main: () => main(cleanup) });
} finally {
  await cleanup.run();
}
