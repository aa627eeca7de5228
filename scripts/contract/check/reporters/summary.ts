/** Writes the last lines of a report. */
import { relative } from 'node:path';
import type { Caller } from '../../kit/command.js';
import type { Report } from '../check.js';
import { unseenLines } from '../verdict/coverage.js';

/** Facts that are not faults: notes, and what was not seen. */
export function remarks({ notes, unseen }: Report): string[] {
  return [...notes.map((note) => `note: ${note}`), ...unseenLines(unseen)];
}

export function summary({ findings, requests, cases, seconds, url, file, interrupted }: Report): string {
  const name = relative(process.cwd(), file);
  const verdict =
    findings.length > 0
      ? `${url.href} does not keep ${name}: ${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}`
      : `${url.href} keeps ${name}`;
  const effort = `${cases} cases, ${requests} requests, ${seconds.toFixed(1)} s`;
  return `${interrupted ? 'Interrupted. So far ' : ''}${verdict}. ${effort}.`;
}

/** The command that repeats the run. */
export function repeatLine({ url, seed, generated, file }: Report, caller: Caller): string {
  const contract = file === caller.contract ? '' : ` --contract ${relative(process.cwd(), file)}`;
  return `${caller.command} --url ${url.href}${contract} --seed ${seed} --cases ${generated}`;
}
