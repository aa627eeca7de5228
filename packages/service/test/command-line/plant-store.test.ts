import pg from 'pg';
import t, { type Test } from 'tap';
import { plantStore } from '../../../../src/plant-store.js';
import { makeDataFolder, postgresProcesses, ready, startProgram, until } from '../../../kit/testing.js';
import { tokenCommandOf } from '../../src/project.js';
import { startIssuer } from '../support/issuer.js';
import { runPlantStore } from '../support/plant-store-program.js';
import { newPlantText, plantText } from '../support/plants.js';
import { makeDatabase, makeTables } from '../support/postgres/database.js';
import { migrationNames } from '../support/postgres/migrations.js';

const program = 'src/main.ts';
const all = (await migrationNames()).join(', ');

interface Options {
  readonly environment?: Readonly<Record<string, string>>;
}

async function run(t: Test, parameters: readonly string[], options: Options = {}) {
  const command = startProgram(t, program, parameters, { ...options });
  const code = await command.ended;
  return { code, stdout: command.stdout(), stderr: command.stderr() };
}

/** The URL of `url` for a new account that may do what `grants` say. */
async function makeAccount(t: Test, url: string, grants: readonly string[]): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const role = `account_${process.pid}_${Date.now()}`;
  await client.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
  for (const grant of grants) await client.query(`GRANT ${grant} TO ${role}`);
  t.teardown(async () => {
    await client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    await client.end();
  });
  const account = new URL(url);
  account.username = role;
  account.password = 'secret';
  return account.href;
}

/** As in docs/postgresql.md. */
const serviceRights = [
  'SELECT ON plant_store_migrations',
  'SELECT, DELETE ON access_tokens',
  'UPDATE (revoked_at) ON access_tokens',
  ...plantStore.tables.map(({ table }) => `SELECT, INSERT, UPDATE, DELETE ON ${table}`),
];

t.test('"plant-store" without a command serves, and ends on SIGTERM', async (t) => {
  const environment = { DATABASE_URL: await makeDatabase(t), PORT: '0', DRAIN_SECONDS: '0' };
  const server = await ready(startProgram(t, program, [], { environment }));
  t.equal((await server.call('GET', '/ready')).status, 200);
  server.child.kill('SIGTERM');
  t.equal(await server.ended, 0);
});

t.test('"plant-store ready" says whether the service of these settings can serve', async (t) => {
  const DATABASE_URL = await makeDatabase(t);
  const environment = { DATABASE_URL, PORT: '0', ADMIN_PORT: '0', DRAIN_SECONDS: '0' };
  const server = await ready(startProgram(t, program, [], { environment }));
  const { port: PORT } = new URL(server.address);
  const ADMIN_PORT = / admin +http:\S+:(\d+)/.exec(server.stderr())?.[1] ?? '';
  const ask = (settings: Readonly<Record<string, string>>) => runPlantStore(t, ['ready'], settings);
  for (const settings of [{ PORT }, { PORT, HOST: '0.0.0.0' }, { PORT, ADMIN_PORT, ADMIN_HOST: '0.0.0.0' }])
    t.strictSame(await ask(settings), { code: 0, out: '', err: '' });
  const client = new pg.Client({ connectionString: DATABASE_URL });
  await client.connect();
  await client.query('ALTER TABLE plants RENAME TO flowers');
  await client.end();
  await until('it is not ready', async () => (await ask({ PORT })).code === 1);
  t.match((await ask({ PORT })).err, `http://127.0.0.1:${PORT}/ready: {"error":503,`);
  t.match((await ask({ PORT, ADMIN_PORT })).err, 'there is no table plants');
  server.child.kill('SIGTERM');
  t.equal(await server.ended, 0);
  t.strictSame(await ask({ PORT }), {
    code: 1,
    out: '',
    err: `http://127.0.0.1:${PORT}/ready: there is no answer\n`,
  });
});

t.test('a command fails if its disk is too full for what it prints', async (t) => {
  const environment = { DATABASE_URL: await makeDatabase(t) };
  const options = { environment, stdoutFile: '/dev/full' };
  const command = startProgram(t, program, ['token', 'issue', 'ada'], options);
  t.equal(await command.ended, 1);
  t.equal(command.stderr(), 'Cannot write to stdout: no space left on device.\n');
});

t.test('the token command that users read is the one that works where they are', async (t) => {
  for (const [started, command] of [
    ['/usr/local/bin/plant-store', 'plant-store token'],
    ['/work/node_modules/.bin/plant-store', 'npx plant-store token'],
    ['/plant-store/dist/src/main.js', 'npm run --silent token --'],
    [undefined, 'npm run --silent token --'],
  ] as const) {
    t.equal(tokenCommandOf(started), command, started ?? 'no file');
  }
});

