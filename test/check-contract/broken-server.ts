import type { Test } from 'tap';
import { check, type Report } from '../../scripts/check/check.js';
import type { Contract } from '../../src/contract/document.js';
import { type Service, startService } from '../support/service.js';
import { type Fault, startFaultProxy } from './fault-proxy.js';

export interface Trial {
  readonly report: Report;
  /** Whether the report names the operation that is broken. */
  readonly found: boolean;
}

/** The real service, to be broken in one way after the other. */
export class BrokenServer {
  readonly #service: Service;
  readonly #contract: Contract;

  private constructor(service: Service, contract: Contract) {
    this.#service = service;
    this.#contract = contract;
  }

  static async start(t: Pick<Test, 'teardown'>, contract: Contract): Promise<BrokenServer> {
    return new BrokenServer(await startService(t), contract);
  }

  /** Runs the checker as it runs by default, but for its end at the first finding, against new owners. */
  async try(fault: Fault, seed: number): Promise<Trial> {
    const { tokens, address } = this.#service;
    const [first, second, spare] = await Promise.all(
      ['first', 'second', 'spare'].map((owner) => tokens.issue(`${owner} of ${fault.name}`)),
    );
    if (first === undefined || second === undefined || spare === undefined) throw new Error('no tokens');
    const proxy = await startFaultProxy(new URL(address), fault.start({ tokens: { first, second, spare } }));
    try {
      const report = await check({
        contract: this.#contract,
        url: proxy.url,
        token: { text: first, shell: '$PLANTS_TOKEN' },
        otherToken: { text: second, shell: '$PLANTS_OTHER_TOKEN' },
        seed,
        failFast: true,
      });
      const found = report.findings.some(({ operation }) => names(operation, fault.operation));
      return { report, found };
    } finally {
      await proxy.close();
    }
  }
}

/** A fault outside the contract's operations is named by a method and the beginning of a path. */
function names(reported: string, expected: string): boolean {
  return expected.includes(' ') ? reported.startsWith(expected) : reported === expected;
}
