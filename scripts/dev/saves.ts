import { once } from 'node:events';
import { basename, dirname, join, sep } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import { contractFile, projectFolder } from '../../src/project.js';

/** What was saved since somebody looked, as one. */
export interface Save {
  readonly contract: boolean;
  /** Whether a file was saved that is type-checked, or that the server is made of. */
  readonly sources: boolean;
  /** Whether the server is made of what was saved. */
  readonly service: boolean;
  /** When the first of it was saved, as `performance.now()` has it. */
  readonly at: number;
}

/** Milliseconds in which an editor is done with what it does to save one file. */
const settling = 15;
const service = join(projectFolder, 'src');
const checked = ['scripts', 'test', 'examples'].map((folder) => join(projectFolder, folder));

export class Saves {
  // Not fs.watch: on Linux, its recursive form loses a file that another takes the place of (Node.js 20).
  readonly #watcher: FSWatcher = watch([dirname(contractFile), service, ...checked], {
    ignoreInitial: true,
  });
  #waiting: Save | undefined;
  #wake = () => {};

  /** From here on, no save is missed. */
  static async start(): Promise<Saves> {
    const saves = new Saves();
    await once(saves.#watcher, 'ready');
    // The system's events: of changes of one file within 50 ms, chokidar's own tell the first only.
    saves.#watcher.on('raw', (_event, name, details) => saves.#see(pathOf(name, details)));
    // A file can be in a new folder before that is watched.
    saves.#watcher.on('add', (path) => saves.#see(path));
    return saves;
  }

  #see(path: string): void {
    const contract = path === contractFile;
    const ofService = path.startsWith(service + sep) && /\.(?:css|js|sql|ts)$/.test(path);
    const sources = ofService || path.endsWith('.ts');
    if (contract || sources) {
      this.add({ contract, sources: !contract && sources, service: ofService, at: performance.now() });
    }
  }

  /** Also for what was interrupted, and is still to be done. */
  add(save: Save): void {
    const waiting = this.#waiting ?? save;
    this.#waiting = {
      contract: waiting.contract || save.contract,
      sources: waiting.sources || save.sources,
      service: waiting.service || save.service,
      at: waiting.at,
    };
    setTimeout(() => this.#wake(), settling);
  }

  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

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

/** Of an event of the system, which names a file in the folder that is watched, or that file itself. */
function pathOf(name: string, details: unknown): string {
  const hasPath = typeof details === 'object' && details !== null && 'watchedPath' in details;
  const watched = hasPath ? String(details.watchedPath) : '';
  return basename(watched) === name ? watched : join(watched, name);
}
