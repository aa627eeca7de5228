/** Watches the contract and the sources, and turns bursts of file events into saves. */
import { once } from 'node:events';
import { basename, dirname, join, sep } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import { contractFile, projectFolder } from '../project.js';

/** All files that were saved since the last call of `next`, as one save. */
export interface Save {
  readonly contract: boolean;
  /** Whether a saved file is type-checked or part of the server. */
  readonly sources: boolean;
  /** Whether a saved file is part of the server. */
  readonly service: boolean;
  /** The time of the first file in milliseconds, by `performance.now()`. */
  readonly at: number;
}

/** An editor has finished saving a file after this time. */
const settlingMs = 15;
const service = ['src', 'packages'].map((folder) => join(projectFolder, folder));
const checked = ['scripts', 'test', 'examples'].map((folder) => join(projectFolder, folder));

export class Saves {
  // Not fs.watch: on Linux, its recursive form loses a file that is replaced by another (Node.js 20).
  readonly #watcher: FSWatcher = watch([dirname(contractFile), ...service, ...checked], {
    ignoreInitial: true,
  });
  #waiting: Save | undefined;
  #wake = () => {};

  /** Watches the files. Once it resolves, no save is missed. */
  static async start(): Promise<Saves> {
    const saves = new Saves();
    await once(saves.#watcher, 'ready');
    // Raw events, because chokidar's own report only the first of several changes within 50 ms.
    saves.#watcher.on('raw', (_event, name, details) => saves.#see(pathOf(name, details)));
    // A new folder may have files before it is watched.
    saves.#watcher.on('add', (path) => saves.#see(path));
    return saves;
  }

  #see(path: string): void {
    const contract = path === contractFile;
    const ofService =
      service.some((folder) => path.startsWith(folder + sep)) && /\.(?:css|js|sql|ts)$/.test(path);
    const sources = ofService || path.endsWith('.ts');
    if (contract || sources) {
      this.add({ contract, sources: !contract && sources, service: ofService, at: performance.now() });
    }
  }

  /**
   * Adds to the save that waits. A check that was interrupted, and must be repeated, counts as a save, too.
   */
  add(save: Save): void {
    const waiting = this.#waiting ?? save;
    this.#waiting = {
      contract: waiting.contract || save.contract,
      sources: waiting.sources || save.sources,
      service: waiting.service || save.service,
      at: waiting.at,
    };
    setTimeout(() => this.#wake(), settlingMs);
  }

  /** Whether `next` would resolve at once. */
  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  /** Waits for the next save. */
  async next(): Promise<Save> {
    while (this.#waiting === undefined) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const save = this.#waiting;
    this.#waiting = undefined;
    return save;
  }

  async stop(): Promise<void> {
    await this.#watcher.close();
  }
}

/** A raw event names a file in the watched folder, or the watched file itself. */
function pathOf(name: string, details: unknown): string {
  const hasPath = typeof details === 'object' && details !== null && 'watchedPath' in details;
  const watched = hasPath ? String(details.watchedPath) : '';
  return basename(watched) === name ? watched : join(watched, name);
}
