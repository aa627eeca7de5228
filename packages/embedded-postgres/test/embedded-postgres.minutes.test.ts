import {
  chmod,
  chown,
  lstat,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import t, { type Test } from 'tap';
import { isAlive, send } from '../../kit/index.js';
import {
  killPostgres,
  makeDataFolder,
  makeFolder,
  notRoot,
  postgresProcesses,
  until,
} from '../../kit/testing.js';
import { EmbeddedPostgresError } from '../src/binaries.js';
import { Cluster } from '../src/cluster.js';
import { borrowEmbedded, startEmbedded } from '../src/embedded.js';

const nobody = 65534;

async function ask(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query({ text: sql, rowMode: 'array' });
  await client.end();
  return rows[0]?.[0];
}

/** Starts a cluster that ends with the test. */
async function startCluster(t: Test, data: string): Promise<Cluster> {
  const cluster = await Cluster.open(data);
  t.teardown(() => cluster.stop());
  await cluster.start();
  return cluster;
}

t.test('the embedded PostgreSQL', async (t) => {
  const data = await makeDataFolder(t);
  const cluster = await startCluster(t, data);

  t.test('the embedded PostgreSQL is durable, uses UTF-8, and listens on no TCP port', async (t) => {
    for (const [setting, value] of Object.entries({
      fsync: 'on',
      synchronous_commit: 'on',
      full_page_writes: 'on',
      listen_addresses: '',
      unix_socket_permissions: '0700',
      server_encoding: 'UTF8',
      password_encryption: 'scram-sha-256',
    })) {
      t.equal(await ask(cluster.url, `SHOW ${setting}`), value, setting);
    }
  });

  t.test('the embedded PostgreSQL asks for its password, also on its socket', async (t) => {
    const wrong = cluster.url.replace(/plants:[^@]+@/, 'plants:wrong@');
    await t.rejects(ask(wrong, 'SELECT 1'), { code: '28P01' });
    const password = await readFile(join(data, 'postgres', 'plant-store-password'), 'utf8');
    t.match(password, /^[\w-]{32}$/);
    t.equal(new URL(cluster.url).password, password);
  });

  t.test('the embedded PostgreSQL closes its files to other users', async (t) => {
    const mode = async (...path: string[]): Promise<string> =>
      ((await stat(join(data, ...path))).mode & 0o777).toString(8);
    t.equal(await mode(), '700');
    t.equal(await mode('postgres'), '700');
    t.equal(await mode('postgres', 'plant-store-password'), '600');
    t.equal(await mode('postgres', '.s.PGSQL.5432'), '700');
    t.equal(await mode('postgres.log'), '600');
    t.strictSame(
      (await readdir(data)).sort(),
      ['postgres', 'postgres.log'],
      'and leaves nothing of its making',
    );
  });

  t.test('the embedded PostgreSQL runs as nobody if root starts it', { skip: notRoot }, async (t) => {
    t.equal((await stat(join(data, 'postgres'))).uid, nobody);
    const [server] = await postgresProcesses(data);
    const status = await readFile(`/proc/${server}/status`, 'utf8');
    t.match(status, /^Uid:\t65534\t65534\t65534\t65534$/m);
    t.match(status, /^Gid:\t65534\t65534\t65534\t65534$/m);
    t.match(status, /^Groups:\t\s*$/m);
    // Bit 1 is CAP_DAC_OVERRIDE (capabilities(7)): the only capability that it has or could get.
    for (const set of ['CapPrm', 'CapEff', 'CapBnd']) t.match(status, new RegExp(`^${set}:\t0{15}2$`, 'm'));
  });

  t.test('a second start finds the embedded PostgreSQL running, and can stop it', async (t) => {
    const [server = 0] = await postgresProcesses(data);
    const other = await Cluster.open(data);
    await other.start();
    t.equal((await postgresProcesses(data))[0], server);
    await other.stop();
    // The pid file is removed shortly before the process ends.
    await until('the server is gone', async () => !(await isAlive(server)));
    t.strictSame(await postgresProcesses(data), []);
    await other.stop();
  });

  t.test('the embedded PostgreSQL keeps committed data if it is killed', async (t) => {
    await cluster.start();
    await ask(cluster.url, 'CREATE TABLE kept AS SELECT 7 AS n');
    await killPostgres(data);
    await cluster.start();
    t.equal(await ask(cluster.url, 'SELECT n FROM kept'), 7);
  });

  t.test('the embedded PostgreSQL restarts once no child of the killed server is left', async (t) => {
    await cluster.start();
    const client = await cluster.connect();
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const pid = rows[0]?.pid ?? 0;
    // A stopped process cannot notice that its server is gone.
    send('SIGSTOP', pid);
    const [server = 0] = await postgresProcesses(data);
    send('SIGKILL', server);
    await until('the server is gone', async () => !(await isAlive(server)));
    const started = cluster.start();
    await until('PostgreSQL refused to start beside that child', async () =>
      (await readFile(join(data, 'postgres.log'), 'utf8')).includes('shared memory block'),
    );
    send('SIGKILL', pid);
    await started;
    t.equal(await ask(cluster.url, 'SELECT n FROM kept'), 7);
  });

  t.test('the embedded PostgreSQL can be stopped while it starts', async (t) => {
    await killPostgres(data);
    await until('it is gone', async () => (await postgresProcesses(data)).length === 0);
    const started = cluster.start().catch(() => {});
    const [server = 0] = await until('it starts', async () => {
      const pids = await postgresProcesses(data);
      return pids.length > 0 ? pids : undefined;
    });
    await cluster.stop();
    await started;
    t.ok(await until('the server is gone', async () => !(await isAlive(server))));
  });

  t.test('the start of the embedded PostgreSQL fails if it does not answer in time', async (t) => {
    await cluster.start();
    const [server = 0] = await postgresProcesses(data);
    await killPostgres(data);
    await until('it is gone', async () => !(await isAlive(server)));
    await t.rejects(cluster.start(-1), {
      name: 'EmbeddedPostgresError',
      message: /^The embedded PostgreSQL did not answer within [^\n]+ s\. \S+postgres\.log ends with:\n/,
    });
    await cluster.start();
  });

  t.test('the start of the embedded PostgreSQL says if its password was changed', async (t) => {
    await ask(cluster.url, "ALTER ROLE plants PASSWORD 'other'");
    await t.rejects(cluster.start(), {
      name: 'EmbeddedPostgresError',
      message: /^The embedded PostgreSQL does not take its own password\./,
    });
    const changed = cluster.url.replace(/plants:[^@]+@/, 'plants:other@');
    await ask(changed, `ALTER ROLE plants PASSWORD '${new URL(cluster.url).password}'`);
    await cluster.start();
  });
});

t.test('the embedded PostgreSQL works in a folder of any name', async (t) => {
  const data = join(await makeDataFolder(t), `a, "b" 'c' %41 & ü`);
  t.teardown(() => killPostgres(data));
  const cluster = await startCluster(t, data);
  t.equal(await ask(cluster.url, 'SELECT 1'), 1);
  t.equal((await lstat(join(data, 'postgres', '.s.PGSQL.5432'))).isSocket(), true);
});

t.test('if the path is too long for a socket, the embedded PostgreSQL puts it elsewhere', async (t) => {
  // 103 characters, but more than 103 bytes.
  const long = await makeDataFolder(t);
  const data = join(long, 'ü'.repeat(103 - join(long, 'postgres', '.s.PGSQL.5432').length - 1));
  t.equal(join(data, 'postgres', '.s.PGSQL.5432').length, 103);
  t.teardown(() => killPostgres(data));
  const cluster = await startCluster(t, data);
  t.equal(await ask(cluster.url, 'SELECT 1'), 1);
  const sockets = new URL(cluster.url).searchParams.get('host') ?? '';
  t.ok([tmpdir(), '/tmp'].includes(dirname(sockets)));
  t.equal((await stat(sockets)).mode & 0o777, 0o700);
  t.equal((await stat(sockets)).uid, notRoot ? process.getuid?.() : nobody);
  await cluster.stop();

  // Anybody may create that path in the folder for temporary files.
  await removeFolder(sockets);
  const elsewhere = await makeFolder(t);
  await symlink(elsewhere, sockets);
  t.teardown(() => removeFolder(sockets));
  await t.rejects(Cluster.open(data), {
    name: 'EmbeddedPostgresError',
    message: `${sockets}, where the database's socket belongs, is somebody else's: remove it.`,
  });
  t.equal((await stat(elsewhere)).uid, process.getuid?.(), 'and nothing is given away');
});

async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

t.test('the embedded PostgreSQL refuses a folder that it did not create', async (t) => {
  const data = await makeDataFolder(t);
  await mkdir(join(data, 'postgres'), { recursive: true });
  await t.rejects(Cluster.open(data), {
    name: 'EmbeddedPostgresError',
    message:
      /^DATA_DIR is \S+, which cannot hold the database: ENOENT: .+plant-store-password'\. Set it to another folder\.$/,
  });
});

t.test('if the embedded PostgreSQL cannot start, the error quotes the end of its log', async (t) => {
  const data = await makeDataFolder(t);
  const cluster = await startCluster(t, data);
  await cluster.stop();
  await writeFile(join(data, 'postgres', 'global', 'pg_control'), 'damaged');
  await t.rejects(cluster.start(), {
    name: 'EmbeddedPostgresError',
    message:
      /^The embedded PostgreSQL did not start\. \S+postgres\.log ends with:\n.*pg_control.*\nIf that cannot be mended, set DATABASE_URL to a PostgreSQL of your own\.$/s,
  });
});

t.test('files of another version of PostgreSQL end the start with what to do', async (t) => {
  const data = await makeDataFolder(t);
  const cluster = await startCluster(t, data);
  await cluster.stop();
  await writeFile(join(data, 'postgres', 'PG_VERSION'), '17\n');
  await t.rejects(cluster.start(), {
    name: 'EmbeddedPostgresError',
    message:
      /incompatible with server\n.+version 17.+\nAnother version .+backup\.md .+ set DATA_DIR to another folder\.$/s,
  });
});

t.test('a user ID without a name ends the start with what to do', { skip: notRoot }, async (t) => {
  const data = await makeDataFolder(t);
  await mkdir(data);
  // Root runs PostgreSQL as the owner of the folder.
  await chown(data, 1_000_660_000, 0);
  await t.rejects(Cluster.open(data), {
    name: 'EmbeddedPostgresError',
    message:
      /user ID 1000660000.+\nPostgreSQL needs a user with a name: .+ set DATABASE_URL to a PostgreSQL\.$/s,
  });
});

t.test('simultaneous first starts create one embedded PostgreSQL and all use it', async (t) => {
  const data = await makeDataFolder(t);
  const clusters = await Promise.all(Array.from({ length: 3 }, () => Cluster.open(data)));
  t.equal(new Set(clusters.map(({ url }) => url)).size, 1);
  await Promise.all(clusters.map((cluster) => cluster.start()));
  for (const cluster of clusters) t.equal(await ask(cluster.url, 'SELECT 1'), 1);
  t.strictSame((await readdir(data)).sort(), ['postgres', 'postgres.log']);
  await clusters[0]?.stop();
});

t.test('the last command to use the embedded PostgreSQL stops it, and no earlier one', async (t) => {
  const data = await makeDataFolder(t);
  const [one, other] = await Promise.all([borrowEmbedded(data), borrowEmbedded(data)]);
  await one.stop();
  t.equal(await ask(other.url, 'SELECT 1'), 1);
  await other.stop();
  t.strictSame(await postgresProcesses(data), []);
  const third = await borrowEmbedded(data);

  t.test('a service takes over the embedded PostgreSQL that commands use', async (t) => {
    const service = await startEmbedded(data, () => {});
    await third.stop();
    t.equal(await ask(service.url, 'SELECT 1'), 1);
    await t.rejects(
      startEmbedded(data, () => {}),
      {
        name: 'EmbeddedPostgresError',
        message: `Another process uses the database in ${data}: stop it, or set DATA_DIR to another folder.`,
      },
    );
    await service.stop();
    t.strictSame(await postgresProcesses(data), []);
  });

  t.test('a service that starts while the last command ends restarts the embedded PostgreSQL', async (t) => {
    for (let round = 0; round < 3; round++) {
      const command = await borrowEmbedded(data);
      const [service] = await Promise.all([startEmbedded(data, () => {}), command.stop()]);
      t.equal(await ask(service.url, 'SELECT 1'), 1);
      await service.stop();
    }
    t.strictSame(await postgresProcesses(data), []);
  });

  t.test(
    'a service that finds the embedded PostgreSQL about to be stopped by a command starts it again',
    async (t) => {
      const command = await startCluster(t, data);
      const holder = await command.connect();
      // The last command to use PostgreSQL takes this lock and stops it: see embedded.ts.
      await holder.query('SELECT pg_advisory_lock($1)', [0x75736564]);
      const started = startEmbedded(data, () => {});
      await until('the service waits', () =>
        ask(command.url, "SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"),
      );
      await command.stop();
      const service = await started;
      t.equal(await ask(service.url, 'SELECT 1'), 1);
      await service.stop();
    },
  );

  t.test('a service removes the drafts of a start that was killed', async (t) => {
    await mkdir(join(data, 'new-abc'));
    const service = await startEmbedded(data, () => {});
    t.strictSame((await readdir(data)).sort(), ['postgres', 'postgres.log']);
    await service.stop();
  });

  t.test('removing drafts works while another start still writes into them', async (t) => {
    const draft = join(data, 'new-abc');
    await mkdir(draft);
    const add = async (name: string): Promise<void> => {
      for (let count = 0; count < 500; count++) await writeFile(join(draft, `${name}${count}`), '');
    };
    // Each writer fails, and so ends, when its folder is gone.
    const added = Promise.allSettled(['a', 'b', 'c'].map(add));
    const cluster = await Cluster.open(data);
    await cluster.removeDrafts();
    await added;
    t.strictSame((await readdir(data)).sort(), ['postgres', 'postgres.log']);
  });

  t.test('a service whose PostgreSQL alone was asked to end starts it again', async (t) => {
    const service = await startEmbedded(data, () => {});
    const [before = 0] = await postgresProcesses(data);
    // As the pool of the service has them.
    const session = new pg.Client({ connectionString: service.url });
    session.on('error', () => {});
    await session.connect();
    // It waits for all sessions, and takes no new ones.
    send('SIGTERM', before);
    await until('another one serves', async () => {
      const [server] = await postgresProcesses(data);
      return server !== before && (await ask(service.url, 'SELECT 1').catch(() => 0)) === 1;
    });
    t.match(await readFile(join(data, 'postgres.log'), 'utf8'), /received smart shutdown request/);
    await service.stop();
    t.strictSame(await postgresProcesses(data), []);
  });

  t.test('a service reports that its PostgreSQL does not come back, until it does', async (t) => {
    const told: [error: unknown, message: string][] = [];
    const service = await startEmbedded(data, (...report) => told.push(report));
    const control = join(data, 'postgres', 'global', 'pg_control');
    const content = await readFile(control);
    await writeFile(control, 'damaged');
    await killPostgres(data);
    await until('it says so', () => told.length > 0);
    t.ok(told[0]?.[0] instanceof EmbeddedPostgresError);
    t.equal(told[0]?.[1], 'the embedded PostgreSQL is down');
    await writeFile(control, content);
    await until('it is back', () => ask(service.url, 'SELECT 1').catch(() => undefined));
    await until('it says so', () => told.at(-1)?.[0] === undefined);
    t.strictSame(told.at(-1), [undefined, 'the embedded PostgreSQL was restarted']);
    // Stopping the service while it restarts PostgreSQL leaves no process behind.
    await killPostgres(data);
    await service.stop();
    t.strictSame(await postgresProcesses(data), []);
  });
});

t.test('in a home of mode 700, root runs the embedded PostgreSQL as nobody', { skip: notRoot }, async (t) => {
  const home = await makeFolder(t);
  await chmod(home, 0o700);
  const data = await makeDataFolder(t, home);
  const cluster = await startCluster(t, data);
  t.equal(await ask(cluster.url, 'SELECT 1'), 1);
  t.equal((await stat(join(data, 'postgres'))).uid, nobody);
});
