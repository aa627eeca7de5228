/** The members of a job: what fits, what is a default, and what only the server decides. */
import {
  type Check,
  date,
  integer,
  isMembers,
  type Members,
  nullable,
  object,
  oneOf,
  text,
  uuid,
} from '../plain/values.js';
import type { Store } from './store.js';

export const states = oneOf('open', 'waiting', 'closed');
const readOnlyNames = ['id', 'number', 'workshopId', 'createdAt'] as const;

/** Makes the check of a body. The members that are readOnly may be anything that fits: they are ignored. */
export function jobCheck(store: Store): Check {
  const anyText = text(0, 100_000);
  return object({
    required: ['title', 'kind'],
    isClosed: !store.has('unknown members are taken'),
    members: {
      id: uuid,
      number: integer(1, 2 ** 31 - 1),
      workshopId: uuid,
      createdAt: text(1, 100),
      title: store.has('a title may have any length') ? anyText : text(1, 80),
      kind: store.has('a kind may be any text') ? anyText : oneOf('service', 'repair', 'recall'),
      state: states,
      mechanic: uuid,
      due: nullable(
        store.has('a date need not be in the calendar') ? text(10, 10, /^\d{4}-\d\d-\d\d$/) : date,
      ),
      contact: object({
        required: ['name'],
        members: {
          name: text(1, 60),
          channel: oneOf('phone', 'mail', 'none'),
          language: text(2, 2, /^[a-z]{2}$/),
        },
        isClosed: true,
      }),
      price: object({
        required: ['cents'],
        members: { cents: integer(0, 2 ** 31 - 1), currency: oneOf('EUR', 'CHF', 'GBP') },
        isClosed: true,
      }),
    },
  });
}

/** The check of a replacement, which may be broken in another way. */
export function replacementCheck(store: Store): Check {
  if (store.has('a replacement is not validated'))
    return (body) => (isMembers(body) ? undefined : 'must be an object');
  if (!store.has('the body of a get is refused by a replacement')) return jobCheck(store);
  const ownMember: Check = (value) => (value === undefined ? undefined : 'must not be sent');
  const own = object({ members: Object.fromEntries(readOnlyNames.map((name) => [name, ownMember])) });
  return (body) => jobCheck(store)(body) ?? own(body);
}

/** Returns the members that a client decides, with their defaults. */
export function withDefaults(body: unknown, store: Store): Members {
  const given = without(isMembers(body) ? body : {}, readOnlyNames);
  const { contact, price } = given;
  const currency = store.has('the default currency of a price is another one') ? 'CHF' : 'EUR';
  return {
    state: 'open',
    ...given,
    ...(isMembers(contact) && { contact: { channel: 'phone', language: 'en', ...contact } }),
    ...(isMembers(price) && { price: { currency, ...price } }),
  };
}

export function without(members: Members, names: readonly string[]): Members {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));
}