t.test('--help and --version print to stdout, and need no settings', async (t) => {
  const environment = { DATABASE_URL: 'wrong', PORT: 'wrong' };
  const help = await run(t, ['--help'], { environment });
  t.match(help, { code: 0, stdout: /^ {2}plant-store migrate /m, stderr: '' });
  t.strictSame(await run(t, ['-v'], { environment }), {
    code: 0,
    stdout: `${plantStore.project.version}\n`,
    stderr: '',
  });
  for (const name of ['migrate', 'check', 'ready']) {
    const { code, out } = await runPlantStore(t, [name, '--help'], environment);
    t.equal(code, 0);
    t.match(out, `\n  plant-store ${name}\n`);
  }
});

t.test('a wrong command line is explained on stderr, with the usage, and exits 2', async (t) => {
  for (const [parameters, sentence] of [
    [['serve'], '"serve" is not a command.'],
    [['constructor'], '"constructor" is not a command.'],
    [['--port=80'], /^Unknown option '--port'/],
    [['migrate', 'down'], '"down" is one argument too many.'],
    [['check', 'all'], '"all" is one argument too many.'],
  ] as const) {
    const { code, out, err } = await runPlantStore(t, parameters, { DATABASE_URL: 'wrong' });
    const [first = '', empty, ...usage] = err.split('\n');
    t.strictSame([code, out, empty], [2, '', ''], parameters.join(' '));
    t.match(first, sentence);
    t.match(usage.join('\n'), /^ {2}plant-store /m);
  }
});

t.test(
  '"plant-store migrate" applies the migrations once, and "plant-store check" names those that wait',
  async (t) => {
    const environment = { DATABASE_URL: await makeDatabase(t) };
    const before = await runPlantStore(t, ['check'], environment);
    t.equal(before.code, 0, 'a start would succeed');
    t.match(before.out, `ok      Migrations that wait: ${all}. `);
    t.strictSame(await run(t, ['migrate'], { environment }), {
      code: 0,
      stdout: `Applied ${all}.\n`,
      stderr: '',
    });
    t.strictSame(await runPlantStore(t, ['migrate'], environment), {
      code: 0,
      out: 'There is no new migration.\n',
      err: '',
    });
    const after = await runPlantStore(t, ['check'], environment);
    t.match(after, { code: 0, err: '' });
    for (const line of after.out.trimEnd().split('\n')) t.match(line, /^ok {6}\S/);
  },
);

t.test('autovacuum comes to the tables sooner, unless an operator has set when', async (t) => {
  const DATABASE_URL = await makeDatabase(t);
  const client = new pg.Client({ connectionString: DATABASE_URL });
  await client.connect();
  t.teardown(() => client.end());
  const migrateThenRead = async () => {
    t.equal((await runPlantStore(t, ['migrate'], { DATABASE_URL })).code, 0);
    const { rows } = await client.query("SELECT reloptions FROM pg_class WHERE oid = 'plants'::regclass");
    return rows[0]?.reloptions;
  };
  t.strictSame(await migrateThenRead(), ['autovacuum_vacuum_scale_factor=0.02']);
  await client.query('ALTER TABLE plants SET (autovacuum_vacuum_scale_factor = 0.5)');
  t.strictSame(await migrateThenRead(), ['autovacuum_vacuum_scale_factor=0.5']);
  await client.query('ALTER TABLE plants RESET (autovacuum_vacuum_scale_factor)');
  // A vacuum holds this lock, for hours if the table is large.
  await client.query('BEGIN; LOCK TABLE plants IN SHARE UPDATE EXCLUSIVE MODE');
  t.equal(await migrateThenRead(), null, 'which is not waited for');
  await client.query('ROLLBACK');
  t.strictSame(await migrateThenRead(), ['autovacuum_vacuum_scale_factor=0.02'], 'the next start sets it');
});

t.test('"plant-store migrate" applies nothing if the tables would not fit the contract', async (t) => {
  const url = await makeDatabase(t);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.teardown(() => client.end());
  await client.query(
    `CREATE FUNCTION spoil() RETURNS event_trigger LANGUAGE plpgsql AS
       $$ BEGIN ALTER TABLE IF EXISTS plants DROP COLUMN IF EXISTS name; END $$;
     CREATE EVENT TRIGGER spoil ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION spoil()`,
  );
  const { code, stderr } = await run(t, ['migrate'], { environment: { DATABASE_URL: url } });
  t.equal(code, 1);
  t.match(stderr, /plants\.yaml:\d+.*: the column plants\.name is missing/);
  t.match((await client.query("SELECT to_regclass('plants') AS there")).rows, [{ there: null }]);
});

