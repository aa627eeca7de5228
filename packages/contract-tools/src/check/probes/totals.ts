/** Reads the length that a list tells: in a member beside its items, or in a header such as `X-Total-Count`. */
import { headerValues } from '../../base/http/answer.js';
import { isLength, isTotal, lengthHeaders } from '../../resources/lengths.js';
import { membersNear } from '../../values/json.js';
import { bodyOf, isSilence, type Reply } from '../requests/reply.js';

interface Total {
  readonly name: string;
  readonly value: bigint;
  /** Whether the name may mean the length of the page as well. */
  readonly isOfPage: boolean;
}

export function totalsIn(reply: Reply): Total[] {
  if (isSilence(reply)) return [];
  const told = lengthHeaders.flatMap((name) =>
    headerValues(reply, name.toLowerCase()).flatMap((text) =>
      /^\d{1,15}$/.test(text) ? [{ name, value: BigInt(text), isOfPage: false }] : [],
    ),
  );
  const inEnvelope = membersNear(bodyOf(reply)).flatMap(([name, value]) =>
    typeof value === 'bigint' && isLength(name) ? [{ name, value, isOfPage: !isTotal(name) }] : [],
  );
  return [...told, ...inEnvelope];
}
