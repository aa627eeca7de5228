import { spawn } from 'node:child_process';
import { chmod, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { projectFolder } from '../../src/project.js';
import { startService } from '../support/service.js';
import { missing } from '../support/tools.js';

/** Pastes the README's commands into an interactive shell: each word must arrive as written. */

t.setTimeout(300_000);
const readme = await readFile(join(projectFolder, 'README.md'), 'utf8');
const blocks = Array.from(readme.matchAll(/^```sh\n(.*?)^```$/gms), ([, block = '']) => block);
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
    t.ok(blocks.length > 5, 'the README has blocks');
    const { out, err, calls } = await paste(t, shell, blocks.join(''));
    t.notMatch(err, /not found|no matches|parse error|syntax error|unmatched|curl: /i);
    t.same(calls.trimEnd().split('\n'), [
      '<ci>',
      '<start>',
      '<ci>',
      '<test>',
      '<run><--silent><token><--><issue><alice><--expires-in><30d>',
      '<run><--silent><token><--><issue><first><--expires-in><1h>',
      '<run><--silent><token><--><issue><second><--expires-in><1h>',
      `<run><check:contract><--><--url><${address}>`,
      '<run><survive>',
      '<run><bench>',
    ]);
    t.match(
      out,
      /^\{"name":"Monstera deliciosa","tag":"climber"\}\n\[\{"name":"Monstera deliciosa","tag":"climber"\}\]\nHTTP\/1\.1 204 [^{[]*\r\n\r\n/m,
      'each answer on a line of its own',
    );
  });
}