t.test(
  'the service starts and serves with an account that may not create tables, once they are there',
  async (t) => {
    const url = await makeDatabase(t);
    const early = await makeAccount(t, url, []);
    const refused = startProgram(t, program, [], { environment: { DATABASE_URL: early, PORT: '0' } });
    t.equal(await refused.ended, 1);
    t.match(
      refused.stderr(),
      /^The table of migrations failed: permission denied for schema public\. Run "plant-store migrate" with an account that may do it\.\n$/,
    );
    const refusedCheck = await runPlantStore(t, ['check'], { DATABASE_URL: early });
    t.equal(refusedCheck.code, 1);
    t.match(
      refusedCheck.out,
      /^not ok {2}The table of migrations failed: permission denied for schema public\. Run "plant-store migrate"/m,
    );
    await runPlantStore(t, ['migrate'], { DATABASE_URL: url });
    const issued = await runPlantStore(t, ['token', 'issue', 'ada'], { DATABASE_URL: url });
    const account = await makeAccount(t, url, serviceRights);
    t.strictSame(await runPlantStore(t, ['token', 'issue', 'ada'], { DATABASE_URL: account }), {
      code: 1,
      out: '',
      err: 'PostgreSQL refuses the statement: permission denied for table access_tokens. Use an account that has the right, or mend the table: docs/postgresql.md.\n',
    });
    const checked = await runPlantStore(t, ['check'], { DATABASE_URL: account });
    t.equal(checked.code, 0, checked.out);
    const environment = { DATABASE_URL: account, PORT: '0', DRAIN_SECONDS: '0' };
    const server = await ready(startProgram(t, program, [], { environment }));
    const token = issued.out.trim();
    t.equal(
      (await server.call('POST', '/plants', { token, body: newPlantText({ id: 1, name: 'one' }) })).status,
      200,
    );
    t.equal((await server.call('GET', '/plants', { token })).text, `[${plantText({ name: 'one' })}]`);
    t.equal((await server.call('DELETE', '/plants/1', { token })).status, 204);
    t.equal((await server.call('GET', '/ready')).status, 200);
    server.child.kill('SIGTERM');
    t.equal(await server.ended, 0);
    t.notMatch(server.stdout(), /"level":[456]0/, 'and nothing fails, the removal of old tokens included');
  },
);

t.test('"plant-store check" says what is wrong, and exits 1', async (t) => {
  const cases = [
    [{ PORT: 'http' }, 'not ok  PORT is "http": set it to a whole number from 0 to 65535.\n'],
    [
      { DATABASE_URL: 'postgresql://user:secret@127.0.0.1:1/plants' },
      /^ok {6}The contract \S+ fits the code\.\nnot ok {2}Cannot connect to PostgreSQL at host "127\.0\.0\.1:[^\n]+\n$/m,
    ],
    [
      { DATABASE_URL: await makeTables(t, 'ALTER TABLE plants ADD x_size integer NOT NULL') },
      /^not ok {2}[^\n]+the column plants\.x_size is NOT NULL/m,
    ],
    [
      {
        DATABASE_URL: await makeAccount(t, await makeTables(t, ''), [
          'SELECT ON ALL TABLES IN SCHEMA public',
        ]),
      },
      /^not ok {2}The database is not available: the right to INSERT on the table plants is missing/m,
    ],
  ] as const;
  for (const [environment, line] of cases) {
    const { code, out, err } = await runPlantStore(t, ['check'], environment);
    t.strictSame([code, err], [1, ''], out);
    t.match(out, line);
    t.notMatch(out, 'secret');
  }
});

t.test(
  '"plant-store check" asks the issuer of JWTs, and a service with JWT_ISSUER accepts its tokens',
  async (t) => {
    const issuer = await startIssuer(t);
    const { issuer: JWT_ISSUER, audience: JWT_AUDIENCE } = issuer.settings;
    const environment = { DATABASE_URL: await makeTables(t, ''), JWT_ISSUER, JWT_AUDIENCE };
    const sound = await run(t, ['check'], { environment });
    t.equal(sound.code, 0);
    t.match(sound.stdout, `ok      The issuer ${JWT_ISSUER} answers. Number of its keys: 1.\n`);
    const settings = { ...environment, PORT: '0', DRAIN_SECONDS: '0', LOG_LEVEL: 'trace' };
    const server = await ready(startProgram(t, program, [], { environment: settings }));
    const token = await issuer.sign();
    t.equal((await server.call('GET', '/plants', { token })).status, 200);
    t.equal((await server.call('GET', `/plants?access_token=${token}`, { token: `${token}x` })).status, 401);
    server.child.kill('SIGTERM');
    t.equal(await server.ended, 0);
    const log = server.stdout() + server.stderr();
    for (const part of token.split('.')) t.notOk(log.includes(part), 'the log has no token');
    await issuer.stop();
    const down = await run(t, ['check'], { environment });
    t.equal(down.code, 1);
    t.match(down.stdout, /^not ok {2}Cannot get the keys of JWT_ISSUER at [^\n]+: connection refused\. /m);
  },
);

t.test('"plant-store check" makes no embedded database, and leaves none running', async (t) => {
  const data = await makeDataFolder(t);
  const environment = { DATA_DIR: data };
  t.match(await run(t, ['check'], { environment }), {
    code: 0,
    stdout: `ok      There is no database in ${data} yet: the start makes it.\n`,
  });
  t.match(await run(t, ['migrate'], { environment }), { code: 0, stdout: `Applied ${all}.\n` });
  t.match(await run(t, ['check'], { environment }), {
    code: 0,
    stdout: 'ok      All migrations are applied, and the tables fit the contract.\n',
  });
  await until('PostgreSQL is gone', async () => (await postgresProcesses(data)).length === 0);
});
