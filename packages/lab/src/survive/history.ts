/**
 * Notes what the clients of one owner did and saw, and finds out whether that can be.
 *
 * Nobody can know what the store should hold: while four clients create and delete the same ids, and answers
 * are lost, several states are right. So the account is kept the other way round. Each request is noted with
 * its begin, its end and its answer, and afterwards the question is whether any order of the requests
 * explains all answers. It is asked of each id by itself (register.ts), because a create or a delete touches
 * one id only. A list is a read of each id that it could show.
 *
 * For example, client A's create of id 7 has no answer, and a list that begins later does not show 7. That
 * can be: the create may come later, or never. A second list shows it, and a third one, after the second,
 * does not. That cannot be if nobody has deleted it: 7 was lost.
 *
 * The order within a list, and whether an item is there twice, is checked at once (lists.ts). What a history
 * still allows for each id in the end is kept, and compared with a last list at the end of the run
 * (final-check.ts).
 */
import type { Anomaly, Harm } from './anomaly.js';
import { type ListRead, readList, type SeenList } from './lists.js';
import { absent, type Contradiction, checkRegister, type RegisterOperation } from './register.js';

export class History {
  readonly owner: string;
  readonly #registers = new Map<bigint, RegisterOperation[]>();
  readonly #lists: SeenList[] = [];
  readonly #anomalies: Anomaly[] = [];

  constructor(owner: string) {
    this.owner = owner;
  }

  /**
   * Notes that an id may be there. It is called before the request is sent, so that no list shows an unknown
   * id.
   */
  expect(id: bigint): void {
    if (!this.#registers.has(id)) this.#registers.set(id, []);
  }

  /** Notes a create or a delete that was not refused. */
  add(id: bigint, operation: RegisterOperation): void {
    this.#registers.get(id)?.push(operation);
  }

  /** Notes a whole list, and what is wrong with it by itself. */
  addList(read: ListRead): void {
    const { list, anomalies } = readList(this.owner, this.#registers, read);
    this.#lists.push(list);
    this.#anomalies.push(...anomalies);
  }

  /**
   * @returns what is wrong, and the versions that each id may hold now
   * @throws {Error} if more than thirty operations on one id were in flight at once
   */
  check(): { anomalies: readonly Anomaly[]; possible: ReadonlyMap<bigint, readonly number[]> } {
    const possible = new Map<bigint, readonly number[]>();
    const lists = this.#lists.toSorted((one, other) => one.begin - other.begin);
    for (const [id, operations] of this.#registers) {
      const verdict = checkRegister([...operations, ...readsOf(id, lists, operations)]);
      possible.set(id, verdict.possible);
      if (verdict.contradiction !== undefined) {
        this.#find(harmOf(verdict.contradiction), explain(id, operations, verdict.contradiction));
      }
    }
    return { anomalies: this.#anomalies, possible };
  }

  #find(harm: Harm, text: string): void {
    this.#anomalies.push({ harm, text: `${this.owner}: ${text}` });
  }
}

/**
 * Returns the reads of an id, without those that say nothing new: they equal the reads around them, and
 * nothing else happened.
 */
function readsOf(
  id: bigint,
  lists: readonly SeenList[],
  operations: readonly RegisterOperation[],
): RegisterOperation[] {
  const reads: RegisterOperation[] = [];
  for (const { begin, end, versions, upTo } of lists) {
    if (upTo !== undefined && id > upTo) continue;
    reads.push({ kind: 'read', version: versions.get(id) ?? absent, begin, end, changed: false });
  }
  return reads.filter(({ version }, index) => {
    const [before, next] = [reads[index - 1], reads[index + 1]];
    if (before?.version !== version || next?.version !== version) return true;
    return operations.some(
      // An operation of unknown outcome overlaps with all later reads, so this one need not be kept for it.
      ({ begin, end }) =>
        begin <= next.end && (end === Number.POSITIVE_INFINITY ? begin : end) >= before.begin,
    );
  });
}

function harmOf({ operation: { kind, version, changed }, possible }: Contradiction): Harm {
  const sawNothing = kind === 'read' ? version === absent : kind === 'delete' && !changed;
  if (sawNothing) return 'lost';
  // The create has stored its plant although there was another one, so the other one was lost.
  if (kind === 'create' && changed) return 'lost';
  return possible.every((state) => state === absent) ? 'doubled' : 'wrong';
}

const contextLength = 8;

function explain(
  id: bigint,
  operations: readonly RegisterOperation[],
  { operation, possible }: Contradiction,
): string {
  const before = operations.filter(({ begin }) => begin <= operation.end).slice(-contextLength);
  return [
    `id ${id} could only be ${wordsFor(possible)}, but ${describe(operation)}`,
    ...before.filter((one) => one !== operation).map((one) => `    before: ${describe(one)}`),
  ].join('\n');
}

/** Writes versions in words, such as "absent or version 7". */
export function wordsFor(states: readonly number[]): string {
  return states.map((state) => (state === absent ? 'absent' : `version ${state}`)).join(' or ');
}

function describe({ kind, version, begin, end, changed }: RegisterOperation): string {
  const time = `${begin.toFixed(1)} to ${end.toFixed(1)} ms`;
  if (kind === 'read') return `a list saw ${version === absent ? 'nothing' : `version ${version}`} (${time})`;
  const what = kind === 'create' ? `a create of version ${version}` : 'a delete';
  const [yes, no] = kind === 'create' ? ['200', '409'] : ['204', '404'];
  const answer =
    end === Number.POSITIVE_INFINITY ? 'had no known outcome' : `was answered ${changed ? yes : no}`;
  return `${what} ${answer} (${time})`;
}
