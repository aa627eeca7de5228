/**
 * Writes down what the contract says of the numbers in its answers, for the client of the package. A reader of
 * JSON makes a number of 7, and the types of the package say `bigint` for it if it is an int64. So the client
 * looks up each number of an answer in these shapes.
 *
 * The shapes are a list, and name each other by their indexes in it. So a schema that contains itself is a
 * shape that names itself.
 */
import { type ContractSchema, typesOf } from '../../packages/service/layer.js';

/** What a schema says of the numbers in a value. */
export interface Shape {
  /** What a number at this place is; absent if the schema does not say it. */
  readonly number?: 'bigint' | 'double';
  /** The shapes of other schemas of the same value, such as those in `allOf`. */
  readonly also?: readonly number[];
  readonly members?: Readonly<Record<string, number>>;
  /** The shape of members that `members` does not name. */
  readonly others?: number;
  readonly items?: number;
}

/** The shapes of the schemas that were asked for, each of which is written once. */
export class Shapes {
  readonly list: Shape[] = [];
  readonly #known = new Map<ContractSchema, number>();

  /** @returns the index of the schema's shape in `list` */
  indexOf(schema: ContractSchema): number {
    const known = this.#known.get(schema);
    if (known !== undefined) return known;
    const index = this.list.push({}) - 1;
    this.#known.set(schema, index);
    this.list[index] = this.#shapeOf(schema);
    return index;
  }

  #shapeOf(schema: ContractSchema): Shape {
    const {
      properties = {},
      additionalProperties: others,
      items,
      allOf = [],
      anyOf = [],
      oneOf = [],
    } = schema;
    const also = [...allOf, ...anyOf, ...oneOf].map((part) => this.indexOf(part));
    const members = Object.entries(properties).map(([name, part]) => [name, this.indexOf(part)]);
    const types = typesOf(schema);
    const isDouble = types.includes('number') || (types.includes('integer') && schema.format !== 'int64');
    return {
      ...(schema.format === 'int64' ? { number: 'bigint' } : isDouble && { number: 'double' }),
      ...(also.length > 0 && { also }),
      ...(members.length > 0 && { members: Object.fromEntries(members) }),
      ...(typeof others === 'object' && { others: this.indexOf(others) }),
      ...(typeof items === 'object' && { items: this.indexOf(items) }),
    };
  }
}
