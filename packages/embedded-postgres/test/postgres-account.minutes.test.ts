import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chown, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { makeFolder } from '../../kit/testing.js';
import { type Account, accountFor, spawnAs } from '../src/binaries.js';
import { makeSocketFolder } from '../src/socket-folder.js';

// The parts of running as root or as an ordinary user that either of them can test. PostgreSQL itself is
// started as both by ordinary-user.minutes.test.ts and embedded-postgres.minutes.test.ts.

const root = process.getuid?.() === 0;
const nobody = { uid: 65534, gid: 65534 };

function setVariable(t: Test, name: string, value: string): void {
  const before = process.env[name];
  t.teardown(() => {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  });
  process.env[name] = value;
}

async function start(
  t: Test,
  account: Account | undefined,
  program: string,
  ...parameters: string[]
): Promise<string> {
  const file = join(await makeFolder(t), 'log');
  const log = await open(file, 'a');
  const child: ChildProcess = await spawnAs(account, log.fd, program, parameters).finally(() => log.close());
  if (child.exitCode === null) await once(child, 'exit');
  return readFile(file, 'utf8');
}

t.test('an ordinary user runs PostgreSQL under their own account', async (t) => {
  t.equal(await accountFor(await makeFolder(t), 1000), undefined);
});

t.test('root runs PostgreSQL as the owner of the data folder or its parent, or as nobody', async (t) => {
  t.strictSame(await accountFor('/', 0), nobody);
  t.strictSame(await accountFor('/no-such-folder', 0), nobody);
  const folder = await makeFolder(t);
  const owner = {
    uid: root ? 1000 : Number(process.getuid?.()),
    gid: root ? 1001 : Number(process.getgid?.()),
  };
  await chown(folder, owner.uid, owner.gid);
  t.strictSame(await accountFor(folder, 0), owner);
  t.strictSame(await accountFor(join(folder, 'postgres'), 0), owner);
});

t.test('if the socket path would be too long, the account gets a socket folder of its own', async (t) => {
  const temporary = await makeFolder(t);
  setVariable(t, 'TMPDIR', temporary);
  const data = `/${'long'.repeat(30)}`;
  const us = { uid: Number(process.getuid?.()), gid: Number(process.getgid?.()) };
  for (const account of [undefined, us]) {
    const folder = await makeSocketFolder(data, account, 'secret');
    t.equal(dirname(folder), temporary);
    t.match(await stat(folder), { ...us, mode: 0o40700 });
  }
  t.not(
    await makeSocketFolder(data, undefined, 'another'),
    await makeSocketFolder(data, undefined, 'secret'),
    'whoever does not know the password cannot make the folder first',
  );
  const other = join(temporary, 'x'.repeat(90 - temporary.length));
  setVariable(t, 'TMPDIR', other);
  const folder = await makeSocketFolder(data, undefined, 'secret');
  t.teardown(() => rm(folder, { recursive: true }));
  t.equal(dirname(folder), '/tmp', 'because that path would be too long as well');
});

t.test("PostgreSQL's programs start as the chosen account only", async (t) => {
  const us = `${process.getuid?.()}\n`;
  t.equal(await start(t, undefined, '/usr/bin/id', '-u'), us);
  const other = await start(t, nobody, '/usr/bin/id', '-u');
  if (root) t.equal(other, '65534\n');
  else t.match(other, /^setpriv: /);
});

t.test("the environment of PostgreSQL's programs is PATH and LC_ALL", async (t) => {
  const environment = await start(t, undefined, '/usr/bin/env');
  const names = [...environment.matchAll(/^(\w+)=/gm)].map(([, name = '']) => name);
  // tap adds variables of its own.
  t.strictSame(names.filter((name) => !/^(_TAPJS_\w+|NODE_OPTIONS)$/.test(name)).sort(), ['LC_ALL', 'PATH']);
});

t.test('a program of PostgreSQL that cannot be started is reported with the reason', async (t) => {
  await t.rejects(start(t, undefined, '/no/such/program'), {
    name: 'EmbeddedPostgresError',
    message: 'PostgreSQL cannot be started: spawn /no/such/program ENOENT.',
  });
  setVariable(t, 'PATH', '/no/such/folder');
  await t.rejects(start(t, nobody, '/usr/bin/id'), {
    name: 'EmbeddedPostgresError',
    message: /^PostgreSQL does not run as root, and setpriv .+ is not here: .+ set DATABASE_URL\.$/,
  });
});
