import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { check } from '../../../contract-tools/check.js';
import { readDocument } from '../../../contract-tools/index.js';
import {
  Cleanup,
  contractFile,
  haproxyProgram,
  Pgbouncer,
  pgbouncerProgram,
  pgbouncerVersion,
  startDatabaseProxy,
  startHaproxy,
} from '../../../kit/index.js';
import { call, spawnServer, until } from '../../../kit/testing.js';
import { faults, isSound, survive, toText } from '../../../lab/index.js';
import { TokenStore } from '../../src/access/token-store.js';
import { Database } from '../../src/postgres/database.js';
import { makeDatabase } from '../support/postgres/database.js';

/** Debian's pgbouncer, or the one in the variable PGBOUNCER: 1.18.0 and 1.24.1 pass these tests. */
const program = process.env['PGBOUNCER'] ?? pgbouncerProgram;
const skip =
  (!existsSync(program) && 'pgbouncer is not installed') ||
  (!existsSync(haproxyProgram) && 'haproxy is not installed');

t.setTimeout(600_000);

t.test('two replicas behind HAProxy, on one pgbouncer, keep the contract', { skip }, async (t) => {
  t.comment(`pgbouncer ${pgbouncerVersion(program)}`);
  const { url: databaseUrl } = await startDatabaseProxy(t, await makeDatabase(t));
  const { url: DATABASE_URL } = await Pgbouncer.start(t, { program, databaseUrl });
  // Both apply the migrations, through the pooler.
  const replicas = await Promise.all([1, 2].map(() => spawnServer(t, { DATABASE_URL })));
  const ports = replicas.map(({ port }) => port);
  const { port } = await startHaproxy(t, ports);
  const url = new URL(`http://127.0.0.1:${port}`);
  const database = new Database(DATABASE_URL, () => {});
  t.teardown(() => database.close());
  const tokens = new TokenStore(database);
  const [token, otherToken] = await Promise.all(['one', 'other'].map((owner) => tokens.issue(owner)));
  await until('it serves', async () => (await call(url.origin, 'GET', '/ready')).status === 200);
  const { findings, cases } = await check({
    document: readDocument(await readFile(contractFile, 'utf8'), contractFile),
    url,
    token: { text: String(token), shell: '$PLANTS_TOKEN' },
    otherToken: { text: String(otherToken), shell: '$PLANTS_OTHER_TOKEN' },
    seed: 1,
  });
  t.strictSame(
    findings.map(({ operation, rule, did }) => `${operation}: ${rule}: ${did}`),
    [],
  );
  t.ok(cases > 500, 'and was tried');
});

t.test('what they acknowledge survives, and so does the pooler', { skip }, async (t) => {
  const cleanup = new Cleanup();
  t.teardown(() => cleanup.run());
  const command = {
    file: process.execPath,
    parameters: ['--import', import.meta.resolve('tsx'), 'src/main.ts'],
  };
  const quick = faults.filter(({ slow }) => !slow);
  const report = await survive(
    { command, replicas: 2, pgbouncer: program, seconds: 60, seed: 1, faults: quick },
    cleanup,
  );
  t.ok(isSound(report), 'nothing is lost, doubled or wrong', { report: toText(report) });
  t.comment(toText(report));
});
