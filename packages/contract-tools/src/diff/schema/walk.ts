/**
 * What the parts of the comparison share: in which direction the values are sent, where in the outermost
 * schema they are, and the function that compares schemas further in. schema.ts makes a walk, and hands it
 * down.
 */

import type { Direction, Node } from '../../document/node.js';
import type { Difference } from '../change.js';
import type { SchemaKind } from '../ids.js';
import type { Schemas } from './shape-types.js';

/** How the values of two schemas are sent. */
export interface SentValues {
  readonly direction: Direction;
  /** Whether they are written as XML: otherwise the keyword `xml` means nothing. */
  readonly isXml: boolean;
}

/** The place of a schema within the outermost one. */
export interface Spot {
  /** The member, from the outermost schema inwards: `plants[].name`; '' for the outermost itself. */
  readonly member: string;
  /** The members that the whole old schema names here, if this schema is a part of it. */
  readonly known: ReadonlySet<string>;
}

/** One walk through two schemas. */
export interface Walk extends SentValues {
  /** Whether the walk asks only if anything differs: then it need not know whether alternatives overlap. */
  readonly seeksEquality: boolean;
  /**
   * Compares schemas further in. Schemas that were compared before have no changes: they may contain
   * themselves.
   *
   * @param known the members that the whole old schema names here, if these schemas are a part of it
   */
  compare(base: Schemas, next: Schemas, member: string, known?: ReadonlySet<string>): SchemaChange[];
  /** Whether a schema that takes the place of another one would break somebody, tried in a walk of its own. */
  breaks(base: Schemas, next: Schemas): boolean;
  /** Whether both allow the same values, as far as the diff can tell. */
  isEqual(base: Schemas, next: Schemas): boolean;
}

/** A difference between two schemas, with the member that it is about. */
export interface SchemaChange {
  readonly kind: SchemaKind;
  readonly adds?: boolean | undefined;
  readonly at: Node;
  /** The member that it is about, from the outermost schema inwards: `plants[].name`; '' for itself. */
  readonly member: string;
  readonly what: string;
}

/** Turns a difference into a change of `member`. */
export function inMember(member: string): (difference: Difference) => SchemaChange {
  return (difference) => ({ ...difference, member });
}
