/** Runs the commands that pages for operators tell the reader to type. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import { projectFolder } from '../project.js';

/** A command in a block of sh, on one line. */
interface DocsCommand {
  readonly page: string;
  readonly text: string;
}

/** Lists the commands of some pages of docs/ and of all in docs/scale/, in the order of the text. */
export async function commandsForOperators(): Promise<DocsCommand[]> {
  const docs = join(projectFolder, 'docs');
  const names = (await readdir(join(docs, 'scale'))).filter((name) => name.endsWith('.md')).sort();
  const pages = [
    'postgresql.md',
    'operations/install.md',
    'scale.md',
    ...names.map((name) => join('scale', name)),
  ];
  const commands = await Promise.all(
    pages.map(async (page) => {
      const text = await readFile(join(docs, page), 'utf8');
      const blocks = Array.from(text.matchAll(/^```sh\n(.*?)^```/gms), ([, block = '']) => block);
      const lines = blocks.flatMap((block) => block.replaceAll('\\\n', '').split('\n'));
      return lines.filter((line) => line !== '').map((line) => ({ page, text: line }));
    }),
  );
  return commands.flat();
}

interface Followed {
  /** Returns what the command has printed so far, to stdout and to stderr. */
  output(): string;
  /** Resolves with the exit code; null if a signal ended the command. */
  readonly ended: Promise<number | null>;
  /** Ends the command and all that it started. */
  stop(): Promise<void>;
}

/** Runs a command as somebody would who types it in the project's folder. It is killed when the test ends. */
export function follow(t: Test, command: string, environment: NodeJS.ProcessEnv = {}): Followed {
  // tap's own variables would make a test out of each Node.js.
  const { NODE_OPTIONS, ...env } = process.env;
  const child = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', command], {
    cwd: projectFolder,
    env: { ...env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own: a signal reaches npm, and what npm started.
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  const ended = once(child, 'close').then(([code]): number | null => code);
  const signal = (name: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), name);
  };
  t.teardown(() => signal('SIGKILL'));
  return {
    ...{ output: () => output, ended },
    stop: async () => {
      signal('SIGTERM');
      await ended;
    },
  };
}
