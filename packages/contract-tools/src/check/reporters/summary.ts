/** Writes the last lines of a report. */

import { relative } from 'node:path';
import type { Caller } from '../../base/run-command.js';
import type { Finding } from '../answers/findings.js';
import { unmade, unseenLines } from '../verdict/coverage.js';
import type { Report } from '../verdict/report.js';
import { notTaken } from '../verdict/untried.js';

/** Facts that are not faults: notes, and what was not seen. */
export function remarks({ notes, unseen }: Report): string[] {
  return [...notes.map((note) => `note: ${note}`), ...unseenLines(unseen)];
}

/** Begins with what was proved: a server keeps a document only if every operation was reached. */
export function summary(report: Report): string {
  const { findings, unreached, requests, cases, seconds, url, file, interrupted } = report;
  const name = relative(process.cwd(), file);
  const kept =
    unreached.length === 0 ? `${url.href} keeps ${name}` : `What was tried of ${url.href} keeps ${name}`;
  const verdict =
    findings.length > 0
      ? `${url.href} does not keep ${name}: ${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}`
      : kept;
  const effort = `${cases} cases, ${requests} requests, ${seconds.toFixed(1)} s`;
  return `${interrupted ? 'Interrupted. So far: ' : ''}${proved(report)} ${verdict}. ${effort}.`;
}

function proved({ operations, unreached }: Report): string {
  const all = operations === 1 ? '1 operation' : `${operations} operations`;
  if (unreached.length === 0) return `${operations} of ${all} answered a success.`;
  const missing = (['not reached', 'held back', 'cannot be sent'] as const).flatMap((kind) => {
    const those = unreached.filter((one) => one.kind === kind);
    const reasons = [...new Set(those.map(({ why }) => why))].map((reason) => {
      const names = those.filter(({ why }) => why === reason).map(({ operation }) => operation);
      return `${names.join(', ')} (${reason})`;
    });
    return reasons.length === 0 ? [] : `${kind}: ${reasons.join(', ')}`;
  });
  return `${operations - unreached.length} of ${all} answered a success; ${missing.join('; ')}.`;
}

/** The command that repeats the run. */
export function repeatLine({ url, seed, generated, file, headers, rules }: Report, caller: Caller): string {
  const contract = file === caller.contract ? '' : ` --contract ${relative(process.cwd(), file)}`;
  const options = [
    ...(rules.send ?? []).map((id) => ` --send '${id}'`),
    ...(rules.exclude ?? []).map((id) => ` --exclude '${id}'`),
    ...headers.map(({ name, shell }) => ` --header "${name}: ${shell}"`),
  ];
  return `${caller.command} --url ${url.href}${contract}${options.join('')} --seed ${seed} --cases ${generated}`;
}

/** The entry of a file of acceptances that lets one finding through, as YAML in one line. */
export function acceptanceFor({ id, operations, pointer, rule }: Finding): string {
  return JSON.stringify({ id, operations, pointer, what: rule });
}

/** What to do next, each once. */
export function nextSteps({ findings, notes, unreached }: Report): string[] {
  const isHeldBack = unreached.some(({ kind }) => kind === 'held back');
  const isRefused = unreached.some(({ kind, why }) => kind === 'not reached' && / answered 4\d\d/.test(why));
  const isUnmade = unreached.some(({ kind, why }) => kind === 'not reached' && why === unmade);
  const hasUnknownItems = notes.some((note) => note.startsWith(notTaken));
  return [
    ...(findings.length > 0
      ? [
          'mend the server or the document; --accept FILE lets one finding through, with its line "accept" in the file, and --exclude OPERATION leaves an operation out',
        ]
      : []),
    ...(isHeldBack ? ['--send OPERATION tries what is held back, if it may change what is there'] : []),
    ...(isRefused ? ['add an example of a request that the operation takes to the document'] : []),
    ...(isUnmade || hasUnknownItems
      ? ['write a link of OpenAPI from the answer that makes an item to the operation that reads it']
      : []),
  ].map((step) => `next: ${step}.`);
}
