import t, { type Test } from 'tap';
import {
  makeDataFolder,
  type ProgramOptions,
  postgresProcesses,
  spawnServer,
  startProgram,
  until,
} from '../../../kit/testing.js';
import { hashToken, isToken } from '../../src/access/token.js';
import { TokenStore } from '../../src/access/token-store.js';
import { readCommand } from '../../src/command-line/token-arguments.js';
import { runPlantStore } from '../support/plant-store-program.js';
import { makeDatabase, openDatabase } from '../support/postgres/database.js';

interface Outcome {
  readonly code: number | NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(
  t: Test,
  environment: NonNullable<ProgramOptions['environment']>,
  parameters: readonly string[],
): Promise<Outcome> {
  const program = startProgram(t, 'src/main.ts', ['token', ...parameters], {
    environment,
  });
  const code = await program.ended;
  return { code, stdout: program.stdout(), stderr: program.stderr() };
}

t.test('the token command with DATABASE_URL', async (t) => {
  const DATABASE_URL = await makeDatabase(t);
  const token = (...parameters: string[]) => runPlantStore(t, ['token', ...parameters], { DATABASE_URL });

  t.test('on an empty database, "token list" prints only its column names', async (t) => {
    t.strictSame(await token('list'), {
      code: 0,
      out: `ID          ${['CREATED', 'EXPIRES', 'REVOKED'].map((name) => name.padEnd(26)).join('')}OWNER\n`,
      err: '',
    });
  });

  const database = openDatabase(t, DATABASE_URL);
  const tokens = new TokenStore(database);

  t.test('"token issue" prints one token and nothing else', async (t) => {
    const { code, stdout, stderr } = await run(t, { DATABASE_URL }, ['issue', 'ada lovelace']);
    t.equal(code, 0);
    t.equal(stderr, '');
    t.match(stdout, /^plant_\w{36}\n$/);
    t.ok(isToken(stdout.trim()));
    t.strictSame(await tokens.find(hashToken(stdout.trim())), { owner: 'ada lovelace', remainingMs: null });
  });

  t.test('"token issue --expires-in" prints a token that expires after that time', async (t) => {
    const { code, out } = await token('issue', 'ada', '--expires-in', '30d');
    t.equal(code, 0);
    const { remainingMs = null } = (await tokens.find(hashToken(out.trim()))) ?? {};
    t.ok(Math.abs(Number(remainingMs) - 30 * 86_400_000) < 60_000);
  });

  t.test('"token list" shows the times of each token, and "token revoke" ends one', async (t) => {
    const listed = await run(t, { DATABASE_URL }, ['list']);
    t.equal(listed.stderr, '');
    t.match(
      listed.stdout,
      /^ID +CREATED .*OWNER\n1 {11}[\d-]+T[\d:.]+Z {2}- +- +ada lovelace\n2 {11}[\d-]+T[\d:.]+Z {2}[\d-]+T[\d:.]+Z {2}- +ada\n$/,
    );
    const [header = '', ...rows] = listed.stdout.trimEnd().split('\n');
    for (const name of ['CREATED', 'EXPIRES', 'REVOKED', 'OWNER'])
      for (const row of rows) t.match(row.slice(header.indexOf(name) - 1), /^ \S/, `${name}: ${row}`);
    t.strictSame(await token('revoke', '1'), { code: 0, out: '', err: '' });
    t.match((await token('list')).out, /^1 +\S+ +- +[\d-]+T[\d:.]+Z {2}ada lovelace$/m);
    t.strictSame(await run(t, { DATABASE_URL }, ['revoke', '99']), {
      code: 1,
      stdout: '',
      stderr: 'There is no token 99: "list" shows all tokens.\n',
    });
  });

  t.test(
    '"token list OWNER" shows the tokens of an owner, and "token revoke --owner" ends them',
    async (t) => {
      t.match((await token('list', 'ada')).out, /^ID [^\n]*OWNER\n2 +\S+ +\S+ +- +ada\n$/);
      t.strictSame(await token('revoke', '--owner', 'ada'), { code: 0, out: '', err: '' });
      t.match((await token('list', 'ada')).out, /^2 +\S+ +\S+ +[\d-]+T[\d:.]+Z {2}ada$/m);
      t.strictSame(await token('revoke', '--owner', 'nobody'), {
        code: 1,
        out: '',
        err: 'There is no token of "nobody": "list" shows all tokens.\n',
      });
    },
  );

  t.test('"token list" has no limit of tokens, and ends if nobody reads it', async (t) => {
    const program = startProgram(t, 'src/main.ts', ['token', 'list'], { environment: { DATABASE_URL } });
    program.child.stdout?.destroy();
    await database.query({
      text: `INSERT INTO access_tokens (owner, hash)
             SELECT 'many', sha256(random()::text::bytea) FROM generate_series(1, 130000)`,
    });
    t.equal(await program.ended, 1);
    t.equal(program.stderr(), 'Cannot write to stdout: broken pipe.\n');
    const { code, out } = await token('list', 'many');
    t.equal(code, 0);
    t.equal(out.match(/ many$/gm)?.length, 130_000);
    await database.query({ text: "DELETE FROM access_tokens WHERE owner = 'many'" });
  });

  t.test('"token" leaves the migrations of a new version alone', async (t) => {
    const newest =
      'DELETE FROM plant_store_migrations WHERE name = (SELECT max(name) FROM plant_store_migrations)';
    t.equal((await database.query({ text: newest })).rowCount, 1);
    const count = async () => (await database.query({ text: 'SELECT FROM plant_store_migrations' })).rowCount;
    const before = await count();
    for (const parameters of [['list'], ['revoke', '2'], ['issue', 'eve']])
      t.equal((await token(...parameters)).code, 0);
    t.equal(await count(), before);
  });
});

t.test('"token --help" prints to stdout', async (t) => {
  t.match(await run(t, {}, ['--help']), {
    code: 0,
    stdout: /^Access tokens .* issue OWNER /s,
    stderr: '',
  });
});

t.test('a wrong token command explains itself on stderr, with the usage, and exits 2', async (t) => {
  // This is found out before any database is opened.
  t.match(await run(t, { DATABASE_URL: 'wrong' }, ['revoke', 'all']), {
    code: 2,
    stdout: '',
    stderr: /^ID must be the number of a token: "list OWNER" shows it\.\n\nAccess tokens .* issue OWNER /s,
  });
});

t.test('the token command names an unreachable database in one line', async (t) => {
  const DATABASE_URL = 'postgresql://user:secret@127.0.0.1:1/plants';
  t.strictSame(await runPlantStore(t, ['token', 'list'], { DATABASE_URL }), {
    code: 1,
    out: '',
    err: 'Cannot connect to PostgreSQL at host "127.0.0.1:1", database "plants": connection refused. Start PostgreSQL there, or correct DATABASE_URL.\n',
  });
});

t.test('the token command with the embedded PostgreSQL', async (t) => {
  const DATA_DIR = await makeDataFolder(t);
  const token = (...parameters: string[]): Promise<Outcome> => run(t, { DATA_DIR }, parameters);

  t.test('token commands that start at the same time in an empty folder all work', async (t) => {
    const outcomes = await Promise.all(
      Array.from({ length: 2 }, () => run(t, { DATA_DIR }, ['issue', 'ada'])),
    );
    for (const { code, stdout, stderr } of outcomes) {
      t.equal(stderr, '');
      t.equal(code, 0);
      t.ok(isToken(stdout.trim()));
    }
    t.strictSame(await postgresProcesses(DATA_DIR), [], 'and leave no PostgreSQL running');
  });

  t.test('Ctrl-C in the token command leaves no PostgreSQL running', async (t) => {
    const command = startProgram(t, 'src/main.ts', ['token', 'list'], {
      environment: { DATA_DIR },
    });
    await until('PostgreSQL runs', async () => (await postgresProcesses(DATA_DIR)).length > 0);
    command.child.kill('SIGINT');
    t.equal(await command.ended, 0);
    t.strictSame(await postgresProcesses(DATA_DIR), []);
  });

  t.test(
    'a token that is issued while the server runs is accepted at once, and refused after its revocation',
    async (t) => {
      const server = await spawnServer(t, { DATA_DIR });
      const { stdout } = await token('issue', 'eve', '--expires-in', '1h');
      const answer = await server.call('GET', '/plants', { token: stdout.trim() });
      t.equal(answer.status, 200);
      const [id = ''] =
        (await token('list')).stdout
          .split('\n')
          .filter((line) => line.endsWith('  eve'))[0]
          ?.split(' ') ?? [];
      t.equal((await token('revoke', id)).code, 0);
      await until(
        'the token is dead',
        async () => (await server.call('GET', '/plants', { token: stdout.trim() })).status === 401,
      );
      t.equal((await server.call('GET', '/ready')).status, 200, 'the server keeps its PostgreSQL');
    },
  );
});

t.test('the token command accepts every documented command line', async (t) => {
  t.strictSame(readCommand(['issue', 'ada']), { name: 'issue', owner: 'ada', lifetimeMs: undefined });
  for (const [text, lifetimeMs] of [
    ['1s', 1_000],
    ['2m', 120_000],
    ['3h', 10_800_000],
    ['30d', 2_592_000_000],
    ['36525d', 3_155_760_000_000],
  ] as const) {
    t.strictSame(readCommand(['issue', 'Ada Lovelace ♥', '--expires-in', text]), {
      name: 'issue',
      owner: 'Ada Lovelace ♥',
      lifetimeMs,
    });
  }
  t.strictSame(readCommand(['list']), { name: 'list', owner: undefined });
  t.strictSame(readCommand(['list', 'ada']), { name: 'list', owner: 'ada' });
  t.strictSame(readCommand(['revoke', '--owner', 'ada']), { name: 'revoke all', owner: 'ada' });
  t.strictSame(readCommand(['revoke', '7']), { name: 'revoke', id: 7n });
  t.strictSame(readCommand(['revoke', '999999999999999999']), { name: 'revoke', id: 999999999999999999n });
});

const wrong: readonly (readonly [sentence: string, ...parameters: string[]])[] = [
  ['The command is missing: write issue, list or revoke.'],
  ['"destroy" is not a command: write issue, list or revoke.', 'destroy'],
  ['OWNER must be a name of 1 to 255 printable characters.', 'issue'],
  ['OWNER must be a name of 1 to 255 printable characters.', 'issue', 'a\nb'],
  ['OWNER must be a name of 1 to 255 printable characters.', 'issue', 'x'.repeat(256)],
  ['"lovelace" is one argument too many.', 'issue', 'ada', 'lovelace'],
  ['OWNER must be a name of 1 to 255 printable characters.', 'list', ''],
  ['OWNER must be a name of 1 to 255 printable characters.', 'revoke', '--owner', ''],
  ['--owner works only with "revoke", and without an ID.', 'revoke', '7', '--owner', 'ada'],
  ['--owner works only with "revoke", and without an ID.', 'list', '--owner', 'ada'],
  ['ID must be the number of a token: "list OWNER" shows it.', 'revoke'],
  ['ID must be the number of a token: "list OWNER" shows it.', 'revoke', '0'],
  ['ID must be the number of a token: "list OWNER" shows it.', 'revoke', '1; DROP TABLE plants'],
  ['--expires-in works only with "issue".', 'list', '--expires-in', '1d'],
  [
    '--expires-in must be a number with s, m, h or d, such as 30d; at most 100 years.',
    'issue',
    'ada',
    '--expires-in',
    '30',
  ],
  [
    '--expires-in must be a number with s, m, h or d, such as 30d; at most 100 years.',
    'issue',
    'ada',
    '--expires-in',
    '0d',
  ],
  [
    '--expires-in must be a number with s, m, h or d, such as 30d; at most 100 years.',
    'issue',
    'ada',
    '--expires-in',
    '36526d',
  ],
];

t.test('the token command refuses every other command line', async (t) => {
  for (const [sentence, ...parameters] of wrong) {
    t.throws(() => readCommand(parameters), { name: 'UsageError', message: sentence }, parameters.join(' '));
  }
  t.throws(() => readCommand(['list', '--force']), {
    name: 'UsageError',
    message: /^Unknown option '--force'/,
  });
});
