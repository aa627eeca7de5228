/** Filters a list, and puts it in order, by the parameters that the checker understands (../resources/list-parameters.ts). */
import type { Operation } from '../document/operations.js';
import { listParametersOf } from '../resources/list-parameters.js';
import type { Item } from './bodies.js';

/** @param query the values of the query parameters; an absent one has its default already */
export function selected(list: Operation, items: readonly Item[], query: Item): Item[] {
  const { filters, orders } = listParametersOf(list);
  const fitting = items.filter((item) =>
    filters.every(({ parameter, member }) => {
      const asked = query[parameter.name];
      return asked === undefined || [asked].flat().map(String).includes(String(item[member.name]));
    }),
  );
  const order = orders.find(({ parameter, text }) => [query[parameter.name]].flat().map(String)[0] === text);
  if (order === undefined) return fitting;
  const sign = order.isDescending ? -1 : 1;
  return fitting.toSorted((one, other) => sign * compared(one[order.member], other[order.member]));
}

/** Numbers have their order, and texts that of their code points. What is absent comes first. */
function compared(one: unknown, other: unknown): number {
  if (one === other) return 0;
  if (one === undefined || one === null) return -1;
  if (other === undefined || other === null) return 1;
  if (isNumber(one) && isNumber(other)) return one < other ? -1 : one > other ? 1 : 0;
  // UTF-8 has the order of the code points, and UTF-16 has not.
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}
