/**
 * Runs test files as `tap run` does, but without tap's recorder of coverage, which takes half of a second of
 * processor time in each process that loads it. Writes TAP to stdout.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { projectFolder } from '../../src/project.js';
import { compiledFile } from './compiled.js';

const settings: { jobs: number; timeout: number } = parse(
  readFileSync(join(projectFolder, '.taprc'), 'utf8'),
);

t.jobs = settings.jobs;
t.setTimeout(0);
for (const file of process.argv.slice(2)) {
  // tap adds its recorder to NODE_OPTIONS of every process that it starts.
  const command = ['-u', 'NODE_OPTIONS', process.execPath, '--enable-source-maps'];
  t.spawn('/usr/bin/env', [...command, compiledFile(file)], {
    name: file,
    at: null,
    stack: '',
    buffered: true,
    timeout: settings.timeout * 1_000,
    // Without it, a test has 30 seconds.
    env: { ...process.env, TAP_TIMEOUT: String(settings.timeout) },
  });
}
