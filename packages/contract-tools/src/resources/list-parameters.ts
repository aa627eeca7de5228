/**
 * Finds out what the parameters of a list do, by their names and schemas: no schema says it.
 *
 * - A parameter with the name of a member is a filter: `state` lets through the items with that state. It is taken for one
 *   only if both have the values of one enum, or both are booleans, integers or UUIDs, because a text such as `name` may
 *   as well be searched for a part of it. If it takes a list, an item fits that has one of its values.
 * - So is one with the name of a member that refers to an item of another collection, and one such as `labels[colour]`
 *   with the names of a member and of a part of it.
 * - A parameter such as `due_after`, `due_before`, `price_gte` or `price[lt]` compares with a date, a time or a number. It
 *   is taken for one only if a single member has that name. Whether "after" leaves out an equal value, nobody knows.
 * - A parameter such as `sort` puts the items in order, if its values name members: `title`, `-title`, `title:desc`.
 */
import type { Node } from '../document/node.js';
import type { Operation, Parameter } from '../document/operations.js';
import { typeOf } from '../values/bounds.js';
import type { Value } from '../values/json.js';
import { layersOf } from '../values/layers.js';
import { type Member, membersOf } from '../values/sites.js';
import { choices } from '../values/valid-values.js';
import { pagingOf, sizeParameterOf } from './paging.js';
import { listOf } from './shape.js';

const equalKinds = ['enum', 'boolean', 'integer', 'uuid', 'text'] as const;
const orderedKinds = ['integer', 'number', 'date', 'date-time'] as const;
const comparisons = ['after', 'before', 'gte', 'lte', 'gt', 'lt'] as const;

export interface Filter {
  readonly parameter: Parameter;
  readonly member: Member;
  /** The name of a part of the member, if the filter is about that: `colour` of `labels[colour]`. */
  readonly key?: string | undefined;
  readonly kind: (typeof equalKinds)[number] | (typeof orderedKinds)[number];
  /** How the value of an item is to what is asked for. */
  readonly comparison: 'is' | (typeof comparisons)[number];
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

/** @param refersAt whether a member refers to an item of another collection; by default none does */
export function listParametersOf(
  list: Operation,
  refersAt: (name: string) => boolean = () => false,
): ListParameters {
  const members = membersOf(listOf(list)?.items ?? []);
  const paging = Object.values(pagingOf(list) ?? {});
  const query = list.parameters.filter(
    (parameter) =>
      parameter.in === 'query' && !paging.includes(parameter) && parameter !== sizeParameterOf(list),
  );
  const filters = query.flatMap(
    (parameter) => equalFilter(parameter, members, refersAt) ?? comparingFilter(parameter, members) ?? [],
  );
  const orders = query.flatMap((parameter) => ordersOf(parameter, members));
  const known = new Set([...filters, ...orders].map(({ parameter }) => parameter));
  return { filters, orders, others: query.filter((parameter) => !known.has(parameter)) };
}

/** The schema of one value of a parameter or a member, which may be a list of them. */
export function oneOf(schema: Node): Node {
  return layersOf(schema).flatMap((layer) => layer.at('items') ?? [])[0] ?? schema;
}

function equalFilter(
  parameter: Parameter,
  members: readonly Member[],
  refersAt: (name: string) => boolean,
): Filter | undefined {
  const [, outer = '', inner] = /^([^[]+)\[([^\]]+)\]$/.exec(parameter.name) ?? [];
  // `filter[state]` is about the member "state".
  const key = /^filters?$/i.test(outer) ? undefined : inner;
  const name = key === undefined ? (inner ?? parameter.name) : outer;
  const member = members.find((one) => plain(one.name) === plain(name));
  const whole = member?.schemas.flatMap(layersOf) ?? [];
  const schemas =
    key === undefined
      ? (member?.schemas ?? [])
      : whole.flatMap((layer) => layer.at('properties', key) ?? layer.at('additionalProperties') ?? []);
  if (member === undefined || schemas.length === 0) return undefined;
  const layers = [[parameter.schema], schemas].map((each) => each.map(oneOf).flatMap(layersOf));
  const isText = key !== undefined || refersAt(member.name);
  const [kind, other] = layers.map((each) => equalKindOf(each, isText));
  if (kind === undefined || kind !== other) return undefined;
  const [asked = [], shown = []] = layers.map((each) => each.flatMap(choices));
  const common = asked.filter((choice) => choice !== null && shown.includes(choice));
  if (kind === 'enum' && common.length === 0) return undefined;
  return { parameter, member, key, kind, comparison: 'is', choices: common };
}

function equalKindOf(layers: readonly Node[], isText: boolean): Filter['kind'] | undefined {
  switch (typeOf(layers)) {
    case 'boolean':
      return 'boolean';
    case 'integer':
      return 'integer';
    case 'string':
      if (layers.some((layer) => layer.at('enum') !== undefined)) return 'enum';
      if (layers.some((layer) => layer.text('format') === 'uuid')) return 'uuid';
      return isText ? 'text' : undefined;
    default:
      return undefined;
  }
}

/** `created_after` may be about `createdAt`, too. */
function comparingFilter(parameter: Parameter, members: readonly Member[]): Filter | undefined {
  const name = plain(parameter.name);
  const found = comparisons.flatMap((comparison) => {
    const stem = name.endsWith(comparison) ? name.slice(0, -comparison.length) : '';
    return members
      .filter(
        (one) =>
          stem !== '' &&
          [plain(one.name), plain(one.name).replace(/(?:at|on|date|time)$/, '')].includes(stem),
      )
      .map((member) => ({ comparison, member }));
  });
  const [only] = found;
  if (only === undefined || found.length > 1) return undefined;
  const [kind, other] = [[parameter.schema], only.member.schemas].map((each) =>
    orderedKindOf(each.flatMap(layersOf)),
  );
  const isNumber = [kind, other].every((one) => one === 'integer' || one === 'number');
  if (kind === undefined || other === undefined || (kind !== other && !isNumber)) return undefined;
  return { parameter, ...only, kind: kind === other ? kind : 'number', choices: [] };
}

function orderedKindOf(layers: readonly Node[]): (typeof orderedKinds)[number] | undefined {
  const type = typeOf(layers);
  if (type === 'integer' || type === 'number') return type;
  const formats = layers.flatMap((layer) => layer.text('format') ?? []);
  return type === 'string' ? orderedKinds.find((kind) => formats.includes(kind)) : undefined;
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
