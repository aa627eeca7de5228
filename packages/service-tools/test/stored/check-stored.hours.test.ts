import t, { type Test } from 'tap';
import {
  makeDataFolder,
  type Program,
  postgresProcesses,
  startProgram,
  until,
} from '../../../kit/testing.js';
import { insertPlants } from '../../../service/test/support/plants.js';
import { makeDatabase, makeTables } from '../../../service/test/support/postgres/database.js';

/** For rows that a narrower schema left behind, see test/drift/. */

function check(t: Test, environment: Readonly<Record<string, string | undefined>>): Program {
  return startProgram(t, 'scripts/check-stored.ts', [], { environment });
}

async function ended({ ended, stdout, stderr }: Program) {
  return { code: await ended, out: stdout(), err: stderr() };
}

t.test('check:stored exits 0 if all rows fit the contract', async (t) => {
  const url = await makeTables(
    t,
    insertPlants("SELECT 'ada', id, 'x' FROM generate_series(-5000, 5000) AS id"),
  );
  const { code, out, err } = await ended(check(t, { DATABASE_URL: url }));
  t.strictSame([code, err], [0, '']);
  t.match(
    out,
    /^plants: 10,001 rows, checked against NewPlant \(openapi\/plants\.yaml:\d+:\d+\)\nAll of them fit\.\n$/,
  );
});

t.test('check:stored exits 1 if rows do not fit, with the number and an example of each fault', async (t) => {
  const url = await makeTables(t, insertPlants("VALUES ('ada', 1, ''), ('ada', 2, 'x'), ('bob', 3, '')"));
  const { code, out } = await ended(check(t, { DATABASE_URL: url }));
  t.equal(code, 1);
  t.match(out, /^ {2}name must NOT have fewer than 1 character: 2 of them, for example owner=ada, id=1$/m);
});

t.test('check:stored exits 2 with one line if it cannot read the database', async (t) => {
  const cases = [
    [
      await makeDatabase(t),
      /^The table plants cannot be read \(.*does not exist.*\): start the service once/,
    ],
    [
      await makeTables(t, 'ALTER TABLE plants DROP name'),
      /^The table plants cannot be read \(.*name.*\): start/,
    ],
    [
      'postgres://x:y@127.0.0.1:1/z',
      /^Cannot connect to PostgreSQL at host "127.0.0.1:1", database "z": connection refused/,
    ],
    ['nonsense', /^DATABASE_URL /],
  ] as const;
  for (const [DATABASE_URL, sentence] of cases) {
    const { code, err } = await ended(check(t, { DATABASE_URL }));
    t.equal(code, 2, err);
    t.match(err, sentence);
    t.equal(err.trimEnd().split('\n').length, 1);
  }
});

t.test('Ctrl-C ends check:stored and the embedded PostgreSQL', async (t) => {
  const DATA_DIR = await makeDataFolder(t);
  const program = check(t, { DATA_DIR });
  await until('PostgreSQL is there', async () => (await postgresProcesses(DATA_DIR)).length > 0);
  process.kill(program.pid, 'SIGINT');
  t.equal((await ended(program)).code, 2);
  t.strictSame(await postgresProcesses(DATA_DIR), []);
});
