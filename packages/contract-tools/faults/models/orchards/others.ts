/**
 * Operations in no collection. Some succeed only with the document's example, and some fail whatever is sent.
 */
import { randomUUID } from 'node:crypto';
import { Decimal } from '../../../src/values/json.js';
import type { Grounds, Handler } from './collection.js';
import { isInteger, isText, known, Refusal, require } from './values.js';

/** @returns handlers with keys as those of a collection */
export function otherHandlers({ has }: Grounds): Readonly<Record<string, Handler>> {
  return {
    'GET health 1': () => ({ status: 200, body: { well: true } }),
    'GET seasons 2': ({ path: [, season = ''] }) => {
      if (!['spring', 'autumn'].includes(season)) throw new Refusal(404);
      return { status: 200, body: { months: 3n } };
    },
    'POST sessions 1': logIn,
    'POST weights 1': ({ body }) => {
      const { kilos } = known(body, ['kilos']);
      require(isInteger(kilos, 1n, has('the greatest weight is refused') ? 499n : 500n));
      return { status: 200, body: { price: new Decimal(has('a price is no multiple') ? '0.35' : '0.3') } };
    },
    'POST varieties/grafts 3': ({ body }) => {
      require(isInteger(known(body, ['count'])['count'], 1n, 9n));
      if (has('a graft fails')) throw new Error('There is no table for grafts.');
      throw new Refusal(404);
    },
    'POST harvests 1': fails(422),
    'GET keys 1': fails(403),
    'POST wardens 1': fails(403),
    'DELETE wardens 2': fails(404),
    'GET wardens/rounds 3': fails(404),
    'POST wardens/rounds 3': fails(404),
    'DELETE wardens/rounds 4': fails(404),
  };
}

const logIn: Handler = ({ body }) => {
  const { user, password } = known(body, ['user', 'password']);
  if (!isText(user, 0, 40) || !isText(password, 0, Number.POSITIVE_INFINITY)) throw new Refusal(400);
  if (user !== 'warden' || password !== 'secret') throw new Refusal(401);
  return { status: 200, body: { session: randomUUID() } };
};

function fails(status: number): Handler {
  return () => {
    throw new Refusal(status);
  };
}
