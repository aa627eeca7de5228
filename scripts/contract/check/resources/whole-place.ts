/**
 * Makes the place of an item in a sorted list whole. A list that is sorted by title begins after an item if the
 * request has its id and its title: `sort=title&after=7&afterTitle=Fern`. No schema says that these parameters
 * belong together, so a server that refuses one of them alone is right, and each request gets all or none.
 */
import type { Operation } from '../../document/operations.js';
import { listParametersOf } from '../../resources/list-parameters.js';
import { pagingOf, placeParameterOf } from '../../resources/paging.js';
import type { RequestValues } from '../requests/request.js';
import { plainText } from '../values/carried-texts.js';

/** @returns the request, with the parameters that belong to those it has */
export function withWholePlace(operation: Operation, values: RequestValues): RequestValues {
  const paging = pagingOf(operation);
  const cursor = paging?.cursor;
  if (paging === undefined || cursor === undefined) return values;
  const orders = listParametersOf(operation).orders.flatMap((order) => {
    const place = placeParameterOf(operation, paging, order.member);
    return place === undefined ? [] : [{ ...order, place }];
  });
  const { query } = values;
  const asked = orders.find(({ parameter, text }) => query[parameter.name] === text);
  const isContinued = query[cursor.name] !== undefined;
  const order = isContinued && asked ? asked : orders.find(({ place }) => query[place.name] !== undefined);
  if (order === undefined) return values;
  const places = new Set(orders.map(({ place }) => place.name));
  const others = Object.fromEntries(Object.entries(query).filter(([name]) => !places.has(name)));
  const { parameter, text, place } = asked?.place === order.place ? asked : order;
  return {
    ...values,
    query: {
      ...others,
      [parameter.name]: text,
      [cursor.name]: query[cursor.name] ?? plainText(cursor),
      [place.name]: query[place.name] ?? plainText(place),
    },
  };
}
