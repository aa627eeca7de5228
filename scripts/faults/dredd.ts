/** Runs Dredd, with which this checker is compared, on the same broken servers. Not a dependency. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const version = '14';
/** Milliseconds. */
const timeouts = { install: 180_000, run: 60_000 };

/**
 * The hooks that Dredd's users need so that a correct server passes: transactions of errors are skipped,
 * because Dredd sends the one valid request for each; a charset that changes nothing is allowed.
 */
const hooks = `const hooks = require('hooks');
hooks.beforeEach((transaction) => {
  if (Number(transaction.expected.statusCode) >= 400) transaction.skip = true;
});
hooks.beforeEachValidation((transaction) => {
  const { headers } = transaction.real;
  if (headers['content-type']) headers['content-type'] = headers['content-type'].replace(/; *charset=utf-8$/i, '');
});
`;

export interface Verdict {
  readonly found: boolean;
  /** The first line that Dredd printed about a failure. */
  readonly line: string;
}

export class Dredd {
  readonly #folder: string;
  #usual: string | undefined;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Installs Dredd into a folder of its own. @returns undefined if the installation fails */
  static async install(): Promise<Dredd | undefined> {
    const folder = await mkdtemp(join(tmpdir(), 'dredd-'));
    await writeFile(join(folder, 'package.json'), '{"private":true}');
    await writeFile(join(folder, 'hooks.js'), hooks);
    const dredd = new Dredd(folder);
    const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', `dredd@${version}`];
    await run('npm', install, folder, timeouts.install);
    if (existsSync(dredd.#program)) return dredd;
    await dredd.remove();
    return undefined;
  }

  get #program(): string {
    return join(this.#folder, 'node_modules', 'dredd', 'bin', 'dredd');
  }

  /** Records what Dredd says of the unbroken server: only other output counts as a find. */
  async learn(contract: string, url: URL, token: string): Promise<string> {
    this.#usual = await this.#failures(contract, url, token);
    return this.#usual;
  }

  async try(contract: string, url: URL, token: string): Promise<Verdict> {
    const failures = await this.#failures(contract, url, token);
    return { found: failures !== this.#usual, line: failures.split('\n')[0] ?? '' };
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true });
  }

  async #failures(contract: string, url: URL, token: string): Promise<string> {
    const args = [
      ...[this.#program, contract, url.href],
      ...['--header', `Authorization: Bearer ${token}`, '--hookfiles=./hooks.js'],
      ...['--color=false', '--loglevel=error'],
    ];
    const output = await run(process.execPath, args, this.#folder, timeouts.run);
    const lines = output
      .split('\n')
      .filter((line) => /^(fail|error|body|headers|statusCode): ?\S/.test(line));
    return [...new Set(lines.map((line) => line.replace(/ duration: \d+ms/, '')))].join('\n');
  }
}

/** Returns what Dredd prints; its exit code says nothing more. */
function run(program: string, args: readonly string[], cwd: string, timeout: number): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd, timeout, maxBuffer: 64 * 1024 * 1024 }, (_error, stdout) =>
      resolve(stdout),
    );
  });
}
