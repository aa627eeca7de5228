import t from 'tap';
import { UsageError } from '../../../contract-tools/base.js';
import { readTask } from '../../src/survive/command-line.js';
import { isSound, toText } from '../../src/survive/report.js';
import type { Report } from '../../src/survive/survive.js';

t.test('the command line', async (t) => {
  const task = readTask(['--seconds', '7200', '--seed', '7', '--only', 'node is killed']);
  t.strictSame(task, {
    seconds: 7_200,
    seed: 7,
    only: ['node is killed'],
    replicas: 1,
    pgbouncer: undefined,
    embedded: false,
    gardens: false,
    hostile: false,
  });
  t.match(readTask([]), { seconds: 60, only: [], embedded: false });
  t.match(readTask(['--replicas', '2', '--pgbouncer', '/usr/sbin/pgbouncer']), {
    replicas: 2,
    pgbouncer: '/usr/sbin/pgbouncer',
  });
  t.match(readTask(['--gardens']), { gardens: true });
  t.match(readTask(['--hostile']), { hostile: true });
});

t.test('a wrong command line is told what is wrong', async (t) => {
  const wrong: Record<string, string[]> = {
    '--seconds is "0": it must be a whole number from 1 to 86400.': ['--seconds', '0'],
    '--replicas is "17": it must be a whole number from 1 to 16.': ['--replicas', '17'],
    '--embedded excludes --replicas and --pgbouncer.': ['--embedded', '--replicas', '2'],
    '--hostile and --seconds exclude each other.': ['--hostile', '--seconds', '9'],
  };
  for (const [message, args] of Object.entries(wrong)) {
    t.throws(() => readTask(args), new UsageError(message));
  }
  t.throws(() => readTask(['--only', 'an earthquake']), /there are only these faults:\n {2}node is killed\n/);
  t.throws(() => readTask(['--minutes', '1']), UsageError);
});

const faultResult = {
  fault: 'node is killed',
  longest: 900,
  servedAgain: 800,
  refused: 2,
  unknown: 3,
  isNoticed: false,
};
const sound: Report = {
  seed: 1,
  seconds: 60,
  faultResults: [faultResult, { ...faultResult, longest: 1_500 }],
  skipped: [],
  owners: 12,
  counts: { statuses: new Map([[200, 5]]), writes: 4, lists: 1, silent: 0, refused: 2, unknown: 3 },
  anomalies: [],
  crashes: [],
};

t.test('a report', async (t) => {
  t.ok(isSound(sound));
  const text = toText(sound);
  t.match(text, '| node is killed | 2 | 1.50 (worst 1.50) | 0.80 (worst 0.80) | 4 | 6 |');
  t.match(text, '0 lost, 0 doubled, 0 wrong, 0 outside the contract.');
});

t.test('a report of what was lost, not served again, or noticed', async (t) => {
  const lost: Report = { ...sound, anomalies: [{ harm: 'lost', text: 'owner-1: id 7', times: 2 }] };
  t.notOk(isSound(lost));
  t.match(toText(lost), 'lost: owner-1: id 7 (2 times)\n1 lost, 0 doubled');
  const down: Report = { ...sound, faultResults: [{ ...faultResult, servedAgain: undefined }] };
  t.notOk(isSound(down));
  t.match(toText(down), 'not served again: node is killed');
  const crashed: Report = { ...sound, crashes: ['RangeError: out of range'] };
  t.notOk(isSound(crashed));
  t.match(toText(crashed), 'ended by itself: RangeError: out of range');
  const noticed: Report = { ...sound, faultResults: [{ ...faultResult, isNoticed: true }] };
  t.notOk(isSound(noticed));
  t.match(toText(noticed), 'noticed by clients: node is killed');
});
