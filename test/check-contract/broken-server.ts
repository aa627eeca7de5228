import { randomUUID } from 'node:crypto';
import type { Test } from 'tap';
import { check, type Report } from '../../scripts/check/check.js';
import { makeToken } from '../../src/access/token.js';
import type { Contract } from '../../src/contract/document/document.js';
import { type Service, startService } from '../support/service.js';
import { type Fault, type ServiceName, startFaultProxy, type World } from './fault-proxy.js';
import { library } from './models/library.js';
import { meters } from './models/meters.js';
import { notes } from './models/notes.js';
import type { Model } from './models/server.js';
import { widerPlants } from './models/wider-plants.js';

const models: Readonly<Record<Exclude<ServiceName, 'plants'>, () => Promise<Model>>> = {
  'wider plants': widerPlants,
  library,
  meters,
  notes,
};

export interface Trial {
  readonly report: Report;
  /** Whether the report names the operation that is broken. */
  readonly found: boolean;
}

interface Served {
  readonly contract: Contract;
  readonly url: URL;
  readonly tokens: World['tokens'];
}

/** The real service, and servers of other contracts, each to be broken in one way after the other. */
export class BrokenServer {
  readonly #t: Pick<Test, 'teardown'>;
  readonly #contract: Contract;
  readonly #databaseUrl: string | undefined;
  #service: Promise<Service> | undefined;

  private constructor(t: Pick<Test, 'teardown'>, contract: Contract, databaseUrl: string | undefined) {
    this.#t = t;
    this.#contract = contract;
    this.#databaseUrl = databaseUrl;
  }

  /** @param databaseUrl if it is left out, the service gets a database of its own */
  static async start(
    t: Pick<Test, 'teardown'>,
    contract: Contract,
    databaseUrl?: string,
  ): Promise<BrokenServer> {
    return new BrokenServer(t, contract, databaseUrl);
  }

  /** Runs the checker with its defaults against new owners, but stops at the first finding. */
  async try(fault: Fault, seed: number): Promise<Trial> {
    return this.#broken(fault, async (url, { first, second, revoked }, contract) => {
      const report = await check({
        contract,
        url,
        token: { text: first, shell: '$PLANTS_TOKEN' },
        otherToken: { text: second, shell: '$PLANTS_OTHER_TOKEN' },
        revokedToken: { text: revoked, shell: '$PLANTS_REVOKED_TOKEN' },
        seed,
        failFast: true,
      });
      const found = report.findings.some(({ operation }) => names(operation, fault.operation));
      return { report, found };
    });
  }

  /** Runs another tool, which takes one token, against the same broken server. */
  withTool<Result>(fault: Fault, use: (url: URL, token: string) => Promise<Result>): Promise<Result> {
    return this.#broken(fault, (url, { first }) => use(url, first));
  }

  async #broken<Result>(
    fault: Fault,
    use: (url: URL, tokens: World['tokens'], contract: Contract) => Promise<Result>,
  ): Promise<Result> {
    const { contract, url, tokens } = await this.#serve(fault.service ?? 'plants');
    const proxy = await startFaultProxy(url, fault.start({ tokens }));
    try {
      return await use(proxy.url, tokens, contract);
    } finally {
      await proxy.close();
    }
  }

  async #serve(name: ServiceName): Promise<Served> {
    if (name === 'plants') return this.#servePlants();
    const model = await models[name]();
    const tokens = { first: makeToken(), second: makeToken(), spare: makeToken() };
    const url = await model.start(this.#t, Object.values(tokens));
    return { contract: model.contract, url, tokens: { ...tokens, revoked: makeToken() } };
  }

  async #servePlants(): Promise<Served> {
    const options = this.#databaseUrl === undefined ? {} : { databaseUrl: this.#databaseUrl };
    this.#service ??= startService(this.#t, options);
    const service = await this.#service;
    const issue = (owner: string): Promise<string> => service.tokens.issue(`${owner} ${randomUUID()}`);
    const tokens = {
      first: await issue('first'),
      second: await issue('second'),
      spare: await issue('spare'),
      revoked: await issueRevoked(service),
    };
    return { contract: this.#contract, url: new URL(service.address), tokens };
  }
}

async function issueRevoked({ tokens }: Service): Promise<string> {
  const owner = randomUUID();
  const token = await tokens.issue(owner);
  const record = (await tokens.list()).find((one) => one.owner === owner);
  if (record !== undefined) await tokens.revoke(record.id);
  return token;
}

/** A fault outside the contract's operations is expected by its method and the beginning of its path. */
function names(reported: string, expected: string): boolean {
  return expected.includes(' ') ? reported.startsWith(expected) : reported === expected;
}
