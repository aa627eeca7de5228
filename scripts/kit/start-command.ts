import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../src/project.js';
import type { Command } from './server.js';

/** The options of Node.js in the script "start". */
function startParameters(): string[] {
  const { scripts }: { scripts: { start: string } } = JSON.parse(
    readFileSync(join(projectFolder, 'package.json'), 'utf8'),
  );
  const [, parameters] = /\bexec node (.+)$/.exec(scripts.start) ?? [];
  if (parameters === undefined)
    throw new Error('The script "start" of package.json ends in no "exec node …".');
  return parameters.split(' ');
}

/** The service as `npm start` runs it, once it is compiled. */
export const startCommand: Command = { file: process.execPath, parameters: startParameters() };
