/**
 * The rules are what a run demands beyond OpenAPI and HTTP. Both leave much to a server: another one may read
 * "007" as 7, or answer 404 where this project's service answers 405. A contract that promises more says so
 * in a file beside it: the rules of `openapi/plants.yaml` stand in `openapi/plants.rules.yaml`, one line for
 * each rule. Without such a file, only OpenAPI and HTTP hold.
 */

import type { Acceptance } from '../../base/acceptances.js';
import { commonRules, type RuleName, sentences } from '../../document/rule-table.js';
import { type RulesFile, readRulesFile } from '../../document/rules-file.js';
import { loadChecks, type NamedCheck } from './own-checks.js';

export interface Rules {
  readonly on: ReadonlySet<string>;
  /** The file in which a line turns a rule on or off. */
  readonly file: string | undefined;
  /** The operations that are sent although they may change what the checker has not made. */
  readonly send?: readonly string[] | undefined;
  /** The operations that are left out. */
  readonly exclude?: readonly string[] | undefined;
  /** Headers that each request has, as "Name: value". */
  readonly header?: readonly string[] | undefined;
  /** The findings that may pass. */
  readonly accept?: readonly Acceptance[] | undefined;
  /** What the user's own functions say of each answer. */
  readonly checks?: readonly NamedCheck[] | undefined;
}

/** This project promises all of them. */
export const allRules: Rules = { on: new Set(Object.keys(sentences)), file: undefined };

/**
 * Reads the rules from the file beside the contract. If there is none, only `commonRules` are on.
 *
 * @throws {ContractError} if the file is not YAML, or a line of it is neither a rule nor names consumers
 * @throws {CannotCheckError} if the user's own checks cannot be loaded
 */
export async function readRules(contractFile: string): Promise<Rules> {
  const { file, rules, checks, ...choices } = await readRulesFile(contractFile);
  const on = new Set<string>(Object.keys(commonRules));
  for (const [name, isOn] of rules) {
    if (isOn) on.add(name);
    else on.delete(name);
  }
  return { on, file, ...choices, checks: checks === undefined ? [] : await loadChecks(checks, file) };
}

/** Turns one rule on, whatever the file says. */
export function withRule(rules: Rules, name: RuleName): Rules {
  return { ...rules, on: new Set([...rules.on, name]) };
}

/** Adds what the command line says to what the file says. */
export function withChoices(
  rules: Rules,
  { send, exclude, header, accept }: Required<Omit<RulesFile, 'file' | 'rules' | 'consumers' | 'checks'>>,
): Rules {
  return {
    ...rules,
    send: [...(rules.send ?? []), ...send],
    exclude: [...(rules.exclude ?? []), ...exclude],
    header: [...(rules.header ?? []), ...header],
    accept: [...(rules.accept ?? []), ...accept],
  };
}

/** One sentence about the rules that do not hold; undefined if all do. */
export function rulesThatAreOff({ on, file }: Rules): string | undefined {
  const off = Object.keys(sentences).filter((name) => !on.has(name));
  if (off.length === 0) return undefined;
  return `Rules that are off: ${off.join(', ')}. A line such as "${off[0]}: on" in ${file ?? 'the rules file'} turns one on.`;
}

/** The rule in words, for the sentence of a finding. */
export function sentenceOf(rule: RuleName): string {
  return `${sentences[rule]} (rule ${rule})`;
}
