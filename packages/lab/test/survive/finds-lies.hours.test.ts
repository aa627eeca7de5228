import t from 'tap';
import { Cleanup } from '../../../kit/index.js';
import type { InjectedFault } from '../../src/survive/faults/injected-fault.js';
import { faults } from '../../src/survive/faults.js';
import { isSound, toText } from '../../src/survive/report.js';
import { gardens, plants } from '../../src/survive/subject.js';
import { survive } from '../../src/survive/survive.js';

const named = (...names: string[]): readonly InjectedFault[] =>
  faults.filter(({ name }) => names.includes(name));

const unknownOutcomes = named(
  'the postmaster is killed',
  'the network to PostgreSQL halves what it carries, and resets for 0.5 s',
);

/** By lie, the faults under which it shows. */
const lies: Record<string, readonly InjectedFault[]> = {
  'answers before the commit': named('node is killed', 'the table is locked for 2 s'),
  'takes an unknown outcome for a success': unknownOutcomes,
  'takes an unknown outcome for a refusal': unknownOutcomes,
  'rolls back what it acknowledges': named('a backend is asked to end'),
  'creates again what was deleted': named('a backend is asked to end'),
  'lets PostgreSQL answer before the commit is durable': named('the postmaster is killed'),
};

const seconds = 15;
const program = ['--import', import.meta.resolve('tsx'), 'packages/lab/test/survive/lying-service.ts'];

for (const [lie, under] of Object.entries(lies)) {
  t.test(`it finds a service that ${lie}`, async (t) => {
    const cleanup = new Cleanup();
    t.teardown(() => cleanup.run());
    const command = { file: process.execPath, parameters: [...program, lie] };
    const report = await survive({ command, seconds, seed: 1, faults: under }, cleanup);
    t.notOk(isSound(report));
    const harms = new Set(report.anomalies.map(({ harm }) => harm));
    t.ok(harms.has('lost') || harms.has('doubled'), 'it says what was lost or doubled');
  });
}

for (const { subject, file } of [
  { subject: plants, file: 'packages/lab/test/survive/lying-service.ts' },
  { subject: gardens, file: 'examples/gardens/main.ts' },
]) {
  t.test(`it finds nothing at the ${subject.table} as they are, under the same faults`, async (t) => {
    const cleanup = new Cleanup();
    t.teardown(() => cleanup.run());
    const command = { file: process.execPath, parameters: ['--import', import.meta.resolve('tsx'), file] };
    const all = [...new Set(Object.values(lies).flat())];
    const report = await survive({ command, subject, seconds: 2 * seconds, seed: 1, faults: all }, cleanup);
    t.ok(isSound(report), 'nothing is lost, doubled or wrong', { report: toText(report) });
    t.ok(report.counts.writes > 0);
  });
}
