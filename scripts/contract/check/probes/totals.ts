/** Reads the length that a list tells: in a member beside its items, or in a header such as `X-Total-Count`. */
import { headerValues } from '../../kit/http/answer.js';
import { isArray, isObject, type Value } from '../../values/json.js';
import { bodyOf, isSilence, type Reply } from '../requests/reply.js';

interface Total {
  readonly name: string;
  readonly value: bigint;
  /** Whether the name may mean the length of the page as well. */
  readonly isOfPage: boolean;
}

const totals = /^total(?:_?(?:count|items|results|size|elements|records))?$/i;
const counts = /^(?:count|item_?count|num_?(?:found|results|items))$/i;
const headers = ['x-total-count', 'x-total', 'total-count'];

/** Whether a member of this name tells the length of a list. */
export function isLength(name: string): boolean {
  return totals.test(name) || counts.test(name);
}

export function isLengthHeader(name: string): boolean {
  return headers.includes(name.toLowerCase());
}

export function totalsIn(reply: Reply): Total[] {
  if (isSilence(reply)) return [];
  const told = headers.flatMap((name) =>
    headerValues(reply, name).flatMap((text) =>
      /^\d{1,15}$/.test(text) ? [{ name, value: BigInt(text), isOfPage: false }] : [],
    ),
  );
  return [...told, ...inEnvelope(bodyOf(reply))];
}

/** Looks in the envelope, and in an object such as "paging" within. */
function inEnvelope(body: Value): Total[] {
  if (!isObject(body)) return [];
  const objects = [body, ...Object.values(body).filter((part) => isObject(part) && !isArray(part))];
  return objects.flatMap((part) =>
    Object.entries(isObject(part) ? part : {}).flatMap(([name, value]) => {
      const isTotal = totals.test(name);
      return typeof value === 'bigint' && isLength(name) ? [{ name, value, isOfPage: !isTotal }] : [];
    }),
  );
}
