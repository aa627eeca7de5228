/**
 * Makes the place of an item in a sorted list whole. A list that is sorted by title begins after an item if the
 * request has its id and its title: `sort=title&after=7&afterTitle=Fern`. No schema says that these parameters
 * belong together, so a server that refuses one of them alone is right, and each request gets all or none.
 */
import type { Operation, Parameter } from '../../document/operations.js';
import { listParametersOf, type Order } from '../../resources/list-parameters.js';
import { pagingOf, placeParameterOf } from '../../resources/paging.js';
import type { RequestValues } from '../requests/request-values.js';
import { plainText } from '../values/carried-texts.js';

/** An order with the parameters that say where an item stands in it. */
interface PlacedOrder extends Order {
  readonly cursor: Parameter;
  readonly place: Parameter;
}

/** Thousands of requests are made for the same operation. */
const known = new WeakMap<Operation, readonly PlacedOrder[]>();

function placedOrdersOf(operation: Operation): readonly PlacedOrder[] {
  const paging = pagingOf(operation);
  const cursor = paging?.cursor;
  if (paging === undefined || cursor === undefined) return [];
  return listParametersOf(operation).orders.flatMap((order) => {
    const place = placeParameterOf(operation, paging, order.member);
    return place === undefined ? [] : [{ ...order, cursor, place }];
  });
}

/** @returns the request, with the parameters that belong to those it has */
export function withWholePlace(operation: Operation, values: RequestValues): RequestValues {
  const orders = known.get(operation) ?? placedOrdersOf(operation);
  known.set(operation, orders);
  const { query } = values;
  const isAsked = ({ parameter, text }: Order) => query[parameter.name] === text;
  const isPlaced = ({ place }: PlacedOrder) => query[place.name] !== undefined;
  const order =
    orders.find((one) => isAsked(one) && (isPlaced(one) || query[one.cursor.name] !== undefined)) ??
    orders.find(isPlaced);
  if (order === undefined) return values;
  const { cursor, parameter, place, text } = order;
  const places = new Set(orders.map((one) => one.place.name));
  const others = Object.entries(query).filter(([name]) => !places.has(name));
  return {
    ...values,
    query: {
      ...Object.fromEntries(others),
      [parameter.name]: text,
      [cursor.name]: query[cursor.name] ?? plainText(cursor),
      [place.name]: query[place.name] ?? plainText(place),
    },
  };
}
