import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { Cleanup } from '../../scripts/bench/cleanup.js';
import { memoryPlace } from '../../scripts/bench/memory/control-groups.js';
import { MemoryGroup, NoMemoryGroupError } from '../../scripts/bench/memory/memory-group.js';
import { createBeside } from '../../scripts/bench/memory/other-owner.js';

const megabyte = 1e6;

t.test('a memory cgroup is made below the own one, in either version', async (t) => {
  const first =
    '35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n' +
    '41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n';
  const both = '9:name=systemd:/\n4:memory:/jobs/7\n0::/\n';
  const place = { version: 1, top: '/sys/fs/cgroup/memory', folder: '/sys/fs/cgroup/memory/jobs/7' };
  t.strictSame(memoryPlace(both, first), place, 'a machine with both uses version 1');
  const second = '30 25 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n';
  t.equal(memoryPlace('0::/user.slice\n', second)?.folder, '/sys/fs/cgroup/user.slice');
  const container = '35 31 0:32 /docker/1 /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n';
  t.equal(memoryPlace('4:memory:/docker/1\n', container)?.folder, '/sys/fs/cgroup/memory');
  t.equal(memoryPlace('', ''), undefined, 'another system than Linux');
});

t.test('a memory cgroup ends a process that takes more than its limit, and tells the peak', async (t) => {
  const cleanup = new Cleanup();
  t.teardown(() => cleanup.run());
  let group: MemoryGroup;
  try {
    group = await MemoryGroup.open(cleanup, 100 * megabyte);
  } catch (error) {
    if (!(error instanceof NoMemoryGroupError)) throw error;
    t.pass(error.message);
    return;
  }
  const take = async (megabytes: number) => {
    const program = `Buffer.alloc(${megabytes * megabyte}, 1)`;
    const { file, parameters } = group.command({ file: process.execPath, parameters: ['-e', program] });
    const [code, signal] = await once(spawn(file, parameters), 'exit');
    return code ?? signal;
  };
  t.equal(await take(20), 0);
  t.equal(await group.kills(), 0);
  t.ok((await group.peak()) > 20 * megabyte);
  t.equal(await take(200), 'SIGKILL');
  t.equal(await group.kills(), 1);
  // The kernel counts whole pages.
  t.ok((await group.peak()) > 99 * megabyte);
  t.ok((await group.peak()) <= 100 * megabyte);
  await group.remove();
});

t.test(
  'another owner creates on while a create hangs or breaks, and these count with their time',
  async (t) => {
    const end = new AbortController();
    const all: ServerResponse[] = [];
    const answers: ((response: ServerResponse) => unknown)[] = [
      () => 'hangs',
      (response) => response.destroy(),
      (response) => response.writeHead(503, { 'Content-Length': 0 }).end(),
      (response) => response.writeHead(200, { 'Content-Length': 0 }).end(),
    ];
    const server = createServer((_, response) => {
      answers[all.push(response) - 1]?.(response);
      if (all.length < answers.length) return;
      end.abort();
      all[0]?.destroy();
    });
    t.teardown(() => server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    // A server on a TCP port has such an address.
    const { port } = server.address() as AddressInfo;
    const { carriedOut, answered, longest } = await createBeside(
      `http://127.0.0.1:${port}`,
      'token',
      end.signal,
    );
    t.strictSame({ carriedOut, answered }, { carriedOut: 25, answered: 50 });
    t.ok(longest > 200, 'three creates at ten a second came after the one that hung');
  },
);
