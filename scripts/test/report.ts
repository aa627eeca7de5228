import { Parser, type Result } from 'tap-parser';
import { stringify } from 'yaml';
import { seconds } from './durations.js';

/** Prints the result of each test file as tap reports it, and a summary of all in the end. */
export class Report {
  readonly input = new Parser();
  /** By reason and by file, the titles of the tests that were skipped. */
  readonly #skipped = new Map<string, Map<string, string[]>>();
  readonly #failures: string[] = [];
  #files = 0;
  #assertions = 0;
  #assertionsOfFile = 0;
  #tapHolds = false;
  readonly #whyExpected: (failure: string) => string | undefined;

  /** @param whyExpected the reason for a failure that is none of the run; undefined for all others */
  constructor(whyExpected: (failure: string) => string | undefined = () => undefined) {
    this.#whyExpected = whyExpected;
    this.input.on('pass', () => this.#assertionsOfFile++);
    this.input.on('skip', (result: Result) => this.#skip(result));
    this.input.on('fail', ({ fullname, diag }: Result) => {
      console.log(`not ok  ${fullname}`);
      this.#failures.push(`${fullname}${diag ? `\n${indented(stringify(diag))}` : ''}`);
    });
    this.input.on('bailout', (reason: string) => {
      this.#failures.push(`Bail out! ${reason}`);
    });
    // Lines that are not TAP: the output of programs, and the coverage table.
    this.input.on('extra', (text: string) => process.stdout.write(text));
    // A top-level assertion stands for a whole file.
    this.input.on('assert', ({ ok, name, time }: Result) => {
      const verdict = ok ? 'ok' : 'not ok';
      console.log(`${verdict}  ${name}, ${this.#assertionsOfFile} assertions, ${seconds(time ?? 0)}`);
      this.#files++;
      this.#assertions += this.#assertionsOfFile;
      this.#assertionsOfFile = 0;
    });
  }

  #skip({ skip, name, fullname }: Result): void {
    const [file = ''] = fullname.split(' > ');
    const files = this.#skipped.get(String(skip)) ?? new Map<string, string[]>();
    files.set(file, [...(files.get(file) ?? []), name]);
    this.#skipped.set(String(skip), files);
  }

  /** tap's own verdict covers more than assertions: a file that ended too early, or coverage. */
  tapEnded(code: unknown): void {
    this.#tapHolds = code === 0;
  }

  holds(): boolean {
    const { unexpected } = this.#sorted();
    // The verdict of tap covers the expected failures, too.
    return unexpected.length === 0 && (this.#tapHolds || this.#failures.length > 0);
  }

  /** The failures, and the first lines of those that are expected, with the reasons. */
  #sorted(): { readonly unexpected: readonly string[]; readonly expected: ReadonlySet<string> } {
    const expected = new Set<string>();
    const unexpected = this.#failures.filter((failure) => {
      const reason = this.#whyExpected(failure);
      const [file = '', test = ''] = failure.split('\n', 1).join('').split(' > ');
      if (reason !== undefined) expected.add(`Expected to fail, because ${reason}: ${file} > ${test}`);
      return reason === undefined;
    });
    return { unexpected, expected };
  }

  summary(): string[] {
    const skipped = Array.from(this.#skipped, ([reason, files]) => {
      const tests = Array.from(files, ([file, titles]) => `${file} (${titles.join('; ')})`);
      return `Not run, because ${reason}: ${tests.join(', ')}`;
    });
    const { unexpected, expected } = this.#sorted();
    const failed = unexpected.map((name) => `Failed: ${name}`);
    if (!this.#tapHolds && this.#failures.length === 0) failed.push('Failed: tap says why above.');
    const not = this.#failures.length > 0 ? `, ${this.#failures.length} do not` : '';
    return [
      `${this.#assertions.toLocaleString('en')} assertions in ${this.#files} files hold${not}.`,
      ...skipped,
      ...expected,
      ...failed,
    ];
  }
}

/** Lines of a failure to show; a difference can have thousands. */
const mostLines = 60;

function indented(text: string): string {
  const lines = text.trimEnd().split('\n');
  const shown = lines.length > mostLines ? [...lines.slice(0, mostLines), '…'] : lines;
  return shown.map((line) => `    ${line}`).join('\n');
}
