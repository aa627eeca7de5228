import { randomUUID } from 'node:crypto';
import type { Test } from 'tap';
import { check, type Report } from '../../scripts/check/check.js';
import type { Contract } from '../../src/contract/document.js';
import { type Service, startService } from '../support/service.js';
import { type Fault, startFaultProxy, type World } from './fault-proxy.js';

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

  /** @param databaseUrl a database of the tests' own, where none is given */
  static async start(
    t: Pick<Test, 'teardown'>,
    contract: Contract,
    databaseUrl?: string,
  ): Promise<BrokenServer> {
    return new BrokenServer(
      await startService(t, databaseUrl === undefined ? {} : { databaseUrl }),
      contract,
    );
  }

  /** Runs the checker as it runs by default, but for its end at the first finding, against new owners. */
  async try(fault: Fault, seed: number): Promise<Trial> {
    return this.#broken(fault, async (url, { first, second }) => {
      const report = await check({
        contract: this.#contract,
        url,
        token: { text: first, shell: '$PLANTS_TOKEN' },
        otherToken: { text: second, shell: '$PLANTS_OTHER_TOKEN' },
        seed,
        failFast: true,
      });
      const found = report.findings.some(({ operation }) => names(operation, fault.operation));
      return { report, found };
    });
  }

  /** The same for another tool, which has one token. */
  withTool<Result>(fault: Fault, use: (url: URL, token: string) => Promise<Result>): Promise<Result> {
    return this.#broken(fault, (url, { first }) => use(url, first));
  }

  async #broken<Result>(
    fault: Fault,
    use: (url: URL, tokens: World['tokens']) => Promise<Result>,
  ): Promise<Result> {
    const issue = (owner: string): Promise<string> => this.#service.tokens.issue(`${owner} ${randomUUID()}`);
    const tokens = {
      first: await issue('first'),
      second: await issue('second'),
      spare: await issue('spare'),
    };
    const proxy = await startFaultProxy(new URL(this.#service.address), fault.start({ tokens }));
    try {
      return await use(proxy.url, tokens);
    } finally {
      await proxy.close();
    }
  }
}

/** A fault outside the contract's operations is named by a method and the beginning of a path. */
function names(reported: string, expected: string): boolean {
  return expected.includes(' ') ? reported.startsWith(expected) : reported === expected;
}
