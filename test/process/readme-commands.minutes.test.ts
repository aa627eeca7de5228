import { spawn } from 'node:child_process';
import { chmod, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { projectFolder } from '../../packages/kit/index.js';
import { missing } from '../../packages/kit/testing.js';
import { startService } from '../../packages/service/test/support/service.js';

/** Pastes the README's commands into an interactive shell, which must understand each of them. */

t.setTimeout(300_000);
const readme = await readFile(join(projectFolder, 'README.md'), 'utf8');
const blocks = Array.from(readme.matchAll(/^```sh\n(.*?)^```$/gms), ([, block = '']) => block);
const { scripts }: { scripts: Record<string, string> } = JSON.parse(
  await readFile(join(projectFolder, 'package.json'), 'utf8'),
);
const { address, tokens } = await startService(t);

/** A stand-in for npm that records its words, and prints a token if asked for one. */
const npm = `#!/bin/sh
{ printf '<%s>' "$@"; echo; } >> "$CALLS"
case "$*" in *' issue alice '*) echo "$ALICE" ;; *' issue '*) echo plant_x ;; esac
`;

/** Ignores personal startup files. Interactive zsh treats "#" as a word, and fails on unmatched globs. */
const shells = { zsh: ['-f', '-i'], bash: ['--norc', '--noprofile', '-i'] };

/** @returns the output of the shell and its commands, and the calls of npm, one a line */
async function paste(t: Test, shell: keyof typeof shells, commands: string) {
  const folder = t.testdir({ npm, calls: '' });
  await chmod(join(folder, 'npm'), 0o755);
  const calls = join(folder, 'calls');
  const child = spawn(shell, shells[shell], {
    cwd: folder,
    env: {
      ...process.env,
      PATH: `${folder}${delimiter}${process.env['PATH']}`,
      CALLS: calls,
      ALICE: await tokens.issue('alice'),
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(commands.replaceAll('http://127.0.0.1:3000', address));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { out, err, calls: await readFile(calls, 'utf8') };
}

for (const shell of ['zsh', 'bash'] as const) {
  t.test(`the README's commands work in ${shell}`, { skip: missing(shell) || missing('curl') }, async (t) => {
    const { out, err, calls } = await paste(t, shell, blocks.join(''));
    t.notMatch(err, /not found|no matches|parse error|syntax error|unmatched|curl: /i);
    for (const call of calls.trimEnd().split('\n')) {
      const [, script = ''] = /^<(?:run><(?:--silent><)?)?([\w:]+)>/.exec(call) ?? [];
      t.ok(script === 'ci' || script in scripts, call);
      t.notMatch(call, '#', `no comment arrives as a word: ${call}`);
    }
    t.match(out, /^\{.*\}\n\[\{.*\}\]\nHTTP\/1\.1 204 /m, 'created, listed, deleted: an answer on each line');
  });
}
