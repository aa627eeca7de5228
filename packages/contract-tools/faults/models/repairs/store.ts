/** What the server of repairs remembers, and who may see it. */
import { Problem } from '../plain/problem.js';
import type { Members } from '../plain/values.js';
import type { RepairFault } from './faults.js';

export interface Stored {
  readonly owner: string;
  readonly members: Members;
}

export interface Job extends Stored {
  readonly workshopId: string;
  /** Every change has another one. */
  readonly revision: number;
  /** Only with faults: a removed job stays in the list; somebody has read it. */
  isRemoved?: boolean;
  wasRead?: boolean;
}

export interface Run {
  readonly owner: string;
  readonly id: string;
  readonly invoiceId: string;
  /** How often somebody has looked at its state. */
  looks: number;
}

export class Store {
  readonly workshops = new Map<string, Stored>();
  readonly jobs = new Map<string, Job>();
  readonly runs = new Map<string, Run>();
  readonly invoices = new Map<string, Stored>();
  readonly #fault: RepairFault | undefined;
  #revision = 0;

  constructor(fault: RepairFault | undefined) {
    this.#fault = fault;
  }

  /** Whether the server has this fault. */
  has(fault: RepairFault): boolean {
    return this.#fault === fault;
  }

  nextRevision(): number {
    return ++this.#revision;
  }
}

/**
 * Returns what an owner has under an id.
 *
 * @param isOpen whether other owners see it, too: a fault
 * @throws {Problem} with 404: what belongs to somebody else is not there
 */
export function find<Item extends { readonly owner: string }>(
  items: ReadonlyMap<string, Item>,
  id = '',
  owner: string,
  isOpen = false,
): Item {
  const found = items.get(id.toLowerCase());
  if (found === undefined || (found.owner !== owner && !isOpen)) throw new Problem(404, 'There is none.');
  return found;
}
