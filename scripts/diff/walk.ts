import { breaks, type Difference, type Direction } from './change.js';
import type { Node } from './node.js';
import type { Schemas } from './shape.js';

/** One walk through two schemas. */
export interface Walk {
  readonly direction: Direction;
  /** Compares schemas further in. Schemas that were compared before have no findings: they may contain themselves. */
  compare(base: Schemas, next: Schemas, member: string): SchemaFinding[];
}

/** A difference between two schemas, judged. */
export interface SchemaFinding {
  readonly breaking: boolean;
  readonly adds?: boolean | undefined;
  readonly at: Node;
  /** The member that it is about, from the outermost schema inwards: `plants[].name`; '' for itself. */
  readonly member: string;
  readonly what: string;
}

/** Turns a difference into a finding about `member`. */
export function judge({ direction }: Walk, member: string): (difference: Difference) => SchemaFinding {
  return ({ effect, adds, at, what }) => ({ breaking: breaks(effect, direction), adds, at, member, what });
}
