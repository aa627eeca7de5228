/**
 * `npm run dev`: the server on the sources. Saving openapi/plants.yaml lints it, regenerates the types,
 * checks the project against them, restarts the server, and prints one verdict. Ctrl-C ends it all.
 */
import { watch } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { TokenStore } from '../src/access/token-store.js';
import { migrationFolders } from '../src/parts.js';
import { Database } from '../src/postgres/database.js';
import { startEmbedded } from '../src/postgres/embedded.js';
import { migrate } from '../src/postgres/migrations.js';
import { contractFile, projectFolder } from '../src/project.js';
import { readSettings } from '../src/settings.js';
import { explainFailure } from '../src/start-failure.js';
import { tryDatabase } from '../src/try-database.js';
import { Linter } from './dev/linter.js';
import { DevServer } from './dev/server.js';
import { TypeChecker } from './dev/type-checker.js';
import { type Verdict, Workbench } from './dev/workbench.js';

/** Milliseconds that the token printed at the start is good for. */
const tokenLifetime = 24 * 60 * 60 * 1000;
/** Milliseconds in which an editor is done with what it does to save one file. */
const settling = 15;

async function main(): Promise<void> {
  const ending = signalled();
  const { database } = readSettings();
  if (database.kind === 'url') await tryDatabase(database.url);
  const postgres =
    database.kind === 'url'
      ? { url: database.url, stop: async () => {} }
      : await startEmbedded(database.folder, (error) => console.error(explainFailure(error)));
  const linter = new Linter();
  const server = new DevServer(postgres.url);
  try {
    console.log(`token  ${await makeToken(postgres.url)} (owner "demo", good for one day)`);
    const workbench = new Workbench({
      contract: contractFile,
      types: join(projectFolder, 'generated', 'plants.ts'),
      linter,
      checker: new TypeChecker(),
    });
    await Promise.race([ending, work(workbench, server)]);
  } finally {
    await server.stop();
    await linter.stop();
    await postgres.stop();
  }
}

/** Resolves at Ctrl-C. The terminal tells the server, too, which is waited for. */
function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
  });
}

async function makeToken(url: string): Promise<string> {
  const database = new Database(url, () => {});
  try {
    await migrate(url, migrationFolders);
    return await new TokenStore(database).issue('demo', tokenLifetime);
  } finally {
    await database.close();
  }
}

/** One save after the other, for ever. What is saved meanwhile is looked at next. */
async function work(workbench: Workbench, server: DevServer): Promise<never> {
  const saves = new Saves();
  for (let save: Save = { contract: true, at: performance.now() }; ; save = await saves.next()) {
    if (save.contract) {
      const verdict = await workbench.judgeContract();
      print(relative(process.cwd(), contractFile), save, verdict);
      if (!verdict.changed || !verdict.runs) continue;
      server.restart();
    }
    const verdict = await workbench.judgeSources(() => saves.isWaiting);
    if (verdict === undefined) continue;
    print('the whole project', save, verdict);
    if (!save.contract && verdict.runs) server.restart();
  }
}

interface Save {
  /** Whether the contract was saved; else it was a source. */
  readonly contract: boolean;
  readonly at: number;
}

/** The saves that nobody has looked at, as one. */
class Saves {
  #waiting: Save | undefined;
  #wake = () => {};

  constructor() {
    // The folder and not the file: many editors save by putting a new file in the place of the old one.
    watch(dirname(contractFile), () => this.#add(true));
    watch(join(projectFolder, 'src'), { recursive: true }, () => this.#add(false));
  }

  #add(contract: boolean): void {
    const at = this.#waiting?.at ?? performance.now();
    this.#waiting = { contract: contract || this.#waiting?.contract === true, at };
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
}

function print(what: string, { at }: Save, { summary, details }: Verdict): void {
  console.log([`— ${what}: ${summary} [${Math.round(performance.now() - at)} ms]`, ...details].join('\n'));
}

try {
  await main();
} catch (error) {
  console.error(explainFailure(error));
  process.exitCode = 1;
}
process.exit();
