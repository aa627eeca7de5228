/**
 * Chooses the forms in which a tool reports its results: the options --reporter and --report of check and diff.
 *
 * Every text of the results may come from outside: from a contract of somebody else, or from a server's
 * answer. So each passes one function before a reporter gets it: it takes the credentials out, and makes
 * visible what a terminal or a workflow would obey (visible.ts). The reporters then escape only what their
 * own form needs. JSON is for programs, which want the text as it is, so there the escapes are those of JSON.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { visible } from '../../../../exact-json/index.js';
import { pathFrom, topFor } from '../repository.js';
import { UsageError } from '../run-command.js';
import { annotations } from './annotations.js';
import { jsonText } from './json-text.js';
import { junit } from './junit.js';
import { markdown } from './markdown.js';
import { filePlace, type Results, type Safe, type SafeResults } from './results.js';
import { sarif } from './sarif.js';

interface ServiceDefinition {
  readonly results: Results;
  readonly hide: (text: string) => string;
  readonly safe: Safe;
  readonly where: Where;
}

/** Where the document is that the results are about. */
export interface Where {
  /** The file of the document. */
  readonly contract: string;
  /** The folder from which reports for programs name files. */
  readonly top: string;
}

const reporters = {
  text: ({ results, safe }: ServiceDefinition) => results.text(safe).join('\n'),
  json: ({ results, hide }: ServiceDefinition) => jsonText(results.json(), hide),
  junit: (parts: ServiceDefinition) => junit(safeResults(parts)),
  github: (parts: ServiceDefinition) => annotations(safeResults(parts)),
  markdown: (parts: ServiceDefinition) => markdown(safeResults(parts)),
  sarif: (parts: ServiceDefinition) => sarif(safeResults(parts)),
} satisfies Record<string, (parts: ServiceDefinition) => string>;

export type ReporterName = keyof typeof reporters;

/**
 * The help of a tool says this of the options.
 *
 * @param margin as many spaces as there are before the explanations of the other options
 */
export function reportHelp(margin: string): string {
  const wide = margin.length + 4;
  return [
    `${'--reporter NAME'.padEnd(wide - 2)}text (the default), json, junit, github (annotations of a workflow), markdown or sarif`,
    `  ${'--report NAME:FILE'.padEnd(wide - 2)}the same in a file, beside what stdout has; as often as needed`,
  ].join('\n');
}

/** The reports that a run writes. */
export interface Reports {
  /** The one on stdout. */
  readonly reporter: ReporterName;
  readonly files: readonly { readonly reporter: ReporterName; readonly file: string }[];
}

/**
 * @param values of the options: `--report` is a list such as `junit:results.xml`
 * @throws {UsageError} if there is no such reporter, or no file
 */
export function readReports(values: { readonly reporter?: string; readonly report?: string[] }): Reports {
  const files = (values.report ?? []).map((text) => {
    const [, name = text, file = ''] = /^([^:]*):(.*)$/s.exec(text) ?? [];
    if (file === '')
      throw new UsageError(`--report is "${text}": write a form and a file, such as junit:results.xml.`);
    return { reporter: readReporter('report', name), file };
  });
  return { reporter: readReporter('reporter', values.reporter ?? 'text'), files };
}

function readReporter(option: string, name: string): ReporterName {
  if (isReporter(name)) return name;
  throw new UsageError(`--${option} is "${name}": it must be one of ${Object.keys(reporters).join(', ')}.`);
}

function isReporter(name: string): name is ReporterName {
  return Object.hasOwn(reporters, name);
}

/**
 * Prints the report of stdout, and writes those of the files.
 *
 * @param contract the file of the document, whose places the reports name
 * @param hide takes the credentials out of a text; by default there are none
 * @throws {UsageError} if a file cannot be written
 */
export async function writeReports(
  { reporter, files }: Reports,
  results: Results,
  contract: string,
  hide?: (text: string) => string,
): Promise<void> {
  const where = { contract, top: await topFor(contract) };
  console.log(report(reporter, results, where, hide));
  for (const { reporter: name, file } of files) {
    const text = `${stripVTControlCharacters(report(name, results, where, hide))}\n`;
    await mkdir(dirname(resolve(file)), { recursive: true })
      .then(() => writeFile(file, text))
      .catch((error: Error) => {
        throw new UsageError(`The report ${file} cannot be written (${error.message}): name another file.`);
      });
  }
}

/**
 * @param hide takes the credentials out of a text; by default there are none
 * @returns the report, without a line end
 */
export function report(
  name: ReporterName,
  results: Results,
  where: Where,
  hide = (text: string): string => text,
): string {
  const safe = (text: string): string => visible(hide(text));
  return reporters[name]({ results, hide, safe, where }).trimEnd();
}

function safeResults({ results, safe, where }: ServiceDefinition): SafeResults {
  const named = (file: string): string => safe(pathFrom(where.top, file));
  const items = results.items.map((item) => ({
    ...item,
    at: filePlace(item.place, named),
    operation: safe(item.operation),
    title: safe(item.title),
    place: safe(item.place),
    message: safe(item.message),
    details: item.details.map(safe),
  }));
  const { tool, remarks, conclusion } = results;
  return {
    tool,
    items,
    contract: named(where.contract),
    remarks: remarks.map(safe),
    conclusion: conclusion.map(safe),
  };
}
