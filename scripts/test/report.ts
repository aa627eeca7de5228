/**
 * Reads the TAP of a run, and prints one line for each test file, and a summary. However much fails, that
 * stays short: whoever broke a thousand assertions needs the first of them, and how many there are. The log
 * has all of it.
 */
import type { Writable } from 'node:stream';
import { Parser, type Result } from 'tap-parser';
import { stringify } from 'yaml';
import { seconds } from './durations.js';
import { firstLines } from './first-lines.js';

/** Lines of programs, and titles of failures, that are printed while the tests run. */
const maxAsides = 20;
/** Failures that are printed in the end, and the lines that they share: a difference can have thousands. */
const maxFailures = 5;
const maxFailureLines = 40;
/** Red files that are counted one by one. */
const maxRedFiles = 15;

interface ReportParts {
  /** The stream that gets all failures, and what programs print. */
  readonly log: Pick<Writable, 'write'>;
  readonly logFile: string;
  /** Prints a line for whoever waits; by default to stdout. */
  readonly print?: (line: string) => void;
  /** Whether lines that are not TAP are results, as the coverage table is. */
  readonly printsExtras?: boolean;
  /**
   * Why the kind of run makes this test fail; undefined if it does not. Such a failure does not make the run
   * red.
   */
  readonly whyExpected?: (failure: string) => string | undefined;
}

interface Failure {
  readonly file: string;
  readonly title: string;
  /** How many failures the file had before this one. */
  readonly before: number;
  /** Empty if it cannot be among those that are printed in the end. */
  readonly details: string;
}

export class Report {
  readonly input = new Parser();
  /** The titles of the tests that were skipped, by reason and then by file. */
  readonly #skipped = new Map<string, Map<string, string[]>>();
  readonly #failures: Failure[] = [];
  readonly #expected = new Set<string>();
  #files = 0;
  #redFiles = 0;
  #assertions = 0;
  #assertionsOfFile = 0;
  /** The keys are files. The failure of a file that could not run comes after the line of that file. */
  readonly #failuresOf = new Map<string, number>();
  #tapHolds = false;
  #asides = 0;
  readonly #parts: Required<ReportParts>;

