/**
 * Records a run: what was tried of each operation, how it answered, and how an answer broke the contract. A
 * breach is what one answer did wrong. Breaches of one cause are one finding, with the smallest case and with
 * all operations that showed it. They have one cause if they break one sentence of the document in the same
 * way, such as the schema that several operations share. A habit, such as a media type that is sent wrong
 * everywhere, is one cause even if each operation has a sentence of its own about it.
 */

import { type Path, pointerOf } from '../../../../exact-json/index.js';
import type { Acceptance } from '../../base/acceptances.js';
import type { Operation } from '../../document/operations.js';
import type { RuleName } from '../../document/rule-table.js';
import { printable } from '../../values/json.js';
import type { Description } from '../document/description.js';
import { sentenceOf } from '../document/rules.js';
import type { Reply } from '../requests/reply.js';
import type { Request } from '../requests/request.js';

/** One way in which an answer breaks the contract. */
export interface Breach {
  /** A few words that equal breaches share, such as "status 418 is not documented". */
  readonly rule: string;
  /**
   * The keyword of the schema that a value breaks, if the rule also says where the value stands. Then one
   * keyword at one place of the document is one cause, wherever its values stand: in a list and in an item.
   */
  readonly keyword?: string | undefined;
  /** The sentence of the contract. */
  readonly says: string;
  /** The place of the sentence in the YAML. */
  readonly path: Path;
  /** What the server did instead. */
  readonly did: string;
  /** The rule beyond OpenAPI and HTTP that says so, if it is one. */
  readonly by?: RuleName | undefined;
  /** The operation at fault, if it is not the one that was called last. */
  readonly operation?: string | undefined;
  /** Whether one place of a server decides it for all operations, so that one rule is one cause. */
  readonly isHabit?: boolean | undefined;
  /** Whether it counts only if the operation answers any valid request with success. */
  readonly needsSuccess?: boolean | undefined;
}

/** A request with what came of it. */
export interface Step {
  readonly request: Request;
  readonly outcome: Reply;
}

export interface Finding extends Breach {
  /** The operation of the case. */
  readonly operation: string;
  /** All operations that showed it. */
  readonly operations: readonly string[];
  /** What the breach is, in small letters and hyphens: `head-is-not-answered-as-get-is`. */
  readonly id: string;
  /** The place in the document, as a JSON pointer with "#" before it. */
  readonly pointer: string;
  /** Equal for breaches of one cause, and different for others. */
  readonly cause: string;
  /** The line in the YAML, such as `openapi/plants.yaml:12:3`. */
  readonly place: string;
  /** The requests that show it again, in order. */
  readonly steps: readonly Step[];
  /** A description of the case. */
  readonly case: string;
  /** The number of cases that showed it, of which this is the smallest. */
  readonly times: number;
}

/** Cases of one operation that try one thing. */
export interface Check {
  readonly operation: string;
  readonly title: string;
  /** The place of the operation in the YAML. */
  readonly place: string;
  readonly cases: number;
  readonly seconds: number;
  readonly findings: readonly Finding[];
}

interface OpenCheck {
  readonly operation: string;
  readonly title: string;
  cases: number;
  milliseconds: number;
  /** The causes of its findings; other checks may have some of them, too. */
  readonly causes: Set<string>;
}

/** The statuses that an operation has answered with. */
interface Answers {
  readonly statuses: ReadonlySet<number>;
  /** Those of valid requests. */
  readonly toValid: ReadonlySet<number>;
  /** The documented failures of valid requests, each with the first case that met it, if it has a name. */
  readonly excused: ReadonlyMap<number, string>;
  /** Whether it answered any valid request with success. */
  readonly fulfilled: boolean;
}

interface Answered extends Answers {
  readonly statuses: Set<number>;
  readonly toValid: Set<number>;
  readonly excused: Map<number, string>;
  fulfilled: boolean;
}

/** A part of an operation that may be left untried. */
type Part = 'an item' | 'isolation' | `the length ${string}` | `the member ${string}`;

interface RecorderOptions {
  readonly description: Description;
  /** Is called with the check of each case, before it is tried. */
  readonly onCase?: ((operation: string, title: string) => void) | undefined;
  readonly onFinding?: ((finding: Finding) => void) | undefined;
}

