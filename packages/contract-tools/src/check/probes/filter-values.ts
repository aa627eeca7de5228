/** Chooses the values with which items are made for the filters of a list, and those that filters are asked for. */
import { randomUUID } from 'node:crypto';
import type { Node } from '../../document/node.js';
import { type Filter, oneOf } from '../../resources/list-parameters.js';
import { laterText } from '../../values/formats.js';
import type { Value } from '../../values/json.js';
import { layersOf } from '../../values/layers.js';
import { fits, plainValue } from '../../values/valid-values.js';
import { isSame } from '../resources/filter-fit.js';
import { idsFor } from '../resources/ids.js';

/** Some values of what a filter is about, in the form of its member. */
export function valuesFor(filter: Filter): Value[] {
  const { key, member } = filter;
  const isList = member.schemas.some(takesList);
  return scalarsFor(filter).map((value) =>
    key === undefined ? (isList ? [value] : value) : { [key]: value },
  );
}

function scalarsFor({ choices, kind, parameter }: Filter): readonly Value[] {
  const schema = oneOf(parameter.schema);
  const plain = plainValue([schema]);
  switch (kind) {
    case 'enum':
      return choices.slice(0, 2);
    case 'boolean':
      return [true, false];
    case 'uuid':
      return [randomUUID(), randomUUID()];
    case 'text':
      return ['amber', 'cobalt', plain].filter((text) => fits([schema], text)).slice(0, 2);
    case 'integer':
    case 'number':
      return typeof plain === 'bigint' ? [plain, plain + 1n, plain + 2n] : [plain];
    default:
      return [0, 1, 2, -1].flatMap((steps) => laterText(kind, plain, steps) ?? []);
  }
}

/** What a filter is asked for, in the form of its parameter: at most three of the values that items have. */
export function askedFor({ comparison, kind, parameter, member }: Filter, shown: readonly Value[]): Value[] {
  const values = shown.filter(
    (one, index) => one !== null && !shown.slice(0, index).some((other) => isSame(one, other, kind)),
  );
  if (!takesList(parameter.schema)) return values.filter((one) => fits([parameter.schema], one)).slice(0, 3);
  const lists = values.slice(0, 2).map((one): Value => [one]);
  // Whether an item with a list needs all of several values, nobody knows.
  const isOne = comparison === 'is' && !member.schemas.some(takesList);
  return [...lists, ...(isOne && values.length > 1 ? [values.slice(0, 2)] : [])].filter((one) =>
    fits([parameter.schema], one),
  );
}

/** A value of the parameter that none of the items has. */
export function otherValue(filter: Filter, shown: readonly Value[]): Value | undefined {
  const { choices, comparison, kind, parameter } = filter;
  if (comparison !== 'is') return undefined;
  const schema = oneOf(parameter.schema);
  const greatest = shown.reduce<bigint>(
    (most, part) => (typeof part === 'bigint' && part > most ? part : most),
    0n,
  );
  const candidates: readonly Value[] =
    kind === 'enum'
      ? choices
      : kind === 'integer'
        ? [greatest + 1_000_003n, greatest + 1n, 0n]
        : kind === 'text'
          ? [idsFor(schema)?.fresh() ?? null]
          : scalarsFor(filter);
  const isList = takesList(parameter.schema);
  return candidates
    .filter((value) => !shown.some((part) => isSame(part, value, kind)))
    .map((value) => (isList ? [value] : value))
    .find((value) => fits([parameter.schema], value));
}

function takesList(schema: Node): boolean {
  return layersOf(schema).some((layer) => layer.at('items') !== undefined);
}