  constructor(parts: ReportParts) {
    this.#parts = { print: console.log, printsExtras: false, whyExpected: () => undefined, ...parts };
    this.input.on('pass', () => this.#assertionsOfFile++);
    this.input.on('skip', (result: Result) => this.#skip(result));
    this.input.on('fail', ({ fullname, diag }: Result) => this.#fail(fullname, diag));
    this.input.on('bailout', (reason: string) => this.#fail(`Bail out! ${reason}`));
    // Lines that are not TAP: the output of programs, and the coverage table.
    this.input.on('extra', (text: string) => this.addOutput(text));
    // A top-level assertion stands for a whole file.
    this.input.on('assert', ({ ok, name, time }: Result) => {
      const failed = this.#failuresOf.get(name) ?? 0;
      const verdict = ok ? 'ok' : 'not ok';
      const count = `${this.#assertionsOfFile} assertions${failed > 0 ? `, ${failed} failed` : ''}`;
      this.#parts.print(`${verdict}  ${name}, ${count}, ${seconds(time ?? 0)}`);
      this.#files++;
      if (!ok) this.#redFiles++;
      this.#assertions += this.#assertionsOfFile;
      this.#assertionsOfFile = 0;
    });
  }

  /** Takes lines that are not TAP: they go to the log, and the first of them are printed. */
  addOutput(text: string): void {
    this.#parts.log.write(text);
    const lines = text.trimEnd().split('\n');
    for (const line of lines) {
      if (this.#parts.printsExtras) this.#parts.print(line);
      else this.#aside(line);
    }
  }

  #aside(line: string): void {
    this.#asides++;
    if (this.#asides <= maxAsides) this.#parts.print(line);
    if (this.#asides === maxAsides) this.#parts.print(`All other such lines are in ${this.#parts.logFile}.`);
  }

  #fail(fullname: string, diag?: unknown): void {
    const [file = '', ...titles] = fullname.split(' > ');
    const details = diag ? stringify(placeAndDifferenceFirst(diag)) : '';
    this.#parts.log.write(`not ok  ${fullname}\n${details}`);
    const reason = this.#parts.whyExpected(fullname);
    if (reason !== undefined) {
      this.#expected.add(`Expected to fail, because ${reason}: ${file} > ${titles[0] ?? ''}`);
      return;
    }
    this.#aside(`not ok  ${fullname}`);
    const before = this.#failuresOf.get(file) ?? 0;
    this.#failuresOf.set(file, before + 1);
    this.#failures.push({ file, title: fullname, before, details: before < maxFailures ? details : '' });
  }

  #skip({ skip, name, fullname }: Result): void {
    const [file = ''] = fullname.split(' > ');
    const files = this.#skipped.get(String(skip)) ?? new Map<string, string[]>();
    files.set(file, [...(files.get(file) ?? []), name]);
    this.#skipped.set(String(skip), files);
  }

  /**
   * Takes the exit code of tap, whose verdict covers more than assertions: a file that ended too early, or
   * coverage.
   */
  tapEnded(code: unknown): void {
    this.#tapHolds = code === 0;
  }

  /** Says whether the run is green. Expected failures do not count. */
  holds(): boolean {
    // The verdict of tap covers the expected failures, too.
    return this.#failures.length === 0 && (this.#tapHolds || this.#expected.size > 0);
  }

  /** Returns the lines that end the output: what was not run, the first failures, and the counts. */
  summary(): string[] {
    const skipped = Array.from(this.#skipped, ([reason, files]) => {
      const tests = Array.from(files, ([file, titles]) => `${file} (${titles.join('; ')})`);
      return `Not run, because ${reason}: ${tests.join(', ')}`;
    });
    const held = `${this.#assertions.toLocaleString('en')} assertions in ${this.#files} files hold.`;
    if (this.holds()) return [held, ...skipped, ...this.#expected];
    const { length } = this.#failures;
    // The first of several files say more than several of one.
    const inOrder = this.#failures.toSorted((one, other) => one.before - other.before);
    const shown = inOrder.slice(0, maxFailures);
    const maxLines = Math.floor(maxFailureLines / Math.max(shown.length, 1));
    const failed = shown.flatMap(({ title, details }) => [
      `Failed: ${title}`,
      ...firstLines(details, maxLines).map((line) => `    ${line}`),
    ]);
    if (length === 0) failed.push('Failed: tap says why.');
    return [
      ...skipped,
      ...this.#expected,
      ...failed,
      ...countsByFile(inOrder.slice(maxFailures)),
      held,
      `${length.toLocaleString('en')} do not, and ${this.#redFiles} files fail. All of it: ${this.#parts.logFile}`,
    ];
  }
}

function countsByFile(failures: readonly Failure[]): string[] {
  const counts = new Map<string, number>();
  for (const { file } of failures) counts.set(file, (counts.get(file) ?? 0) + 1);
  const lines = Array.from(counts, ([file, count]) => `Failed, too: ${count} in ${file}`);
  const left = lines.length - maxRedFiles;
  return left > 0 ? [...lines.slice(0, maxRedFiles), `Failed, too: more in ${left} other files`] : lines;
}

/** Puts what helps most first, since only the first lines of a failure may be printed. */
function placeAndDifferenceFirst(diag: unknown): unknown {
  if (typeof diag !== 'object' || diag === null) return diag;
  const { at, diff, ...others } = Object(diag);
  return {
    ...(at?.fileName !== undefined && { at: `${at.fileName}:${at.lineNumber}` }),
    ...(diff !== undefined && { diff }),
    ...others,
  };
}
