import { execFile } from 'node:child_process';
import fs, { closeSync, constants, openSync, readSync } from 'node:fs';
import { mkdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { fixedPorts } from '../../../kit/index.js';
import { call, endOf, launchServer, makeFolder, notRoot, spawnServer, until } from '../../../kit/testing.js';
import { openOutput } from '../../src/log/output.js';
import { makeDatabase } from '../support/postgres/database.js';

const run = promisify(execFile);
const full = 'Cannot write the log: no space left on device.';
const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;

t.test('a full disk behind stdout does not end the service, which says so once', async (t) => {
  const server = await spawnServer(t, { DATABASE_URL: await makeDatabase(t) }, { stdoutFile: '/dev/full' });
  for (let round = 0; round < 20; round++) t.equal((await server.call('GET', '/live')).status, 200);
  t.equal((await server.call('GET', '/plants')).status, 401);
  await until('it says so', () => server.stderr().includes(full));
  server.child.kill('SIGTERM');
  t.equal(await server.ended, 0);
  t.equal(server.stderr().split(full).length, 2);
});

t.test('the log goes on in a disk that has room again, without a torn line', { skip: notRoot }, async (t) => {
  const disk = await makeDisk(t);
  const ballast = join(disk, 'ballast');
  await writeFile(ballast, Buffer.alloc(56 * 1024));
  const stdoutFile = join(disk, 'log');
  const server = await spawnServer(t, { DATABASE_URL: await makeDatabase(t) }, { stdoutFile });
  let asked = 0;
  await until('the disk is full', async () => {
    await server.call('GET', `/${'x'.repeat(++asked)}`);
    return server.stderr().includes(full);
  });
  await server.call('GET', `/${'x'.repeat(++asked)}`);
  await rm(ballast);
  await server.call('GET', `/${'x'.repeat(++asked)}`);
  await until('it logs again', () =>
    server.stderr().includes('The log is written again: 0 lines were lost.'),
  );
  server.child.kill('SIGTERM');
  t.equal(await server.ended, 0);
  const lines = (await readFile(stdoutFile, 'utf8')).trimEnd().split('\n');
  const lengths = lines.map((line) => JSON.parse(line).req?.pathLength).filter(Boolean);
  t.strictSame(
    lengths,
    Array.from({ length: asked }, (_, at) => 2 + at),
  );
});

t.test('stdout and stderr that are full from the start end neither the start nor the service', async (t) => {
  const [port = 0] = await fixedPorts(1);
  const server = launchServer(
    t,
    { DATABASE_URL: await makeDatabase(t), PORT: String(port) },
    { stdoutFile: '/dev/full', sharesFile: true },
  );
  const ended = endOf(server.ended);
  const isServed = () =>
    call(`http://127.0.0.1:${port}`, 'GET', '/live').then(({ status }) => status === 200);
  await until('it serves, or has ended', () => ended() || isServed().catch(() => false));
  for (let round = 0; round < 20; round++) t.ok(await isServed());
  server.child.kill('SIGTERM');
  t.equal(await server.ended, 0);
});

t.test(
  'a disk of stdout and stderr that is full twice does not end the service',
  { skip: notRoot },
  async (t) => {
    const disk = await makeDisk(t);
    const stdoutFile = join(disk, 'log');
    const [port = 0] = await fixedPorts(1);
    const server = launchServer(
      t,
      { DATABASE_URL: await makeDatabase(t), PORT: String(port) },
      { stdoutFile, sharesFile: true },
    );
    const ended = endOf(server.ended);
    const ask = (path: string) => call(`http://127.0.0.1:${port}`, 'GET', path);
    await until('it is ready', async () => (await readFile(stdoutFile, 'utf8')).includes(' is ready at '));
    for (const [round, path] of [
      ['first', '/1'],
      ['second', '/22'],
    ] as const) {
      const ballast = join(disk, 'ballast');
      await writeFile(ballast, Buffer.alloc(56 * 1024)).catch(() => {});
      let size = -1;
      await until('the disk is full', async () => {
        for (let asked = 0; asked < 60; asked++) await ask('/more');
        const before = size;
        ({ size } = await stat(stdoutFile));
        return size === before;
      });
      await ask(path);
      await rm(ballast);
      await until('it logs again, or has ended', async () => {
        await ask('/more').catch(() => {});
        return ended() || (await readFile(stdoutFile, 'utf8')).includes(`"pathLength":${path.length},`);
      });
      t.notOk(ended(), `the service is there after the ${round} time`);
      await truncate(stdoutFile);
    }
    server.child.kill('SIGTERM');
    t.equal(await server.ended, 0);
  },
);

t.test('lines beyond 16 MiB are lost, and counted', async (t) => {
  const told = hearErrors(t);
  const { output, openReader } = await makePipe(t, O_WRONLY);
  const { state } = output;
  // Nobody reads any more: EPIPE.
  output.write('first\n');
  await until('it says so', () => told.length > 0);
  const megabyte = `${'x'.repeat(2 ** 20 - 1)}\n`;
  for (let written = 0; written < 20; written++) output.write(megabyte);
  t.strictSame(state, { isFailing: true, lostLines: 5 });
  const read = openReader();
  const expected = `first\n${megabyte.repeat(15)}`;
  let received = '';
  await until('the others are there', () => {
    // The next line tries again.
    if (state.isFailing) output.write('next\n');
    received += read();
    return received.length > expected.length;
  });
  t.ok(received.startsWith(`${expected}next\n`));
  await until('it says so', () => told.length > 1);
  t.strictSame(told, [
    'Cannot write the log: broken pipe. The service goes on, and so does its log once there is room.',
    'The log is written again: 5 lines were lost.',
  ]);
  t.strictSame(state, { isFailing: false, lostLines: 5 });
});

t.test('a slow reader of a non-blocking pipe gets every line, and nobody hears of it', async (t) => {
  const told = hearErrors(t);
  const { output, openReader } = await makePipe(t, O_WRONLY | O_NONBLOCK);
  const read = openReader();
  const lines = Array.from({ length: 20_000 }, (_, at) => `line ${at}\n`);
  for (const line of lines) output.write(line);
  let received = '';
  await until('it is all there', () => {
    received += read();
    return received.endsWith('line 19999\n');
  });
  t.ok(received === lines.join(''));
  t.same(told, []);
});

t.test('lines of one moment are one write', async (t) => {
  const { output, openReader } = await makePipe(t, O_WRONLY | O_NONBLOCK);
  const read = openReader();
  const writes = t.capture(fs, 'write', fs.write);
  for (let line = 0; line < 100; line++) output.write(`line ${line}\n`);
  let received = '';
  await until('they are there', () => {
    received += read();
    return received.endsWith('line 99\n');
  });
  t.equal(writes().length, 1);
});

t.test('the end waits for what is not written yet, but for no reader that has stopped', async (t) => {
  const { output, openReader } = await makePipe(t, O_WRONLY | O_NONBLOCK);
  const read = openReader();
  output.write('first\n');
  output.write('second\n');
  await output.flush();
  t.equal(read(), 'first\nsecond\n');
  output.write('x'.repeat(2 ** 17));
  output.write('x'.repeat(2 ** 17));
  await output.flush();
  t.pass('it gives up a reader that does not read');
  hearErrors(t);
  const broken = openOutput(openSync('/dev/full', 'w'));
  broken.write('first\n');
  broken.write('second\n');
  await broken.flush();
  t.pass('and a full disk');
});

/** Makes a disk that has room for 64 KiB. @returns its folder */
async function makeDisk(t: Test): Promise<string> {
  const disk = join(await makeFolder(t), 'disk');
  await mkdir(disk);
  await run('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', disk]);
  t.teardown(() => run('umount', ['--lazy', disk]));
  return disk;
}

/** What console.error is given from now on. */
function hearErrors(t: Test): string[] {
  const told: string[] = [];
  t.capture(console, 'error', (text: string) => {
    told.push(text);
  });
  return told;
}

/** A pipe whose readers come and go. */
async function makePipe(t: Test, flags: number) {
  const path = join(await makeFolder(t), 'pipe');
  await run('mkfifo', [path]);
  // A pipe can be opened for writing only while somebody reads.
  const reader = openSync(path, O_RDONLY | O_NONBLOCK);
  const writer = openSync(path, flags);
  closeSync(reader);
  const openReader = () => {
    const descriptor = openSync(path, O_RDONLY | O_NONBLOCK);
    t.teardown(() => closeSync(descriptor));
    const buffer = Buffer.alloc(2 ** 20);
    return () => {
      try {
        return buffer.toString('utf8', 0, readSync(descriptor, buffer));
      } catch {
        // Nothing is there now.
        return '';
      }
    };
  };
  return { output: openOutput(writer), openReader };
}
