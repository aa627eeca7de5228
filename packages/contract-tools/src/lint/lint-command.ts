/** Runs the command lint-contract: prints what Redocly's rules and the tools' own have against a document. */
import { relative, resolve } from 'node:path';
import { withExcerpts } from '../../../exact-json/index.js';
import { type Caller, contractOf, exitCodeOf, parseArguments, refuseMore } from '../base/run-command.js';
import { consumerNames, consumersOf, trapWarnings } from './consumers.js';
import { type Linted, lineOf } from './contract-linters.js';
import { onePerFault } from './lint-faults.js';

interface LintResult extends Linted {
  /** What the linters do not look at: a sentence a line; undefined if there is none. */
  readonly otherFaults: string | undefined;
}

/** Who lints: a project with rules of its own. */
export interface LintCaller extends Caller {
  /** Lists the rules, for the help. */
  readonly rules: string;
  lint(file: string): Promise<LintResult>;
}

function helpFor({ command, contract, rules }: LintCaller): string {
  return `Usage: ${command} ${contract === undefined ? 'FILE' : '[FILE]'}

Checks a document of OpenAPI 3.0, 3.1 or 3.2${contract === undefined ? '' : ', by default openapi/plants.yaml,'} against ${rules}.
Prints a line for each problem.

The file of rules beside the document, for my.yaml my.rules.yaml, may name the tools of its consumers:

  consumers: [prism, hey-api]

Then it also prints a warning for each part of the document that such a tool was seen to read otherwise than its author
means it. The names are ${consumerNames.join(', ')}.

  --help   this text

Exit code: 0 if the document keeps every rule, with warnings or without; 1 if it does not; 2 if it, or the file of rules,
could not be read.`;
}

/** @returns the exit code: 0 if the document keeps every rule, 1 if it does not, 2 if it could not be read */
export function lintCommand(args: readonly string[], caller: LintCaller): Promise<number> {
  return exitCodeOf({ help: helpFor(caller), args, main: () => main(args, caller) });
}

async function main(args: readonly string[], caller: LintCaller): Promise<number> {
  const { positionals } = parseArguments({ args: [...args], allowPositionals: true });
  refuseMore(positionals, 1);
  const file = resolve(contractOf(positionals[0], caller));
  const consumers = await consumersOf(file);
  const { problems, notes, otherFaults, document } = await caller.lint(file);
  const warnings = document === undefined ? [] : trapWarnings(document, consumers);
  for (const problem of [...onePerFault(problems), ...warnings, ...notes]) console.log(lineOf(problem));
  if (otherFaults !== undefined) console.log(withExcerpts(otherFaults));
  if (problems.length > 0 || otherFaults !== undefined) return 1;
  console.log(`${relative(process.cwd(), file)} keeps every rule.`);
  return 0;
}
