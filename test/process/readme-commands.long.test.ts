import { spawn } from 'node:child_process';
import { chmod, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { projectFolder } from '../../src/project.js';
import { startService } from '../support/service.js';
import { missing } from '../support/tools.js';

/** The README's blocks of commands, as pasted into an interactive shell: each word arrives as it is meant. */

t.setTimeout(300_000);
const readme = await readFile(join(projectFolder, 'README.md'), 'utf8');
const blocks = Array.from(readme.matchAll(/^```sh\n(.*?)^```$/gms), ([, block = '']) => block);
const { address, tokens } = await startService(t);

/** Writes down its words, and answers as `npm run token` does. */
const npm = `#!/bin/sh
{ printf '<%s>' "$@"; echo; } >> "$CALLS"
case "$*" in *' issue alice '*) echo "$ALICE" ;; *' issue '*) echo plant_x ;; esac
`;

/** Without the files of whoever runs this. Interactive zsh has neither comments nor words that match no file. */
const shells = { zsh: ['-f', '-i'], bash: ['--norc', '--noprofile', '-i'] };

/** @returns what the shell and its commands print, and the calls of npm, one a line */
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
  t.test(shell, { skip: missing(shell) || missing('curl') }, async (t) => {
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
      '<run><bench>',
    ]);
    t.match(
      out,
      /^\{"name":"Monstera deliciosa","tag":"climber"\}\n\[\{"name":"Monstera deliciosa","tag":"climber"\}\]\nHTTP\/1\.1 204 [^{[]*\r\n\r\n/m,
      'each answer on a line of its own',
    );
  });
}
