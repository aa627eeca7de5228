/**
 * Chooses the form in which a tool reports its results: the option --reporter of check and diff.
 *
 * Every text of the results may come from outside: from a contract of somebody else, or from a server's
 * answer. So each passes one function before a reporter gets it: it takes the credentials out, and makes
 * visible what a terminal or a workflow would obey (visible.ts). The reporters then escape only what their
 * own form needs. JSON is for programs, which want the text as it is, so there the escapes are those of JSON.
 */
import { visible } from '../../../../exact-json/index.js';
import { UsageError } from '../run-command.js';
import { annotations } from './annotations.js';
import { jsonText } from './json-text.js';
import { junit } from './junit.js';
import { markdown } from './markdown.js';
import type { Results, Safe, SafeResults } from './results.js';

interface ServiceDefinition {
  readonly results: Results;
  readonly hide: (text: string) => string;
  readonly safe: Safe;
}

const reporters = {
  text: ({ results, safe }: ServiceDefinition) => results.text(safe).join('\n'),
  json: ({ results, hide }: ServiceDefinition) => jsonText(results.json(), hide),
  junit: (parts: ServiceDefinition) => junit(safeResults(parts)),
  github: (parts: ServiceDefinition) => annotations(safeResults(parts)),
  markdown: (parts: ServiceDefinition) => markdown(safeResults(parts)),
} satisfies Record<string, (parts: ServiceDefinition) => string>;

export type ReporterName = keyof typeof reporters;

/** The help of a tool says this of the option. */
export const reporterHelp = `--reporter NAME   text (the default), json, junit, github (annotations of a workflow), or markdown`;

/**
 * @param name the value of the option; by default `text`
 * @throws {UsageError} if there is no such reporter
 */
export function readReporter(name = 'text'): ReporterName {
  if (isReporter(name)) return name;
  throw new UsageError(`--reporter is "${name}": it must be one of ${Object.keys(reporters).join(', ')}.`);
}

function isReporter(name: string): name is ReporterName {
  return Object.hasOwn(reporters, name);
}

/**
 * @param hide takes the credentials out of a text; by default there are none
 * @returns the report, without a line end
 */
export function report(name: ReporterName, results: Results, hide = (text: string): string => text): string {
  const safe = (text: string): string => visible(hide(text));
  return reporters[name]({ results, hide, safe }).trimEnd();
}

function safeResults({ results, safe }: ServiceDefinition): SafeResults {
  const items = results.items.map((item) => ({
    ...item,
    operation: safe(item.operation),
    title: safe(item.title),
    place: safe(item.place),
    message: safe(item.message),
    details: item.details.map(safe),
  }));
  const { tool, remarks, conclusion } = results;
  return { tool, items, remarks: remarks.map(safe), conclusion: conclusion.map(safe) };
}
