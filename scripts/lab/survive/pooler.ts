import { Pgbouncer } from '../../kit/pgbouncer.js';
import type { Scope } from '../../kit/scope.js';

/** A pgbouncer that faults may end. It is started again at once, as an operator's supervisor would do. */
export class Pooler {
  readonly #pgbouncer: Pgbouncer;
  #stopping = false;

  private constructor(pgbouncer: Pgbouncer) {
    this.#pgbouncer = pgbouncer;
  }

  static async start(cleanup: Scope, program: string, databaseUrl: string): Promise<Pooler> {
    const pooler = new Pooler(await Pgbouncer.start(cleanup, { program, databaseUrl }));
    const keeping = pooler.#keep();
    cleanup.teardown(async () => {
      pooler.#stopping = true;
      if (pooler.pid !== undefined) process.kill(pooler.pid, 'SIGKILL');
      await keeping;
    });
    return pooler;
  }

  get url(): string {
    return this.#pgbouncer.url;
  }

  get pid(): number | undefined {
    return this.#pgbouncer.pid;
  }

  async #keep(): Promise<void> {
    while (!this.#stopping) {
      await this.#pgbouncer.ended();
      // A fault may end the start, too.
      if (!this.#stopping) await this.#pgbouncer.start().catch(() => {});
    }
  }
}
