/**
 * Judges each save for `npm run dev`: whether the contract is valid, keeps the rules and the types, and what
 * it changes since HEAD of git.
 */
import { readFile } from 'node:fs/promises';
import {
  compareContracts,
  operationsOf,
  type ToldChange,
  toldOnce,
  versionFault,
} from '../../../contract-tools/diff.js';
import { type ApiDocument, readDocument } from '../../../contract-tools/index.js';
import { lineOf as lineOfProblem, onePerFault, type Problem } from '../../../contract-tools/lint.js';
import { refuseSlowPatterns } from '../../../contract-tools/patterns.js';
import { ContractError, withExcerpts } from '../../../exact-json/index.js';
import { failurePolicy } from '../codegen/failure-policy.js';
import { generate } from '../codegen/generated.js';
import { readContractText } from '../codegen/read-contract.js';
import { checkContract } from '../codegen/servable.js';
import { blameEdits, type Edition, isOfSecurity } from './blame.js';
import type { AtHead, Committed } from './committed.js';
import type { Linter } from './linter.js';
import type { TypeChecker, TypeFault } from './type-checker.js';

/** The result of a save. */
export interface Verdict {
  /** The verdict in one line. */
  readonly summary: string;
  readonly details: readonly string[];
  /** Whether a server would start from the saved files. */
  readonly runs: boolean;
  /** Whether the save changed anything. */
  readonly changed: boolean;
}

interface WorkbenchParts {
  /** The file of the contract, and the folder of what is generated from it. */
  readonly contract: string;
  readonly generated: string;
  readonly committed: Pick<Committed, 'read'>;
  readonly linter: Pick<Linter, 'lint'>;
  readonly checker: Pick<TypeChecker, 'checkUsers' | 'checkAll'>;
}

/** Parses, lints, generates and type-checks each save, and remembers the last good contract. */
export class Workbench {
  readonly #parts: WorkbenchParts;
  #text: string | undefined;
  #isBroken = false;
  #good: ApiDocument | undefined;
  /** The last contract that broke no security rule. */
  #secure: Edition | undefined;
  #saidOfHead: string | undefined;

  constructor(parts: WorkbenchParts) {
    this.#parts = parts;
  }

  /**
   * Judges the contract as it is saved. A broken one leaves `generated/` unchanged, and its faults are
   * explained.
   */
  async judgeContract(): Promise<Verdict> {
    const reading = this.#parts.committed.read();
    const text = await readFile(this.#parts.contract, 'utf8').catch(() => undefined);
    if (text === undefined) {
      this.#text = undefined;
      return this.#broken('the file cannot be read', []);
    }
    if (text === this.#text)
      return { summary: 'no change', details: [], runs: !this.#isBroken, changed: false };
    this.#text = text;
    try {
      const contract = await readContractText(text, this.#parts.contract);
      await refuseSlowPatterns(contract.root);
      // The linters run in the other thread while this one checks the types.
      const linting = this.#parts.linter.lint(this.#parts.contract);
      checkContract(contract, failurePolicy);
      await generate(contract, this.#parts.generated);
      const types = this.#parts.checker.checkUsers();
      const atHead = await reading;
      const saved = readDocument(text, contract.file);
      const lint = this.#blamed(onePerFault(await linting), saved, atHead);
      const verdict = this.#compare(saved, types, lint, atHead);
      this.#good = saved;
      this.#isBroken = false;
      return verdict;
    } catch (error) {
      if (!(error instanceof ContractError)) throw error;
      const count = error.message.split('\n').length;
      return this.#broken(count === 1 ? 'a fault' : `${count} faults`, [
        withExcerpts(error.message, () => text),
      ]);
    }
  }

  /**
   * Type-checks the whole project, after the save of a source or after the verdict on a contract.
   *
   * @returns undefined if `isOutdated` reports a new save
   */
  async judgeSources(isOutdated: () => boolean): Promise<Verdict | undefined> {
    const faults = await this.#parts.checker.checkAll(isOutdated);
    if (faults === undefined) return undefined;
    const runs = !this.#isBroken && canRun(faults);
    return {
      summary: [counted(faults.length, 'type error'), ...(runs ? [] : [unchanged])].join('; '),
      details: linesOf(faults),
      runs,
      changed: true,
    };
  }

  #broken(what: string, details: readonly string[]): Verdict {
    this.#isBroken = true;
    return { summary: `${what}; nothing is generated; ${unchanged}`, details, runs: false, changed: true };
  }

  #blamed(problems: readonly Problem[], contract: ApiDocument, atHead: AtHead): readonly Problem[] {
    const before = this.#secure ?? (typeof atHead === 'string' ? undefined : atHead);
    if (!problems.some(isOfSecurity)) this.#secure = contract;
    return before === undefined ? problems : blameEdits(problems, before, contract);
  }

  #compare(
    contract: ApiDocument,
    types: readonly TypeFault[],
    lint: readonly Problem[],
    atHead: AtHead,
  ): Verdict {
    const before = this.#good;
    const head = typeof atHead === 'string' ? undefined : atHead;
    const changes = before === undefined ? [] : toldOnce(compareContracts(before, contract));
    const all = head === undefined ? [] : toldOnce(compareContracts(head, contract));
    const runs = canRun(types);
    return {
      summary: [
        ...(before === undefined ? [] : [`${countOf(changes)} since the last save`]),
        ...(head === undefined ? [] : [`${countOf(all)} since HEAD`]),
        ...(head === undefined ? [] : adviceOn(all, head, contract)),
        `${counted(types.length, 'type error')} in code that uses the contract`,
        counted(lint.length, 'lint problem'),
        ...(runs ? [] : [unchanged]),
      ].join('; '),
      details: [
        ...this.#newsOfHead(atHead),
        ...changes.map((change) => `${change.breaking ? 'breaking  ' : 'compatible'} ${sentenceOf(change)}`),
        ...breaking(all)
          .filter((change) => !changes.some((known) => sentenceOf(known) === sentenceOf(change)))
          .map((change) => `since HEAD ${sentenceOf(change)} (breaking)`),
        ...renamesIn(head === undefined ? changes : all),
        ...lint.map((problem) => `lint       ${lineOfProblem(problem)}`),
        ...linesOf(types),
      ],
      runs,
      changed: true,
    };
  }

