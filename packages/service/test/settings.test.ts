import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { fastify } from 'fastify';
import t from 'tap';
import { portOf } from '../../contract-tools/base.js';
import { projectFolder } from '../../kit/index.js';
import { launchServer, spawnServer, startProgram } from '../../kit/testing.js';
import { reasonForPeople } from '../src/errors/reason.js';
import { listen, tryToListen } from '../src/http/listening.js';
import {
  misspeltSettings,
  readBreakingMigrations,
  readDatabaseSetting,
  readSettings,
} from '../src/settings.js';
import { tryDatabase } from '../src/start/try-database.js';
import { makeDatabase } from './support/postgres/database.js';

/** Shows the proxies by their rules, because a BlockList cannot be compared. */
function read(environment: NodeJS.ProcessEnv) {
  const { proxies, ...settings } = readSettings(environment);
  return { ...settings, proxies: proxies.rules };
}

for (const [set, meant, also = {}] of [
  ['DATABASE_ULR', 'DATABASE_URL'],
  ['DATABASE_UR', 'DATABASE_URL'],
  ['DATABASE_URLS', 'DATABASE_URL'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['ATABASE_URL', 'DATABASE_URL'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['ADATA_DIR', 'DATA_DIR'],
  ['database_url', undefined],
  ['DATABASE_LUR_', undefined],
  ['POST', undefined],
  ['DATABASE_ULR', undefined, { DATABASE_URL: 'postgresql:///' }],
] as const) {
  const words = meant === undefined ? 'is no misspelt setting' : `is taken for ${meant}`;
  t.test(`${set} ${words}${'DATABASE_URL' in also ? ' if that is set, too' : ''}`, async (t) => {
    t.strictSame(
      misspeltSettings({ [set]: 'x', ...also }),
      meant === undefined
        ? []
        : [`${set} is set, and ${meant} is not: if you mean ${meant}, correct the name.`],
    );
  });
}

t.test('the start and the commands name a misspelt setting', async (t) => {
  const DATABASE_URL = 'postgresql://127.0.0.1:1/plants';
  const environment = { DATABASE_URL, DATABASE_WAIT_SECONDS: '0', LOG_LEVLE: 'info' };
  const programs = [
    launchServer(t, environment),
    startProgram(t, 'src/main.ts', ['migrate'], { environment }),
  ];
  for (const program of programs) {
    t.equal(await program.ended, 1);
    t.match(program.stderr(), /^LOG_LEVLE is set, and LOG_LEVEL is not: [^\n]+\nCannot connect/);
  }
});

t.test('without environment variables, all settings have their defaults', async (t) => {
  t.strictSame(read({}), {
    host: '127.0.0.1',
    port: 3000,
    admin: undefined,
    logLevel: 'info',
    checkAnswers: false,
    proxies: [],
    corsOrigins: new Set(),
    jwt: undefined,
    database: { kind: 'embedded', folder: join(projectFolder, '.data') },
    breakingMigrations: 'apply',
    databaseWaitMs: 10_000,
    drainMs: 0,
    maxConnections: 10_000,
    maxRequestsInFlight: 10_000,
    requestsPerSecond: 0,
  });
});

t.test('the drain has a default only where replicas can be, and nobody waits at a terminal', async (t) => {
  const drain = (environment: NodeJS.ProcessEnv) => readSettings(environment).drainMs;
  const DATABASE_URL = 'postgres://user@host/plants';
  const atTerminal = (value: boolean) => t.intercept(process.stderr, 'isTTY', { value, configurable: true });
  atTerminal(false);
  t.equal(drain({ DATABASE_URL }), 5_000);
  t.equal(drain({}), 0);
  atTerminal(true);
  t.equal(drain({ DATABASE_URL }), 0);
  t.equal(drain({ DATABASE_URL, DRAIN_SECONDS: '3600' }), 3_600_000);
});

t.test('each setting is read from its environment variable', async (t) => {
  t.strictSame(
    read({
      HOST: '::',
      PORT: '0',
      ADMIN_HOST: '::1',
      ADMIN_PORT: '0',
      LOG_LEVEL: 'trace',
      CHECK_ANSWERS: 'on',
      TRUST_PROXY: '10.0.0.0/8',
      CORS_ORIGINS: 'https://app.example, http://localhost:5173,capacitor://localhost, http://[::1]:8080,',
      DATABASE_URL: 'postgres://user@host/plants',
      BREAKING_MIGRATIONS: 'apply',
      DATA_DIR: '',
      DATABASE_WAIT_SECONDS: '0',
      DRAIN_SECONDS: '30',
      JWT_ISSUER: 'https://login.example/realms/garden',
      JWT_AUDIENCE: 'plants',
      JWT_OWNER_CLAIM: 'https://plants.example/owner',
      JWT_JWKS_URL: 'http://keys.internal:8080/keys?of=garden',
      MAX_CONNECTIONS: '20000',
      MAX_REQUESTS_IN_FLIGHT: '500',
      REQUESTS_PER_SECOND: '100',
    }),
    {
      host: '::',
      port: 0,
      admin: { host: '::1', port: 0 },
      logLevel: 'trace',
      checkAnswers: true,
      proxies: ['Subnet: IPv4 10.0.0.0/8'],
      corsOrigins: new Set([
        'https://app.example',
        'http://localhost:5173',
        'capacitor://localhost',
        'http://[::1]:8080',
      ]),
      database: { kind: 'url', url: 'postgres://user@host/plants' },
      breakingMigrations: 'apply',
      jwt: {
        issuer: 'https://login.example/realms/garden',
        audience: 'plants',
        ownerClaim: 'https://plants.example/owner',
        jwksUrl: 'http://keys.internal:8080/keys?of=garden',
      },
      databaseWaitMs: 0,
      drainMs: 30_000,
      maxConnections: 20_000,
      maxRequestsInFlight: 500,
      requestsPerSecond: 100,
    },
  );
  t.strictSame(readDatabaseSetting({ DATA_DIR: '/elsewhere' }), { kind: 'embedded', folder: '/elsewhere' });
  t.equal(readBreakingMigrations({ DATABASE_URL: 'postgres://host/plants' }), 'refuse');
  t.equal(readSettings({ PORT: '65535' }).port, 65535);
  t.strictSame(
    readSettings({ HOST: '0.0.0.0', ADMIN_PORT: '9090' }).admin,
    { host: '127.0.0.1', port: 9090 },
    'the port without tokens is not public because the other one is',
  );
});

t.test('DATABASE_URL accepts each form of a PostgreSQL URL, including a socket without a host', async (t) => {
  for (const url of [
    'postgresql://user:secret@host:5432/plants',
    'postgresql://user:secret@/plants?host=%2Fvar%2Frun%2Fpostgresql',
    'postgresql:///plants?host=/var/run/postgresql',
    'postgresql://user:secret@[::1]:5432/plants?sslmode=verify-full',
  ]) {
    t.strictSame(readDatabaseSetting({ DATABASE_URL: url }), { kind: 'url', url });
  }
});

const wrong: readonly (readonly [setting: string, value: string])[] = [
  ['HOST', ''],
  ['PORT', ''],
  ['PORT', '65536'],
  ['PORT', '-1'],
  ['PORT', '3000.5'],
  ['PORT', ' 3000'],
  ['PORT', '0x10'],
  ['PORT', 'http'],
  ['PORT', '100000'],
  ['REQUESTS_PER_SECOND', ''],
  ['REQUESTS_PER_SECOND', '-1'],
  ['REQUESTS_PER_SECOND', '0.5'],
  ['REQUESTS_PER_SECOND', '1000000'],
  ['ADMIN_HOST', ''],
  ['ADMIN_HOST', '0.0.0.0'],
  ['ADMIN_PORT', ''],
  ['ADMIN_PORT', 'off'],
  // The default of PORT.
  ['ADMIN_PORT', '3000'],
  ['LOG_LEVEL', ''],
  ['LOG_LEVEL', 'loud'],
  ['LOG_LEVEL', 'INFO'],
  ['CHECK_ANSWERS', 'true'],
  ['CHECK_ANSWERS', ''],
  ['BREAKING_MIGRATIONS', ''],
  ['BREAKING_MIGRATIONS', 'yes'],
  ['DATA_DIR', ''],
  ['DATABASE_WAIT_SECONDS', ''],
  ['DATABASE_WAIT_SECONDS', '1.5'],
  ['DRAIN_SECONDS', '-1'],
  ['DRAIN_SECONDS', '3601'],
  ['DRAIN_SECONDS', '5s'],
  ['JWT_ISSUER', ''],
  ['JWT_ISSUER', 'login.example'],
  ['JWT_ISSUER', 'https://user:hunter@login.example'],
  ['JWT_ISSUER', 'https://login.example#x'],
  ['JWT_AUDIENCE', 'plants'],
  ['JWT_OWNER_CLAIM', 'sub'],
  ['JWT_JWKS_URL', 'https://login.example/keys'],
  ['MAX_CONNECTIONS', ''],
  ['MAX_CONNECTIONS', '0'],
  ['MAX_CONNECTIONS', '1e3'],
  ['MAX_REQUESTS_IN_FLIGHT', '0'],
  // More than the default of MAX_CONNECTIONS.
  ['MAX_REQUESTS_IN_FLIGHT', '10001'],
  ['DATABASE_URL', ''],
  ['DATABASE_URL', 'hunter2'],
  ['DATABASE_URL', 'host=localhost password=hunter2'],
  ['DATABASE_URL', 'mysql://user:hunter2@host/plants'],
  ['DATABASE_URL', 'postgresql://user:hunter2%FF@host/plants'],
  ['DATABASE_URL', 'postgresql://user:hunter2@host:port/plants'],
  ['DATABASE_URL', '/var/run/postgresql hunter2'],
];

for (const [setting, value] of wrong) {
  t.test(`${setting}="${value}" is refused by one line that names it`, async (t) => {
    t.throws(() => readSettings({ [setting]: value }), {
      name: 'SettingsError',
      message: new RegExp(`^${setting} is [^\\n]+\\.$`),
    });
    try {
      readSettings({ [setting]: value });
    } catch (error) {
      t.notMatch(String(error), 'hunter2', 'and which holds no password');
    }
  });
}

t.test(
  'there are never more requests in flight than connections, of which one owner gets half',
  async (t) => {
    for (const [MAX_CONNECTIONS, MAX_REQUESTS_IN_FLIGHT, expected] of [
      ['50', undefined, 50],
      ['20000', undefined, 10_000],
      ['20000', '20000', 20_000],
    ] as const) {
      const environment = { MAX_CONNECTIONS, ...(MAX_REQUESTS_IN_FLIGHT && { MAX_REQUESTS_IN_FLIGHT }) };
      t.equal(readSettings(environment).maxRequestsInFlight, expected);
    }
    t.throws(() => readSettings({ MAX_CONNECTIONS: '50', MAX_REQUESTS_IN_FLIGHT: '51' }), {
      name: 'SettingsError',
      message:
        'MAX_REQUESTS_IN_FLIGHT is "51", and MAX_CONNECTIONS is 50, so one owner could take all connections: set it to at most MAX_CONNECTIONS, or raise MAX_CONNECTIONS.',
    });
  },
);

t.test('settings of traces are refused, unless OpenTelemetry was loaded, which reads them', async (t) => {
  const url = 'http://127.0.0.1:4318';
  for (const [name, value] of [
    ['OTEL_EXPORTER_OTLP_ENDPOINT', url],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', url],
    ['OTEL_TRACES_EXPORTER', 'otlp'],
  ] as const) {
    const environment = { [name]: value };
    t.throws(() => readSettings(environment, []), {
      name: 'SettingsError',
      message: `${name} is set, and the service itself sends no traces: load OpenTelemetry with node --import (docs/operations/traces.md), or unset it.`,
    });
    for (const options of [['--import', './traces.mjs'], ['--import=./traces.mjs'], ['-r', './traces.cjs']])
      t.ok(readSettings(environment, options), `${name} with ${options.join(' ')}`);
    t.ok(readSettings({ ...environment, NODE_OPTIONS: '--require ./traces.cjs' }, []));
    t.ok(readSettings({ ...environment, OTEL_SDK_DISABLED: 'true' }, []));
    t.ok(readSettings({ [name]: '' }, []));
  }
  t.ok(readSettings({ OTEL_TRACES_EXPORTER: 'none' }, ['--enable-source-maps']));
});

t.test('JWT_ISSUER needs JWT_AUDIENCE, and is any text if JWT_JWKS_URL is set', async (t) => {
  const JWT_ISSUER = 'https://login.example/';
  const others = { audience: 'plants', ownerClaim: 'sub' };
  t.strictSame(readSettings({ JWT_ISSUER, JWT_AUDIENCE: 'plants' }).jwt, {
    ...others,
    issuer: JWT_ISSUER,
    jwksUrl: undefined,
  });
  const jwksUrl = 'https://login.example/keys';
  t.strictSame(readSettings({ JWT_ISSUER: 'login', JWT_AUDIENCE: 'plants', JWT_JWKS_URL: jwksUrl }).jwt, {
    ...others,
    issuer: 'login',
    jwksUrl,
  });
  for (const [environment, message] of [
    [{ JWT_ISSUER }, /^JWT_AUDIENCE is missing: /],
    [{ JWT_ISSUER, JWT_AUDIENCE: '' }, /^JWT_AUDIENCE is missing: /],
    [{ JWT_ISSUER, JWT_AUDIENCE: 'plants', JWT_OWNER_CLAIM: '' }, /^JWT_OWNER_CLAIM is empty: /],
    [{ JWT_ISSUER, JWT_AUDIENCE: 'plants', JWT_JWKS_URL: 'keys.json' }, /^JWT_JWKS_URL is "keys.json": /],
  ] as const)
    t.throws(() => readSettings(environment), { name: 'SettingsError', message });
});

t.test('CORS_ORIGINS accepts origins as browsers write them, and nothing else', async (t) => {
  for (const item of [
    '*',
    'null',
    'app.example',
    'https://app.example/',
    'https://app.example/path',
    'https://App.example',
    'https://app.example:443',
    'https://user@app.example',
    'https://*.app.example',
    'file:///page.html',
    'mailto:somebody',
  ])
    t.throws(() => readSettings({ CORS_ORIGINS: `http://localhost:5173, ${item}` }), {
      name: 'SettingsError',
      message: `CORS_ORIGINS has "${item}": set it to origins of pages, such as https://app.example, http://localhost:5173.`,
    });
});

t.test('a server with a wrong setting ends with one line that names the setting', async (t) => {
  const server = launchServer(t, { PORT: 'http' });
  t.equal(await server.ended, 1);
  t.equal(server.stderr(), 'PORT is "http": set it to a whole number from 0 to 65535.\n');
  t.equal(server.stdout(), '');
});

t.test('the token command with a wrong setting ends with one line that names the setting', async (t) => {
  const command = startProgram(t, 'src/main.ts', ['token', 'list'], {
    environment: { DATABASE_URL: 'mysql://user:hunter2@host/plants' },
  });
  t.equal(await command.ended, 1);
  t.equal(
    command.stderr(),
    'DATABASE_URL is not the URL of a PostgreSQL: set it to postgresql://user:password@host:port/database, or unset it.\n',
  );
  t.equal(command.stdout(), '');
});

t.test(
  'a DATA_DIR that cannot hold the database ends the server with a line that names the setting',
  async (t) => {
    const server = launchServer(t, { DATA_DIR: join(projectFolder, 'package.json') });
    t.equal(await server.ended, 1);
    t.match(
      server.stderr(),
      /^DATA_DIR is [^\n]*package.json, which cannot hold the database: EEXIST[^\n]* Set it to another folder\.\n$/,
    );
  },
);

t.test(
  'an address that cannot be listened on ends the server with a line that names HOST and PORT',
  async (t) => {
    const server = launchServer(
      t,
      // The address is tried before DATABASE_URL is.
      { HOST: 'no-such-host.invalid', DATABASE_URL: 'postgresql://127.0.0.1:1/plants' },
    );
    t.equal(await server.ended, 1);
    t.match(
      server.stderr(),
      /^Cannot listen on HOST "no-such-host.invalid", PORT "0": [^\n]+\. Choose one of this machine's addresses with HOST=…\.\n$/,
    );
  },
);

t.test(
  'a port that is taken between the trial and the real listening is reported in the same words',
  async (t) => {
    const place = { host: '127.0.0.1', port: await freePort() };
    await tryToListen(place);
    const other = createServer().listen(place.port, place.host);
    await once(other, 'listening');
    t.teardown(() => other.close());
    const message = `Cannot listen on HOST "127.0.0.1", PORT "${place.port}": address already in use. Choose another with PORT=…, or any that is free with PORT=0.`;
    await t.rejects(tryToListen(place), { name: 'SettingsError', message });
    await t.rejects(tryToListen(place, 'ADMIN_PORT'), {
      message: message.replaceAll(/HOST|PORT/g, 'ADMIN_$&'),
    });
    const app = fastify();
    t.teardown(() => app.close());
    await t.rejects(listen(app, place), { name: 'SettingsError', message });
  },
);

/** A port that was free a moment ago, so nobody listens on it. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  server.close();
  await once(server, 'close');
  return port;
}

t.test(
  'an unusable database ends the start with a line that says what to do, without the password',
  async (t) => {
    const url = new URL(await makeDatabase(t));
    const name = url.pathname.slice(1);
    const folder = url.searchParams.get('host');
    t.equal(await tryDatabase(url.href), undefined);
    const wrong = (change: (url: URL) => void): string => {
      const changed = new URL(url);
      change(changed);
      return changed.href;
    };
    for (const [broken, message] of [
      [
        'postgresql://user:hunter2@127.0.0.1:1/plants',
        'host "127.0.0.1:1", database "plants": connection refused. Start PostgreSQL there, or correct DATABASE_URL.',
      ],
      [
        wrong((url) => {
          url.password = 'hunter2';
        }),
        `host "${folder}", database "${name}": password authentication failed for user "plants". Correct the user and the password in DATABASE_URL.`,
      ],
      [
        wrong((url) => {
          url.pathname = '/nowhere';
        }),
        `host "${folder}", database "nowhere": database "nowhere" does not exist. Create the database, or correct its name in DATABASE_URL.`,
      ],
      [
        'postgresql://user:hunter2@/plants?host=/nowhere',
        'DATABASE_URL: no such file or directory. Start PostgreSQL there, or correct DATABASE_URL.',
      ],
    ] as const) {
      await t.rejects(tryDatabase(broken), {
        name: 'SettingsError',
        message: `Cannot connect to PostgreSQL at ${message}`,
      });
    }
    t.equal(
      reasonForPeople(new AggregateError([new Error('one'), new Error('other'), new Error('one')])),
      'one, other',
    );
  },
);

const localAddresses = await lookup('localhost', { all: true });
t.test(
  'HOST "localhost" listens on one address only, so all connections reach the same server',
  { skip: localAddresses.length === 1 && '"localhost" is one address here' },
  async (t) => {
    const server = await spawnServer(t, { HOST: 'localhost', DATABASE_URL: await makeDatabase(t) });
    const open = await Promise.all(localAddresses.map(({ address }) => isOpen(address, server.port)));
    t.equal(open.filter(Boolean).length, 1);
  },
);

async function isOpen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
