import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import t from 'tap';
import { newPlantText } from '../support/plants.js';
import { startOwnPostgres } from '../support/postgres/own-postgres.js';
import { startService } from '../support/service.js';

t.test(
  'repeats, conflicts and deletes of absent plants leave no ERROR in the log of PostgreSQL',
  async (t) => {
    const cluster = await startOwnPostgres(t);
    const data = decodeURIComponent(new URL(cluster.url).searchParams.get('host') ?? '');
    const readLog = () => readFile(join(dirname(data), 'postgres.log'), 'utf8');
    // While PostgreSQL starts, it logs the connections that it refuses.
    const before = await readLog();
    const { newCaller } = await startService(t, { databaseUrl: cluster.url });
    const callers = await Promise.all(Array.from({ length: 4 }, newCaller));
    const create = (name: string) => (call: (typeof callers)[number], id: number) =>
      call('POST', '/plants', { body: newPlantText({ id, name }) });
    const remove = (call: (typeof callers)[number], id: number) => call('DELETE', `/plants/${id}`);
    const steps = [
      { ask: create('Ficus'), status: 200 },
      { ask: create('Ficus'), status: 200 },
      { ask: create('Fern'), status: 409 },
      { ask: remove, status: 204 },
      { ask: remove, status: 404 },
    ];
    for (const { ask, status } of steps) {
      // Many at the same moment, and one alone.
      const ids = Array.from({ length: 20 }, (_, id) => id);
      const answers = await Promise.all(callers.flatMap((call) => ids.map((id) => ask(call, id))));
      t.ok(answers.every((answer) => answer.status === status));
      const [lone] = callers;
      if (lone !== undefined) t.equal((await ask(lone, 100)).status, status);
    }
    t.match(before, 'database system is ready', 'it is its log');
    t.notMatch((await readLog()).slice(before.length), /ERROR|FATAL|PANIC/);
  },
);
