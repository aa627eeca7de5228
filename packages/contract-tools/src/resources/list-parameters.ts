/**
 * Finds out what the parameters of a list do, by their names and schemas: no schema says it. A parameter with
 * the name of a member is a filter: `state` lets through the items with that state. It is taken for one only
 * if both have the values of one enum, or both are booleans, integers or UUIDs, because a text such as `name` may
 * as well be searched for a part of it. A parameter such as `sort` puts the items in order, if its values name
 * members: `title`, `-title`, `title:desc`.
 */
import type { Operation, Parameter } from '../document/operations.js';
import { typeOf } from '../values/bounds.js';
import type { Value } from '../values/json.js';
import { layersOf } from '../values/layers.js';
import { type Member, membersOf } from '../values/sites.js';
import { choices } from '../values/valid-values.js';
import { pagingOf, sizeParameterOf } from './paging.js';
import { listOf } from './shape.js';

type FilterKind = 'enum' | 'boolean' | 'integer' | 'uuid';

export interface Filter {
  readonly parameter: Parameter;
  readonly member: Member;
  readonly kind: FilterKind;
  /** The values of the enum that the parameter and the member have in common. */
  readonly choices: readonly Value[];
}

/** One value of a parameter that puts the items in order. */
export interface Order {
  readonly parameter: Parameter;
  readonly text: string;
  /** The name of the member that decides. */
  readonly member: string;
  /** Whether the greatest value comes first. */
  readonly isDescending: boolean;
}

interface ListParameters {
  readonly filters: readonly Filter[];
  readonly orders: readonly Order[];
  /** The parameters of which nothing is known but their values. */
  readonly others: readonly Parameter[];
}

const sortNames = /^\$?(?:sort|order|sort_?by|order_?by|sorting|ordering)$/i;

export function listParametersOf(list: Operation): ListParameters {
  const members = membersOf(listOf(list)?.items ?? []);
  const paging = Object.values(pagingOf(list) ?? {});
  const query = list.parameters.filter(
    (parameter) =>
      parameter.in === 'query' && !paging.includes(parameter) && parameter !== sizeParameterOf(list),
  );
  const filters = query.flatMap((parameter) => filterOf(parameter, members) ?? []);
  const orders = query.flatMap((parameter) => ordersOf(parameter, members));
  const known = new Set([...filters, ...orders].map(({ parameter }) => parameter));
  return { filters, orders, others: query.filter((parameter) => !known.has(parameter)) };
}

function filterOf(parameter: Parameter, members: readonly Member[]): Filter | undefined {
  const member = members.find(({ name }) => plain(name) === plain(parameter.name));
  if (member === undefined) return undefined;
  const layers = [layersOf(parameter.schema), member.schemas.flatMap(layersOf)];
  const [kind, other] = layers.map(kindOf);
  if (kind === undefined || kind !== other) return undefined;
  const [asked = [], shown = []] = layers.map((each) => each.flatMap(choices));
  const common = asked.filter((choice) => choice !== null && shown.includes(choice));
  return kind === 'enum' && common.length === 0 ? undefined : { parameter, member, kind, choices: common };
}

function kindOf(layers: readonly Parameter['schema'][]): FilterKind | undefined {
  switch (typeOf(layers)) {
    case 'boolean':
      return 'boolean';
    case 'integer':
      return 'integer';
    case 'string':
      if (layers.some((layer) => layer.at('enum') !== undefined)) return 'enum';
      return layers.some((layer) => layer.text('format') === 'uuid') ? 'uuid' : undefined;
    default:
      return undefined;
  }
}

function ordersOf(parameter: Parameter, members: readonly Member[]): Order[] {
  if (!sortNames.test(parameter.name)) return [];
  return layersOf(parameter.schema)
    .flatMap(choices)
    .flatMap((choice) => {
      const [, sign = '', name = '', direction = ''] =
        /^([-+]?)(.+?)(?:[:. _](asc|desc|ascending|descending))?$/i.exec(String(choice)) ?? [];
      const member = members.find((one) => plain(one.name) === plain(name));
      if (member === undefined) return [];
      const isDescending = sign === '-' || /^desc/i.test(direction);
      return [{ parameter, text: String(choice), member: member.name, isDescending }];
    });
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
