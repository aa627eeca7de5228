/**
 * What a probe of a collection works with. What it sees is recorded under the title and the rule of its row in the table
 * (collections.ts).
 */
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

export class Trial {
  readonly run: ProbeRun;
  readonly part: ResourceMeaning;
  readonly row: Row;

  constructor({ run, part, row }: Pick<Trial, 'run' | 'part' | 'row'>) {
    this.run = run;
    this.part = part;
    this.row = row;
  }

  get client(): ResourceClient {
    return this.part.client;
  }

  /** The same trial, for what else must hold. */
  titled(title: string): Trial {
    return new Trial({ run: this.run, part: this.part, row: { ...this.row, title } });
  }

  isOn(rule: RuleName): boolean {
    return this.client.rules.on.has(rule);
  }

  /** Notes that a case is about to be tried. */
  begin(operation: Operation): void {
    this.run.recorder.case(operation.id, this.row.title);
  }

  /** Records what is wrong with an answer by itself. */
  judge(
    operation: Operation,
    description: string,
    call: Call,
    steps: readonly Step[] = call.pages ?? [call],
  ): void {
    this.run.recorder.find(operation.id, this.row.title, description, steps, ...call.breaches);
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

  say(what: string): void {
    this.client.note(`${this.row.name} of ${this.client.resource.collectionPath}: ${what}.`);
  }
}
