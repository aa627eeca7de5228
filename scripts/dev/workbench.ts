import { readFile, writeFile } from 'node:fs/promises';
import { checkContract } from '../../src/contract/check.js';
import { type Contract, ContractError, readContractText } from '../../src/contract/document.js';
import { withExcerpts } from '../../src/contract/excerpt.js';
import { generatedFrom } from '../contract-types.js';
import { compareContracts } from '../diff/compare.js';
import { versionFault } from '../diff/version.js';
import type { Linter } from './linter.js';
import type { TypeChecker, TypeFault } from './type-checker.js';

/** What a save has come to. */
export interface Verdict {
  /** One line that says it all. */
  readonly summary: string;
  readonly details: readonly string[];
  /** Whether a server on what is saved now would start. */
  readonly runs: boolean;
  /** Whether anything is other than before. */
  readonly changed: boolean;
}

export interface WorkbenchParts {
  /** The contract, and the types made from it. */
  readonly contract: string;
  readonly types: string;
  readonly linter: Pick<Linter, 'lint'>;
  readonly checker: Pick<TypeChecker, 'checkUsers' | 'checkAll'>;
}

/** Takes each save through parsing, linting, generating and type-checking, and remembers the last good contract. */
export class Workbench {
  readonly #parts: WorkbenchParts;
  #good: Contract | undefined;
  #text: string | undefined;

  constructor(parts: WorkbenchParts) {
    this.#parts = parts;
  }

  /** A contract that is broken is explained, and `generated/` left as it is. */
  async judgeContract(): Promise<Verdict> {
    const text = await readFile(this.#parts.contract, 'utf8');
    if (text === this.#text) return { summary: 'no change', details: [], runs: true, changed: false };
    this.#text = text;
    try {
      const contract = await readContractText(text, this.#parts.contract);
      // While the other thread lints, this one checks the types.
      const linting = this.#parts.linter.lint(this.#parts.contract);
      checkContract(contract);
      await this.#generate(contract);
      const types = this.#parts.checker.checkUsers().map(lineOf);
      const verdict = this.#compare(contract, types, await linting);
      this.#good = contract;
      return verdict;
    } catch (error) {
      if (!(error instanceof ContractError)) throw error;
      const count = error.message.split('\n').length;
      const summary = `${count === 1 ? 'a fault' : `${count} faults`}; nothing is generated, the server stays as it was`;
      return { summary, details: [withExcerpts(error.message, () => text)], runs: false, changed: true };
    }
  }

  /**
   * The whole project, after a source was saved, or after the verdict on a contract.
   *
   * @returns undefined where `isOutdated` said that something was saved meanwhile
   */
  async judgeSources(isOutdated: () => boolean): Promise<Verdict | undefined> {
    const faults = await this.#parts.checker.checkAll(isOutdated);
    if (faults === undefined) return undefined;
    const runs = faults.length === 0;
    return {
      summary: counted(faults.length, 'type error'),
      details: faults.map(lineOf),
      runs,
      changed: true,
    };
  }

  async #generate(contract: Contract): Promise<void> {
    const types = await generatedFrom(contract);
    if ((await readFile(this.#parts.types, 'utf8').catch(() => '')) !== types) {
      await writeFile(this.#parts.types, types);
    }
  }

  #compare(contract: Contract, types: readonly string[], lint: readonly string[]): Verdict {
    const changes = this.#good === undefined ? [] : compareContracts(this.#good, contract);
    const breaking = changes.filter((change) => change.breaking).length;
    // Between two saves, only what breaks is worth a word about the version.
    const fault = this.#good && breaking > 0 ? versionFault(changes, this.#good, contract) : undefined;
    const advice = fault === undefined ? '' : ` (${fault}: ${contract.place(['info', 'version'])})`;
    return {
      summary: [
        `${counted(changes.length, 'change')}, ${breaking === 0 ? 'none' : breaking} breaking${advice}`,
        `${counted(types.length, 'type error')} where the contract is used`,
        counted(lint.length, 'lint problem'),
      ].join('; '),
      details: [
        ...changes.map(
          (change) =>
            `${change.breaking ? 'breaking  ' : 'compatible'} ${change.place} ${change.operation}: ${change.sentence}`,
        ),
        ...types,
        ...lint.map((line) => `lint       ${line}`),
      ],
      runs: types.length === 0,
      changed: true,
    };
  }
}

function lineOf({ place, sentence }: TypeFault): string {
  return `type       ${place} ${sentence}`;
}

function counted(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${count === 0 ? 'no' : count} ${what}s`;
}
