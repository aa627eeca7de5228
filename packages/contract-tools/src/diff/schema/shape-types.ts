/** What the comparison knows of a schema: shape.ts finds it out. */

import type { Decimal } from '../../base/decimal.js';
import type { Node } from '../../document/node.js';
import type { At } from '../values.js';

/** Schemas that must all hold for one value: those of an `allOf`, or a single one. */
export type Schemas = readonly Node[];

/** The types of JSON, with `number` split: a `fraction` is a number that is not an integer. */
export type TypeName = 'null' | 'boolean' | 'integer' | 'fraction' | 'string' | 'array' | 'object';

/**
 * The tightest bound for each keyword, such as `minimum`. A lower bound is kept as the upper bound of the
 * negated value: `minimum: 3` as "at most -3", so that the lesser is always the tighter.
 */
export type Bounds = ReadonlyMap<string, Bound>;

export interface Bound {
  readonly value: Decimal;
  /** Whether the value itself is excluded. */
  readonly exclusive: boolean;
  readonly at: Node;
}

export interface Shape {
  readonly schemas: Schemas;
  /** The schemas with those in their `allOf`, and in a choice of one. */
  readonly parts: Schemas;
  /** The first of the parts. */
  readonly node: Node;
  readonly types: At<ReadonlySet<TypeName>>;
  /** The place that allows null. */
  readonly nullAt: Node | undefined;
  readonly bounds: Bounds;
  readonly multipleOf: At<Decimal> | undefined;
  /** The values by their texts, numbers with all their digits. */
  readonly values: At<readonly string[]> | undefined;
  readonly patterns: readonly At<string>[];
  readonly formats: readonly At<string>[];
  readonly unique: Node | undefined;
  readonly members: ReadonlyMap<string, Schemas>;
  /** Members of which a schema says that there is none. */
  readonly forbidden: ReadonlySet<string>;
  readonly required: ReadonlyMap<string, Node>;
  /** The schemas of each pattern of names. */
  readonly patternMembers: ReadonlyMap<string, Schemas>;
  /** Members that no schema names: forbidden (`closed`), or restricted by schemas (if any). */
  readonly others: { readonly closed: Node | undefined; readonly schemas: Schemas };
  /** The schemas of each `oneOf` and `anyOf` with a choice. */
  readonly choices: readonly Node[];
  /** Whether there is nothing but one choice. */
  readonly isMereChoice: boolean;
  readonly nots: readonly Node[];
  readonly discriminator: Node | undefined;
  /** Keywords that are compared as a whole: `xml` and `default`. */
  readonly whole: ReadonlyMap<string, At<string>>;
}
