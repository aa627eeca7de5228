import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../src/project.js';
import type { Command } from './server.js';

/** Reads the options of Node.js from the script "start" of package.json. */
function startParameters(): string[] {
  const { scripts }: { scripts: { start: string } } = JSON.parse(
    readFileSync(join(projectFolder, 'package.json'), 'utf8'),
  );
  const [, parameters] = /\bexec node (.+)$/.exec(scripts.start) ?? [];
  if (parameters === undefined)
    throw new Error('The script "start" of package.json ends in no "exec node …".');
  return parameters.split(' ');
}

/** Starts the compiled service as `npm start` does. */
export const startCommand: Command = { file: process.execPath, parameters: startParameters() };