export class Recorder {
  readonly #options: RecorderOptions;
  readonly #checks = new Map<string, OpenCheck>();
  readonly #findings = new Map<string, Finding>();
  readonly #notes = new Set<string>();
  readonly #tried = new Set<string>();
  readonly #used = new Set<Acceptance>();
  /** The check whose time runs. If cases of several checks are in flight, it is the one that began last. */
  #running: { readonly check: OpenCheck; readonly since: number } | undefined;
  /** The operation that was the last to change something: if the credentials are refused since then, it ended them. */
  lastChange: string | undefined;
  readonly #answered = new Map<string, Answered>();
  /** Findings that count as soon as their operations have succeeded once. */
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  get checks(): readonly Check[] {
    return [...this.#checks.values()].map(({ operation, title, cases, milliseconds, causes }) => ({
      ...{ operation, title, cases, seconds: milliseconds / 1_000 },
      place: this.#options.description.place(this.#pathOf(operation)),
      findings: [...causes].flatMap((cause) => this.#findings.get(cause) ?? []),
    }));
  }

  get findings(): readonly Finding[] {
    return [...this.#findings.values()];
  }

  get cases(): number {
    return this.checks.reduce((sum, { cases }) => sum + cases, 0);
  }

  /** Facts about the run that a person should know, and that are no faults of the server. */
  get notes(): readonly string[] {
    return [...this.#notes];
  }

  note(text: string): void {
    this.#notes.add(text);
  }

  /**
   * Notes that an operation has answered.
   *
   * @param isRight whether this is the right answer, if the request was valid
   */
  answered(
    operation: string,
    status: number,
    { isValid, isRight }: { readonly isValid: boolean; readonly isRight: boolean },
  ): void {
    const answers = this.#answersOf(operation);
    answers.statuses.add(status);
    if (isValid) answers.toValid.add(status);
    answers.fulfilled ||= isValid && isRight;
    if (!answers.fulfilled) return;
    for (const find of this.#waiting.get(operation) ?? []) find();
    this.#waiting.delete(operation);
  }

  /**
   * Notes that a valid request was answered with a documented failure, which is not a finding by itself.
   *
   * @param tried the case in a few words
   */
  excused(operation: string, status: number, tried = ''): void {
    const { excused } = this.#answersOf(operation);
    excused.set(status, excused.get(status) || tried);
  }

  answersOf(operation: string): Answers {
    return this.#answersOf(operation);
  }

  #answersOf(operation: string): Answered {
    const answers = this.#answered.get(operation) ?? {
      statuses: new Set<number>(),
      toValid: new Set<number>(),
      excused: new Map<number, string>(),
      fulfilled: false,
    };
    this.#answered.set(operation, answers);
    return answers;
  }

  /**
   * Notes that a part of an operation was tried. What was not tried is told at the end of the report
   * (../verdict/never-tried.ts).
   */
  tried(operation: string, part: Part): void {
    this.#tried.add(`${operation}\n${part}`);
  }

  hasTried(operation: string, part: Part): boolean {
    return this.#tried.has(`${operation}\n${part}`);
  }

  /** Notes that a case is about to be tried. */
  case(operation: string, title: string): void {
    this.stopClock();
    const check = this.#check(operation, title);
    check.cases++;
    this.#running = { check, since: performance.now() };
    this.#options.onCase?.(operation, title);
  }

  /** Ends the time of the check that is running. */
  stopClock(): void {
    if (this.#running === undefined) return;
    const { check, since } = this.#running;
    check.milliseconds += performance.now() - since;
    this.#running = undefined;
  }

  /**
   * Records what one case has shown. Equal findings are merged: the smallest case stands for all.
   *
   * @param operation the operation that is at fault, unless a breach names another one
   * @param title the check that the case belongs to
   * @param description the case in a few words
   * @param steps the requests that show it, in order
   */
  find(
    operation: string,
    title: string,
    description: string,
    steps: readonly Step[],
    ...breaches: readonly Breach[]
  ): void {
    for (const breach of breaches) this.#find(operation, title, description, steps, breach);
  }

  /**
   * Records that an operation did something else than the document's sentence about it says.
   *
   * @param breach with `says` if another sentence is broken than that one
   */
  blame(
    operation: Operation,
    title: string,
    description: string,
    steps: readonly Step[],
    breach: Pick<Breach, 'rule' | 'did'> & Partial<Breach>,
  ): void {
    this.find(operation.id, title, description, steps, {
      ...breachOf(operation, breach.rule, breach.did),
      ...breach,
    });
  }

  #find(operation: string, title: string, description: string, steps: readonly Step[], breach: Breach): void {
    const { needsSuccess = false, ...certain } = breach;
    const blamed = breach.operation ?? operation;
    if (needsSuccess && !this.#answersOf(blamed).fulfilled) {
      const waiting = this.#waiting.get(blamed) ?? [];
      waiting.push(() => this.#find(operation, title, description, steps, certain));
      this.#waiting.set(blamed, waiting);
      return;
    }
    const check = this.#check(blamed, title);
    const [id, pointer] = [idOf(breach), `#${pointerOf(breach.path)}`];
    const acceptance = this.#acceptanceOf(blamed, { id, pointer, what: breach.rule });
    if (acceptance !== undefined) {
      this.#used.add(acceptance);
      return;
    }
    const cause = [breach.keyword ?? breach.rule, ...(breach.isHabit ? [] : breach.path)].join('\n');
    const earlier = this.#findings.get(cause);
    const finding: Finding = {
      ...breach,
      ...{ id, pointer },
      says: breach.by === undefined ? breach.says : `${breach.says}: ${sentenceOf(breach.by)}`,
      operation: check.operation,
      operations: [check.operation],
      cause,
      place: this.#options.description.place(breach.path),
      steps,
      case: description,
      times: 1,
    };
    const smallest = earlier !== undefined && sizeOf(earlier.steps) <= sizeOf(steps) ? earlier : finding;
    this.#findings.set(cause, {
      ...smallest,
      operations: [...new Set([...(earlier?.operations ?? []), check.operation])],
      times: (earlier?.times ?? 0) + 1,
    });
    check.causes.add(cause);
    if (earlier === undefined) this.#options.onFinding?.(finding);
  }

  #acceptanceOf(
    operation: string,
    found: Pick<Acceptance, 'id' | 'pointer' | 'what'>,
  ): Acceptance | undefined {
    const { operations, rules } = this.#options.description;
    const known = operations.find(({ id }) => id === operation);
    const names = [operation, ...(known === undefined ? [] : [`${known.method} ${known.path}`])];
    return rules.accept?.find(
      (one) =>
        one.id === found.id &&
        one.pointer === found.pointer &&
        one.what === found.what &&
        names.includes(one.operation),
    );
  }

  /** The acceptances that have let something through. */
  get usedAcceptances(): ReadonlySet<Acceptance> {
    return this.#used;
  }

  /** The place of an operation, or of something outside the document such as "PUT /plants". */
  #pathOf(operation: string): Path {
    const { operations, paths } = this.#options.description;
    const path = operation.replace(/^\S+ /, '');
    const known = operations.find(({ id }) => id === operation);
    return known?.node.path ?? ['paths', ...(paths.has(path) ? [path] : [])];
  }

  #check(operation: string, title: string): OpenCheck {
    const key = `${operation}\n${title}`;
    const check = this.#checks.get(key) ?? { operation, title, cases: 0, milliseconds: 0, causes: new Set() };
    this.#checks.set(key, check);
    return check;
  }
}

function idOf({ rule }: Breach): string {
  return rule
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

/** The numbers of ids are made at random: a digit or a sign more makes a case no greater. */
const numbers = /(?<![0-9])-?[0-9]{6,20}(?![0-9])/g;

function sizeOf(steps: readonly Step[]): number {
  return steps.reduce((size, { request: { target, headers, body } }) => {
    const texts = [target, JSON.stringify(headers), body?.toString('latin1') ?? ''];
    return size + 1_000 + texts.join('').replaceAll(numbers, '000000').length;
  }, 0);
}

/**
 * Makes a breach from the document's sentence about an operation, and what the server did instead.
 *
 * @param rule a few words that equal breaches share
 */
export function breachOf({ id, node }: Operation, rule: string, did: string): Breach {
  const path = node.at('description')?.path ?? node.path;
  const text = node.text('description') ?? node.text('summary') ?? id;
  return { rule, says: printable(text.replace(/\s+/g, ' ').trim()), path, did, operation: id };
}
