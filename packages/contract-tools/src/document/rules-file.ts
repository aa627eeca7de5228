/**
 * The file of rules beside a document: that of `openapi/plants.yaml` is `openapi/plants.rules.yaml`. The check
 * reads which rules hold from it, and lint for which consumers it warns of traps. Both refuse a line that
 * neither of them knows, because a misspelt one would otherwise be no rule, and nobody would see it.
 */
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { ContractError, type JsonValue } from '../../../exact-json/index.js';
import { type Acceptance, acceptancesIn } from '../base/acceptances.js';
import { nearestTo } from './nearest.js';
import { ruleTable } from './rule-table.js';
import { readYaml } from './yaml.js';

/** The lines that are lists of texts. All but `consumers` are also options of the check. */
const lists = ['consumers', 'send', 'exclude', 'header'] as const;
const names = [...lists, 'accept', 'checks', ...ruleTable.map(({ name }) => name)];

/** What a line may look like, for the message about one that is no list. */
const examples: Readonly<Record<(typeof lists)[number], string>> = {
  consumers: 'prism, hey-api',
  send: 'POST /caches/empty',
  exclude: 'POST /caches/empty',
  header: '"X-Tenant: one"',
};

export interface RulesFile {
  readonly file: string;
  /** Whether each rule that has a line is on. */
  readonly rules: ReadonlyMap<string, boolean>;
  /** The tools of the line `consumers`, as they are written. */
  readonly consumers: readonly string[];
  /** The operations that the check sends although they may change what it has not made. */
  readonly send: readonly string[];
  /** The operations that the check leaves out. */
  readonly exclude: readonly string[];
  /** Headers that each request of the check has, as "Name: value". */
  readonly header: readonly string[];
  /** The findings of the check that may pass. */
  readonly accept: readonly Acceptance[];
  /** The path of a module with checks of the user's own, from the folder of the file. */
  readonly checks: string | undefined;
}

/**
 * @returns no rules and no consumers if there is no such file, or nothing but comments in it
 * @throws {ContractError} if the file is not YAML, or a line of it is neither a rule nor names consumers
 */
export async function readRulesFile(contractFile: string): Promise<RulesFile> {
  const file = contractFile.replace(/(\.[a-z]+)?$/i, '.rules.yaml');
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const isEmpty = text.split('\n').every((line) => /^\s*(?:#|$)/.test(line));
  if (isEmpty)
    return {
      ...{ file, rules: new Map(), consumers: [], send: [], exclude: [], header: [], accept: [] },
      checks: undefined,
    };
  const { value, place } = readYaml(
    text,
    relative(process.cwd(), file),
    'a file of rules is a map: write lines such as "path-case: on"',
  );
  const listAt = (name: (typeof lists)[number]): string[] => {
    const list = value[name] ?? [];
    if (Array.isArray(list)) return list.map(String);
    throw new ContractError(`${place([name])}: "${name}" is a list: write "${name}: [${examples[name]}]".`);
  };
  const [consumers, send, exclude, header] = [
    listAt('consumers'),
    listAt('send'),
    listAt('exclude'),
    listAt('header'),
  ];
  const rules = Object.entries(value)
    .filter(([name]) => name !== 'accept' && name !== 'checks' && !lists.some((list) => list === name))
    .map(([name, line]) => [name, isOn(name, line, place([name]))] as const);
  const accept = acceptancesIn(value['accept'] ?? [], `${relative(process.cwd(), file)}, accept`);
  const { checks } = value;
  if (checks !== undefined && typeof checks !== 'string')
    throw new ContractError(
      `${place(['checks'])}: "checks" is the path of a module: write "checks: ./our-checks.mjs".`,
    );
  return { file, rules: new Map(rules), consumers, send, exclude, header, accept, checks };
}

/** @throws {ContractError} if there is no such rule, or the line does not say on or off */
function isOn(name: string, line: JsonValue, place: string): boolean {
  if (!names.includes(name)) {
    const meant = nearestTo(name, names).join(' or ');
    throw new ContractError(`${place}: "${name}" is not a rule: did you mean ${meant}?`);
  }
  if (line !== 'on' && line !== 'off') {
    throw new ContractError(`${place}: "${name}" is on or off: write "${name}: on" or "${name}: off".`);
  }
  return line === 'on';
}
