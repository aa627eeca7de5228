/**
 * A process of the service that faults may end. It is started again at once, as an operator's supervisor
 * would do.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Cleanup } from '../../kit/cleanup.js';
import { ProgramError } from '../../kit/programs.js';
import type { Scope } from '../../kit/scope.js';
import { type Command, type DatabaseChoice, Server } from '../../kit/server.js';

const retryMs = 100;

/** Environment variables of the service, without those of its database. */
type Settings = Readonly<Record<string, string>>;

export class Service {
  /** Ends the processes, each of which would otherwise be replaced. */
  readonly #ends = new Cleanup();
  readonly #command: Command;
  readonly #database: DatabaseChoice;
  readonly #settings: Settings;
  readonly #logFile: string | undefined;
  #server: Server | undefined;
  #stopping = false;
  starts = 0;

  private constructor(command: Command, database: DatabaseChoice, settings: Settings, logFile?: string) {
    this.#command = command;
    this.#database = database;
    this.#settings = settings;
    this.#logFile = logFile;
  }

  /** @throws {ProgramError} if it does not start the first time */
  static async start(
    cleanup: Scope,
    command: Command,
    database: DatabaseChoice,
    settings: Settings = {},
    logFile?: string,
  ): Promise<Service> {
    const service = new Service(command, database, settings, logFile);
    let keeping: Promise<void> | undefined;
    cleanup.teardown(async () => {
      service.#stopping = true;
      await service.#ends.run();
      await keeping;
    });
    await service.#start();
    keeping = service.#keep();
    return service;
  }

  /** The port on which it listens; undefined while it does not run. */
  get port(): number | undefined {
    return this.#server && Number(new URL(this.#server.address).port);
  }

  get pid(): number | undefined {
    return this.#server?.pid;
  }

  async #start(): Promise<void> {
    this.starts++;
    this.#server = await Server.start(
      this.#ends,
      this.#command,
      this.#database,
      this.#settings,
      this.#logFile,
    );
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
        // The start fails while a fault keeps its database away.
        await pause(retryMs);
      }
    }
  }
}
