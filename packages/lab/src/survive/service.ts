/** A process of the service that faults may end, and that is started again then. */

import type { Scope } from '../../../contract-tools/base.js';
import { Cleanup, type Command, type DatabaseChoice, Server } from '../../../kit/index.js';
import { keepRunning } from './keep-running.js';

export class Service {
  #server: Server | undefined;
  /** The last words of processes that ended by themselves, with an exit code that is not 0. */
  readonly crashes: string[] = [];

  private constructor() {}

  /**
   * @param settings environment variables, without those of the database
   * @throws {ProgramError} if it does not start the first time
   */
  static async start(
    scope: Scope,
    command: Command,
    database: DatabaseChoice,
    settings: Readonly<Record<string, string>> = {},
    logFile?: string,
  ): Promise<Service> {
    const service = new Service();
    const ends = new Cleanup();
    scope.teardown(() => ends.run());
    const start = async () => {
      service.#server = await Server.start(ends, command, database, settings, logFile);
    };
    await start();
    keepRunning(scope, {
      async ended() {
        const server = service.#server;
        // Faults end a process by a signal, after which it has no exit code or 0.
        if (await server?.ended) service.crashes.push(server?.lastWords ?? '');
        service.#server = undefined;
      },
      start,
      end: () => ends.run(),
    });
    return service;
  }

  /** The port on which it listens; undefined while it does not run. */
  get port(): number | undefined {
    return this.#server && Number(new URL(this.#server.address).port);
  }

  /** The id of its process; undefined while it does not run. */
  get pid(): number | undefined {
    return this.#server?.pid;
  }
}
