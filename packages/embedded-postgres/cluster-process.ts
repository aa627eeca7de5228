/**
 * Runs the PostgreSQL that the service brings along, as a process of its own, for whoever imports nothing of
 * the service: the laboratory. `packages/kit/src/embedded-postgres.ts` is the other end.
 *
 * Its arguments are the folder of the cluster, which is made if there is none, and settings of PostgreSQL as
 * JSON. It takes the messages "start" and "stop", one after the other, and answers each when that is done. If
 * the channel closes, however the other process has ended, it stops PostgreSQL and ends.
 */
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Cluster } from './src/cluster.js';

const [folder = '', settings = '{}'] = process.argv.slice(2);

/** Opens the cluster, and writes the settings as ALTER SYSTEM would: they count more than postgresql.conf. */
async function open(): Promise<Cluster> {
  const cluster = await Cluster.open(folder);
  const lines = Object.entries(JSON.parse(settings)).map(([name, value]) => `${name} = '${value}'\n`);
  await appendFile(join(folder, 'postgres', 'postgresql.auto.conf'), lines.join(''));
  return cluster;
}

const opening = open();
// The first "start" tells what is wrong.
opening.catch(() => {});

process.on('message', async (message) => {
  try {
    const cluster = await opening;
    if (message === 'start') await cluster.start();
    else await cluster.stop();
    process.send?.({ url: cluster.url });
  } catch (error) {
    process.send?.({ failure: error instanceof Error ? error.message : String(error) });
  }
});
process.on('disconnect', async () => {
  await opening.then(
    (cluster) => cluster.stop(),
    () => {},
  );
  process.exit();
});
// A Ctrl-C reaches this process, too. PostgreSQL has to run until the other process has ended.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
