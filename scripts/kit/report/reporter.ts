/** Chooses the form in which a tool reports its results: the option --reporter of check and diff. */
import { UsageError } from '../command.js';
import { annotations } from './annotations.js';
import { junit } from './junit.js';
import { markdown } from './markdown.js';
import type { Results } from './results.js';

const reporters = {
  text: ({ text }: Results) => text(),
  json: ({ json }: Results) => JSON.stringify(json(), undefined, 2),
  junit,
  github: annotations,
  markdown,
} satisfies Record<string, (results: Results) => string>;

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

/** @returns the report, without a line end */
export function report(name: ReporterName, results: Results): string {
  return reporters[name](results).trimEnd();
}
