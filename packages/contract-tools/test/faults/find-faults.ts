import t from 'tap';
import { expectedOf, type Fault } from '../../faults/fault-proxy.js';
import type { Trial } from '../../faults/trial.js';

// Each fault takes about a second on an idle machine, and ten on a busy one.
t.setTimeout(600_000);

/**
 * Expects a run with default settings to find every fault, and to name the broken operation. A fault that is
 * known to be missed must not be found: when it is, its line in the tables is out of date. In a server without
 * a fault, nothing must be found.
 *
 * @param tryIt runs the checker against a server with this fault
 */
export async function findEach(
  faults: readonly Fault[],
  tryIt: (fault: Fault) => Promise<Trial>,
): Promise<void> {
  for (const fault of faults) {
    const expected = expectedOf(fault);
    const title = expected === 'missed' ? 'is known to miss a fault' : 'finds a fault';
    await t.test(`check:contract ${title}: ${fault.name}`, async (t) => {
      const { report, found, harm } = await tryIt(fault);
      const findings = report.findings.map(({ operation, rule, did }) => `${operation}: ${rule}: ${did}`);
      if (expected === 'nothing') {
        t.same(findings, []);
        t.same(harm, [], 'what others have is as it was');
      } else if (expected === 'missed') t.notOk(found, 'is found now: take isMissed away', { findings });
      else t.ok(found, `names ${fault.operation}`, { findings });
    });
  }
}
