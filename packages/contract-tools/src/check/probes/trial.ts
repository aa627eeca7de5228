/** What a probe works with. What it sees is recorded under the title and the rule of its row (table.ts, collections.ts). */
import type { Operation } from '../../document/operations.js';
import type { RuleName } from '../../document/rule-table.js';
import type { Breach, Step } from '../answers/findings.js';
import type { Call } from '../resources/call.js';
import type { ResourceClient } from '../resources/client.js';
import type { ResourceMeaning } from '../resources/resource-meaning.js';
import type { ProbeRun } from './probe-run.js';

export interface Row {
  /** What notes call the probe, before the path of a collection. */
  readonly name: string;
  /** What must hold. Cases of one operation with one title are one check of the report. */
  readonly title: string;
  /** The rule under which it is tried; by default under any. */
  readonly rule?: RuleName | undefined;
}

/** An operation, or what is called outside the document such as "PUT /plants". */
type Called = Pick<Operation, 'id'>;

export class RowTrial {
  readonly run: ProbeRun;
  readonly row: Row;

  constructor({ run, row }: Pick<RowTrial, 'run' | 'row'>) {
    this.run = run;
    this.row = row;
  }

  isOn(rule: RuleName): boolean {
    return this.run.description.rules.on.has(rule);
  }

  /** Notes that a case is about to be tried. */
  begin({ id }: Called): void {
    this.run.recorder.case(id, this.row.title);
  }

  record({ id }: Called, description: string, steps: readonly Step[], ...breaches: readonly Breach[]): void {
    this.run.recorder.find(id, this.row.title, description, steps, ...breaches);
  }

  /** Records what is wrong with an answer by itself. */
  judge(
    called: Called,
    description: string,
    call: Call,
    steps: readonly Step[] = call.pages ?? [call],
  ): void {
    this.record(called, description, steps, ...call.breaches);
  }

  /**
   * Records that an operation did something else than the document's sentence about it says.
   *
   * @param breach with `says` if another sentence is broken, and with `by` if another rule says so than that of the row
   */
  find(
    operation: Operation,
    description: string,
    steps: readonly Step[],
    breach: Pick<Breach, 'rule' | 'did'> & Partial<Breach>,
  ): void {
    const { title, rule } = this.row;
    this.run.recorder.blame(operation, title, description, steps, { by: rule, ...breach });
  }
}

/** The same for a row that is tried of each collection. */
export class Trial extends RowTrial {
  readonly part: ResourceMeaning;

  constructor({ part, ...others }: Pick<Trial, 'run' | 'part' | 'row'>) {
    super(others);
    this.part = part;
  }

  get client(): ResourceClient {
    return this.part.client;
  }

  /** The same trial, for what else must hold. */
  titled(title: string): Trial {
    return new Trial({ run: this.run, part: this.part, row: { ...this.row, title } });
  }

  say(what: string): void {
    this.client.note(`${this.row.name} of ${this.client.resource.collectionPath}: ${what}.`);
  }
}