  /** Says once why there is nothing to compare with. */
  #newsOfHead(atHead: AtHead): string[] {
    const reason = typeof atHead === 'string' ? atHead : undefined;
    const isNews = reason !== this.#saidOfHead;
    this.#saidOfHead = reason;
    return reason !== undefined && isNews ? [reason] : [];
  }
}

const unchanged = 'the server stays as it was';

function canRun(faults: readonly TypeFault[]): boolean {
  return !faults.some(({ ofService }) => ofService);
}

function breaking(changes: readonly ToldChange[]): ToldChange[] {
  return changes.filter((change) => change.breaking);
}

function countOf(changes: readonly ToldChange[]): string {
  const count = counted(changes.length, 'change');
  return changes.length === 0 ? count : `${count}, ${breaking(changes).length || 'none'} breaking`;
}

/** Says what `npm run diff:contract -- --base HEAD` will ask of the version; nothing if the version fits. */
function adviceOn(changes: readonly ToldChange[], head: ApiDocument, contract: ApiDocument): string[] {
  const fault = versionFault(changes, head, contract);
  return fault === undefined ? [] : [`${fault}: ${contract.place(['info', 'version'])}`];
}

function sentenceOf(change: ToldChange): string {
  return `${change.place} ${operationsOf(change, 3)}: ${change.sentence}`;
}

/**
 * Asks whether a member that is gone was renamed, if its object has one new member. To the contract, a rename is a removed
 * and an added member. But if the column is not renamed, what is stored stays behind in the old one.
 */
function renamesIn(changes: readonly ToldChange[]): string[] {
  const removed = membersByObject(changes, /-property-removed$/);
  const added = membersByObject(changes, /-property-added/);
  return [...removed].flatMap(([object, [before = '', ...others]]) => {
    const [after, ...more] = added.get(object) ?? [];
    if (after === undefined || others.length + more.length > 0) return [];
    return [
      `rename?    If "${before}" is called "${after}" now, rename its column, too, or no answer shows what is stored: docs/changing-the-contract.md#a-member of the plant store has the steps.`,
    ];
  });
}

/** @returns the names of the members with such a change, by the JSON pointer of their object */
function membersByObject(changes: readonly ToldChange[], id: RegExp): Map<string, string[]> {
  const members = new Map<string, string[]>();
  for (const pointer of new Set(changes.filter((change) => id.test(change.id)).map((one) => one.pointer))) {
    const end = pointer.lastIndexOf('/');
    const [object, name] = [pointer.slice(0, end), pointer.slice(end + 1)];
    members.set(object, [...(members.get(object) ?? []), name]);
  }
  return members;
}

/** The number of faults outside the server that are listed. The others are counted. */
const maxOthers = 3;

/**
 * Lists type errors. Those of the server come last, next to the prompt, because they are to be mended first.
 */
function linesOf(faults: readonly TypeFault[]): string[] {
  const others = faults.filter(({ ofService }) => !ofService);
  const left = others.slice(maxOthers).map(({ folder }) => folder);
  const counts = [...new Set(left)].map(
    (folder) => `${left.filter((one) => one === folder).length} more in ${folder}/`,
  );
  return [
    ...others.slice(0, maxOthers).map(lineOf),
    ...(counts.length > 0 ? [`type       ${counts.join(', ')}: npm run types`] : []),
    ...faults.filter(({ ofService }) => ofService).map(lineOf),
  ];
}

function lineOf({ place, sentence }: TypeFault): string {
  return `type       ${place} ${sentence}`;
}

function counted(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${count === 0 ? 'no' : count} ${what}s`;
}
