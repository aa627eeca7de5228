/** The process that an attack is carried out against. It is started for this attack alone. */

import type { Scope } from '../../../../contract-tools/base.js';
import { Cleanup, type Command, isAlive, Server, send } from '../../../../kit/index.js';
import { insertPlants } from '../../plants.js';
import type { Postgres } from '../postgres.js';

/** The number of owners who attack. Another one creates meanwhile. */
export const attackers = 6;
export const ownersOfAttack = attackers + 1;

/** One of the attackers. */
export interface Attacker {
  readonly name: string;
  readonly token: string;
}

export class Target {
  readonly port: number;
  readonly attackers: readonly Attacker[];
  /** The token of the owner who creates meanwhile. */
  readonly otherToken: string;
  readonly #server: Server;
  readonly #postgres: Postgres;
  readonly #ends: Cleanup;

  private constructor(server: Server, postgres: Postgres, owners: readonly Attacker[], ends: Cleanup) {
    this.port = Number(new URL(server.address).port);
    this.attackers = owners.slice(0, attackers);
    this.otherToken = owners[attackers]?.token ?? '';
    this.#server = server;
    this.#postgres = postgres;
    this.#ends = ends;
  }

  /**
   * @param owners there must be `ownersOfAttack` of them
   * @param settings of the service
   * @throws {ProgramError} if the service does not start
   */
  static async start(
    cleanup: Scope,
    command: Command,
    postgres: Postgres,
    owners: readonly Attacker[],
    settings?: Readonly<Record<string, string>>,
  ): Promise<Target> {
    const ends = new Cleanup();
    cleanup.teardown(() => ends.run());
    const server = await Server.start(ends, command, postgres.url, settings);
    return new Target(server, postgres, owners, ends);
  }

  /**
   * The first attacker, for attacks that need only one.
   *
   * @throws {Error} if there are no owners
   */
  get attacker(): Attacker {
    const [first] = this.attackers;
    if (first === undefined) throw new Error('This attack has no owner.');
    return first;
  }

  /**
   * Stores this many plants for each of these owners, without the service. Each takes about 1 KB of a list.
   */
  async store(count: number, owners: readonly Attacker[]): Promise<void> {
    await this.#postgres.asAdmin((admin) =>
      admin.query(
        insertPlants(
          `SELECT owner, id, repeat('🌵', 240)
           FROM unnest($1::text[]) AS owner, generate_series(1, $2::int) AS id`,
        ),
        [owners.map(({ name }) => name), count],
      ),
    );
  }

  async isRunning(): Promise<boolean> {
    const { pid } = this.#server;
    return pid !== undefined && isAlive(pid);
  }

  askToEnd(): void {
    if (this.#server.pid !== undefined) send('SIGTERM', this.#server.pid);
  }

  /** Resolves when the process is gone, whatever ended it. */
  get ended(): Promise<unknown> {
    return this.#server.ended;
  }

  async stop(): Promise<void> {
    await this.#ends.run();
  }
}
