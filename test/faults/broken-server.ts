/**
 * Starts a server that one fault breaks, and lets the checker loose on it. The server is a real service or a
 * model of another contract, which keeps its contract. The fault is in a proxy in front of it. So the server
 * is started once for many faults, and each fault is certainly the only one. A plain server is started with
 * its fault instead.
 */

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { gardenService } from '../../examples/gardens/garden-service.js';
import type { Scope } from '../../packages/contract-tools/base.js';
import {
  type Fault,
  type Served,
  servePlain,
  type Trial,
  tryFault,
} from '../../packages/contract-tools/faults.js';
import { type ApiDocument, readDocument } from '../../packages/contract-tools/index.js';
import { projectFolder } from '../../packages/kit/index.js';
import {
  type Contract,
  makeLog,
  makeToken,
  type ServiceDefinition,
  type TokenStore,
} from '../../packages/service/layer.js';
import { type RunningService, serveOn } from '../../packages/service/test/support/running-service.js';
import { readContract } from '../../packages/service-tools/index.js';
import { plantStore } from '../../src/plant-store.js';
import { startModel } from './models.js';

export const gardensFile = join(projectFolder, 'examples', 'gardens', 'openapi', 'gardens.yaml');

/** The real services, and servers of other contracts, each to be broken in one way after the other. */
export class BrokenServer {
  readonly #scope: Scope;
  readonly #contract: Contract;
  readonly #databaseUrl: string;
  readonly #gardens: Contract | undefined;
  readonly #services = new Map<ServiceDefinition, Promise<RunningService>>();

  /**
   * @param databaseUrl the database in which the real services keep their items
   * @param gardens the contract of the gardens; if left out, as it stands in examples/gardens/
   */
  constructor(scope: Scope, contract: Contract, databaseUrl: string, gardens?: Contract) {
    this.#scope = scope;
    this.#contract = contract;
    this.#databaseUrl = databaseUrl;
    this.#gardens = gardens;
  }

  /**
   * Runs the checker with new owners, until its first finding.
   *
   * @param cases the number of cases to generate for each operation; by default as many as usual
   * @throws {CannotCheckError} if the fault keeps the checker from trying anything
   */
  async try(fault: Fault, seed: number, cases?: number): Promise<Trial> {
    return tryFault(await this.#serve(fault), fault, seed, cases);
  }

  async #serve({ service: name = 'plants', ofServer }: Fault): Promise<Served> {
    if (name === 'plants') return this.#serveReal(plantStore, this.#contract);
    if (name === 'gardens')
      return this.#serveReal(gardenService, this.#gardens ?? (await readContract(gardensFile)));
    if (name === 'repairs' || name === 'exhibits') return servePlain(this.#scope, name, ofServer);
    const tokens = { first: makeToken(), second: makeToken(), spare: makeToken() };
    const { contract, url } = await startModel(this.#scope, name, Object.values(tokens));
    return { document: documentOf(contract), url, tokens: { ...tokens, revoked: makeToken() } };
  }

  async #serveReal(parts: ServiceDefinition, contract: Contract): Promise<Served> {
    const running =
      this.#services.get(parts) ??
      serveOn(this.#scope, this.#databaseUrl, { parts, contract, log: makeLog('silent') });
    this.#services.set(parts, running);
    const { address, tokens: store } = await running;
    const issue = (owner: string): Promise<string> => store.issue(`${owner} ${randomUUID()}`);
    const tokens = {
      first: await issue('first'),
      second: await issue('second'),
      spare: await issue('spare'),
      revoked: await issueRevoked(store),
    };
    return { document: documentOf(contract), url: new URL(address), tokens };
  }
}

function documentOf({ text, file }: Contract): ApiDocument {
  return readDocument(text, file);
}

async function issueRevoked(tokens: TokenStore): Promise<string> {
  const owner = randomUUID();
  const token = await tokens.issue(owner);
  await tokens.revokeAll(owner);
  return token;
}
