/** An attack by an operator: the process is told to end while clients are at work. No request may fail. */
import { setTimeout as pause } from 'node:timers/promises';
import { Connection, headerValues } from '../../../../../contract-tools/base.js';
import type { Attack, AttackResult } from '../attack.js';
import { create, urlOf } from '../request.js';
import { attackers, type Target } from '../target.js';
import { codeOrMessage, inSeconds, tally } from '../words.js';

const clients = 48;
const busyMs = 1_000;
const drainMs = 2_000;
const patienceMs = 20_000;
/** New clients come in the first half of the drain, because a load balancer notices late. */
const arrivals = { everyMs: 20, count: drainMs / 2 / 20 };
/** The number of ids that belong to each client alone. */
const idsOfEach = 1_000_000;

export const endingAttacks: readonly Attack[] = [
  {
    name: `SIGTERM, while ${clients} clients create on connections that they keep, and others connect`,
    promise: `no request fails, and the process ends within ${inSeconds(patienceMs)}`,
    endsServer: true,
    settings: { DRAIN_SECONDS: String(drainMs / 1_000) },
    carryOut: async (target) => new Shutdown(target).carryOut(),
  },
];

class Shutdown {
  readonly #target: Target;
  /** A result for each request that was in flight at SIGTERM or sent after it, and for each that failed. */
  readonly #results: string[] = [];
  #hasBegun = false;
  #isOver = false;

  constructor(target: Target) {
    this.#target = target;
  }

  async carryOut(): Promise<AttackResult> {
    const kept = Array.from({ length: clients }, (_, number) => this.#createUntilToldToClose(number));
    await pause(busyMs);
    this.#hasBegun = true;
    this.#target.askToEnd();
    const arriving = this.#arrive();
    const hasEnded = await Promise.race([
      this.#target.ended.then(() => true),
      pause(patienceMs, false, { ref: false }),
    ]);
    this.#isOver = true;
    await Promise.all([...kept, arriving]);
    const failed = this.#results.filter((result) => result !== '200');
    const count = this.#results.length;
    const saw =
      failed.length === 0
        ? `none of ${count} requests failed`
        : `${failed.length} of ${count} requests failed: ${tally(failed)}`;
    return {
      saw: hasEnded ? saw : `${saw}; the process has not ended after ${inSeconds(patienceMs)}`,
      isAsPromised: hasEnded && failed.length === 0 && count > 0,
    };
  }

  /** Creates until an answer says "Connection: close": a load balancer would then ask another server. */
  async #createUntilToldToClose(number: number): Promise<void> {
    await this.#connect(async (connection) => {
      for (let id = number * idsOfEach; !this.#isOver; id++) {
        if (!(await this.#create(connection, id))) return;
      }
    });
  }

  /** Sends the clients that a load balancer would send here until it has noticed. */
  async #arrive(): Promise<void> {
    const creates: Promise<void>[] = [];
    for (let number = 0; number < arrivals.count; number++) {
      const id = clients * idsOfEach + number;
      creates.push(
        this.#connect(async (connection) => {
          await this.#create(connection, id);
        }),
      );
      await pause(arrivals.everyMs);
    }
    await Promise.all(creates);
  }

  async #connect(work: (connection: Connection) => Promise<void>): Promise<void> {
    let connection: Connection | undefined;
    try {
      connection = await Connection.open(urlOf(this.#target.port));
      await work(connection);
    } catch (error) {
      this.#record(codeOrMessage(error));
    } finally {
      connection?.close();
    }
  }

  /** @returns whether the connection may be used again */
  async #create(connection: Connection, id: number): Promise<boolean> {
    const { port, attackers: owners, attacker } = this.#target;
    const { token } = owners[id % attackers] ?? attacker;
    const answer = await connection.exchange(create(id, token), urlOf(port));
    const isAnnounced = headerValues(answer, 'connection').some((value) => /\bclose\b/i.test(value));
    const isSilentEnd = answer.status === 200 && !answer.reusable && !isAnnounced;
    this.#record(isSilentEnd ? 'closed without saying so' : String(answer.status));
    return answer.reusable;
  }

  #record(result: string): void {
    if (this.#hasBegun || result !== '200') this.#results.push(result);
  }
}
