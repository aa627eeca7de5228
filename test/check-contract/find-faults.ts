import t from 'tap';
import { readContract } from '../../scripts/codegen/read-contract.js';
import { BrokenServer } from '../../scripts/contract/faults/broken-server.js';
import { expectedOf, type Fault } from '../../scripts/contract/faults/fault-proxy.js';
import { contractFile } from '../../src/project.js';
import { makeDatabase } from '../support/postgres/database.js';

// Each fault takes about a second on an idle machine, and ten on a busy one.
t.setTimeout(600_000);

/**
 * Expects a run with default settings to find every fault, and to name the broken operation. A fault that is
 * known to be missed must not be found: when it is, its line in the tables is out of date. In a server without
 * a fault, nothing must be found.
 */
export async function findFaults(faults: readonly Fault[]): Promise<void> {
  const server = new BrokenServer(t, await readContract(contractFile), await makeDatabase(t));
  for (const fault of faults) {
    const expected = expectedOf(fault);
    const title = expected === 'missed' ? 'is known to miss a fault' : 'finds a fault';
    await t.test(`check:contract ${title}: ${fault.name}`, async (t) => {
      const { report, found } = await server.try(fault, 1);
      const findings = report.findings.map(({ operation, rule, did }) => `${operation}: ${rule}: ${did}`);
      if (expected === 'nothing') t.same(findings, []);
      else if (expected === 'missed') t.notOk(found, 'is found now: take isMissed away', { findings });
      else t.ok(found, `names ${fault.operation}`, { findings });
    });
  }
}
