/**
 * Runs `npm run dev`: the server on the sources. At a save of openapi/plants.yaml, the contract is linted,
 * the types are generated and checked, the server restarts, and one verdict is printed (docs/dev.md). All
 * saves since the last verdict are judged together.
 */
import { relative } from 'node:path';
import { runCommand } from '../../../contract-tools/base.js';
import { startEmbedded } from '../../../embedded-postgres/index.js';
import {
  Database,
  explainFailure,
  migrate,
  readSettings,
  TokenStore,
  tokenMigrations,
  tryDatabase,
} from '../../../service/layer.js';
import { explainServiceCommand } from '../npm/explain.js';
import { contractFile, generatedFolder } from '../project.js';
import { Committed } from './committed.js';
import { Linter } from './linter.js';
import { type Save, Saves } from './saves.js';
import { DevServer } from './server.js';
import { TypeChecker } from './type-checker.js';
import { type Verdict, Workbench } from './workbench.js';

const tokenLifetimeMs = 24 * 60 * 60 * 1000;

const help = `Usage: npm run dev

Runs the server from the sources, with the settings of the environment. At every save of the YAML in openapi/ it lints the
document, generates and checks the types, restarts, and prints one verdict. docs/dev.md of the plant store says more.

  --help   this text

Exit code: 0 after Ctrl-C; 2 if it could not start.`;

async function main(): Promise<number> {
  const ending = signalled();
  const { database } = readSettings();
  if (database.kind === 'url') await tryDatabase(database.url);
  const postgres =
    database.kind === 'url'
      ? { url: database.url, stop: async () => {} }
      : await startEmbedded(database.folder, (error, message) =>
          console.error(error === undefined ? message : explainFailure(error)),
        );
  const linter = new Linter();
  const server = new DevServer(postgres.url);
  const saves = await Saves.start();
  try {
    console.log(`token  ${await makeToken(postgres.url)} (owner "demo", good for one day)`);
    const workbench = new Workbench({
      contract: contractFile,
      generated: generatedFolder,
      committed: new Committed(contractFile),
      linter,
      checker: new TypeChecker(),
    });
    await Promise.race([ending, work(workbench, server, saves)]);
    return 0;
  } finally {
    await saves.stop();
    await server.stop();
    await linter.stop();
    await postgres.stop();
  }
}

/** Resolves at Ctrl-C. The terminal also sends the signal to the server. */
function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
  });
}

async function makeToken(url: string): Promise<string> {
  const database = new Database(url, () => {});
  try {
    // Only the migration that tokens need. The server applies the others if they fit the contract.
    await migrate(url, [tokenMigrations]);
    return await new TokenStore(database).issue('demo', tokenLifetimeMs);
  } finally {
    await database.close();
  }
}

/** Judges one save after the other. Files that are saved during a verdict are the next save. */
async function work(workbench: Workbench, server: DevServer, saves: Saves): Promise<never> {
  const start = { contract: true, sources: false, service: false, at: performance.now() };
  for (let save: Save = start; ; save = await saves.next()) {
    let isStale = save.service;
    if (save.contract) {
      const verdict = await workbench.judgeContract();
      print(relative(process.cwd(), contractFile), save, verdict);
      if (verdict.changed && verdict.runs) {
        server.restart();
        isStale = false;
      } else if (!save.sources) continue;
    }
    const verdict = await workbench.judgeSources(() => saves.isWaiting);
    if (verdict === undefined) {
      saves.add({ contract: false, sources: true, service: isStale, at: performance.now() });
      continue;
    }
    print('the whole project', save, verdict);
    if (isStale && verdict.runs) server.restart();
  }
}

function print(what: string, { at }: Save, { summary, details }: Verdict): void {
  console.log([`— ${what}: ${summary} [${Math.round(performance.now() - at)} ms]`, ...details].join('\n'));
}

await runCommand({ help, main, explain: explainServiceCommand });
process.exit();
