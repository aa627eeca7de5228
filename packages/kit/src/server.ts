/** Starts a server as a process of its own, waits until it says that it is ready, and ends it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { open, readFile, writeFile } from 'node:fs/promises';
import type { Scope } from '../../contract-tools/base.js';
import { collect, end, lastLines, ProgramError } from './programs.js';
import { projectFolder } from './project.js';

const startTimeoutMs = 30_000;

/** The URL of a database, or the folder of the PostgreSQL that the service keeps itself. */
export type DatabaseChoice = string | { readonly folder: string };

/** A program, and its arguments. */
export interface Command {
  readonly file: string;
  readonly parameters: readonly string[];
  /** The working folder; by default that of the project. */
  readonly folder?: string;
}

/** A server's process, which listens on a free port of the loopback interface. */
export class Server {
  readonly address: string;
  /** Resolves when the process is gone, with its exit code; null if a signal ended it. */
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;
  readonly #errors: () => string;

  private constructor(child: ChildProcess, address: string, errors: () => string) {
    this.#child = child;
    this.#errors = errors;
    this.address = address;
    this.ended = new Promise((resolve) => {
      child.once('exit', resolve);
    });
  }

  /** The address of the port for operators; undefined if the server has none. */
  get adminAddress(): string | undefined {
    return /^ +admin +(\S+)\/metrics$/m.exec(this.#errors())?.[1];
  }

  /** The last lines that the process has written to stderr. */
  get lastWords(): string {
    return lastLines(this.#errors());
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /**
   * Starts a server, and ends it at the end of the scope.
   *
   * @param settings environment variables, beyond those that every server here gets
   * @param logFile by default /dev/null, because the log must not take the disk from PostgreSQL
   * @throws {ProgramError} if the server does not say within 30 s that it is ready
   */
  static async start(
    scope: Scope,
    { file, parameters, folder = projectFolder }: Command,
    database: DatabaseChoice,
    settings: Readonly<Record<string, string>> = {},
    logFile = '/dev/null',
  ): Promise<Server> {
    const log = await open(logFile, 'a');
    const child = spawn(file, parameters, {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        NODE_ENV: 'production',
        ...(typeof database === 'string' ? { DATABASE_URL: database } : { DATA_DIR: database.folder }),
        DRAIN_SECONDS: '0',
        PORT: '0',
        ...settings,
      },
      stdio: ['ignore', log.fd, 'pipe'],
    });
    scope.teardown(() => end(child));
    const errors = collect(child.stderr);
    const address = await readyLine(child, errors);
    await log.close();
    if (typeof address === 'string') return new Server(child, address, errors);
    await end(child);
    throw new ProgramError(
      `${parameters.at(-1) ?? file} did not start: ${address?.message ?? lastLines(errors())}`,
    );
  }

  async stop(): Promise<void> {
    await end(this.#child);
  }

  /** @returns the bytes of memory now, and at their peak since `resetPeak`; undefined if there is no /proc */
  async memory(): Promise<{ now: number; peak: number } | undefined> {
    const status = await readFile(`/proc/${this.#child.pid}/status`, 'utf8').catch(() => '');
    const [now, peak] = ['VmRSS', 'VmHWM'].map((name) =>
      Number(new RegExp(`^${name}:\\s+([0-9]+) kB$`, 'm').exec(status)?.[1]),
    );
    if (!now || !peak) return undefined;
    return { now: now * 1024, peak: peak * 1024 };
  }

  /** Sets the peak of memory to its present value: that is what writing 5 to clear_refs does (proc(5)). */
  async resetPeak(): Promise<void> {
    await writeFile(`/proc/${this.#child.pid}/clear_refs`, '5').catch(() => {});
  }
}

/**
 * @returns the address; the error if the program cannot be started; undefined if it ends, or takes too long
 */
function readyLine(child: ChildProcess, errors: () => string): Promise<string | Error | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), startTimeoutMs);
    const finish = (result?: string | Error) => {
      clearTimeout(timer);
      resolve(result);
    };
    child.stderr?.on('data', () => {
      const address = /ready at (\w+:\/\/\S+)\n/.exec(errors())?.[1];
      if (address !== undefined) finish(address);
    });
    child.on('error', finish);
    // The program's last words may come a moment after its end.
    child.once('exit', () => setTimeout(finish, 20));
  });
}
