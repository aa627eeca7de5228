/** The program under fire. Whatever ends it, it is started again at once, as an operator's supervisor does. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Cleanup } from '../bench/cleanup.js';
import { ProgramError } from '../bench/programs.js';
import { type Command, type DatabaseChoice, Server } from '../bench/server.js';

const retryMs = 100;

export class Service {
  readonly #cleanup: Cleanup;
  readonly #command: Command;
  readonly #database: DatabaseChoice;
  #server: Server | undefined;
  #stopping = false;
  starts = 0;

  private constructor(cleanup: Cleanup, command: Command, database: DatabaseChoice) {
    this.#cleanup = cleanup;
    this.#command = command;
    this.#database = database;
  }

  /** @throws {ProgramError} if it does not start the first time */
  static async start(cleanup: Cleanup, command: Command, database: DatabaseChoice): Promise<Service> {
    const service = new Service(cleanup, command, database);
    await service.#start();
    const keeping = service.#keep();
    cleanup.add(async () => {
      service.#stopping = true;
      await service.#server?.stop();
      await keeping;
    });
    return service;
  }

  /** Undefined while it is not there. */
  get port(): number | undefined {
    return this.#server && Number(new URL(this.#server.address).port);
  }

  get pid(): number | undefined {
    return this.#server?.pid;
  }

  async #start(): Promise<void> {
    this.starts++;
    this.#server = await Server.start(this.#cleanup, this.#command, this.#database);
  }

  async #keep(): Promise<void> {
    while (!this.#stopping) {
      await this.#server?.ended;
      this.#server = undefined;
      if (this.#stopping) return;
      try {
        await this.#start();
      } catch (error) {
        if (!(error instanceof ProgramError)) throw error;
        // Its database may be away.
        await pause(retryMs);
      }
    }
  }
}
