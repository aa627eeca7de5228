/** Halls, which a PUT makes or replaces: RFC 9110, section 9.3.4. */
import { Problem, refuseIf } from '../plain/problem.js';
import type { Answered, Asked, Route } from '../plain/server.js';
import { boolean, integer, isMembers, object } from '../plain/values.js';
import { hallName } from './exhibit-members.js';
import type { Store } from './store.js';

const hallBody = object({ required: ['floor'], members: { floor: integer(-3, 20), isHeated: boolean } });

export function hallRoutes(store: Store): readonly Route[] {
  const nameIn = ({ path }: Asked): string => path['hall'] ?? '';
  const list = ({ owner }: Asked): Answered => {
    const halls = [...store.halls.of(owner)].toSorted(([one], [other]) => (one < other ? -1 : 1));
    return { status: 200, body: halls.map(([, hall]) => hall) };
  };
  const put = (asked: Asked): Answered => {
    const { owner, body } = asked;
    const hall = nameIn(asked);
    const wrongName = hallName(hall);
    if (wrongName !== undefined) throw new Problem(400, `The name of a hall ${wrongName}.`);
    refuseIf(hallBody(body));
    const before = store.halls.of(owner).get(hall);
    const { floor, isHeated = true } = {
      ...(store.has('a hall keeps what its replacement leaves out') && before),
      ...(isMembers(body) ? body : {}),
    };
    const members = { hall, floor, isHeated };
    store.halls.of(owner).set(hall, members);
    const isNew = before === undefined && !store.has('a hall that is new is a 200');
    return { status: isNew || store.has('a hall that was there is a 201') ? 201 : 200, body: members };
  };
  const get = (asked: Asked): Answered => ({
    status: 200,
    body: store.halls.find(asked.owner, nameIn(asked), false).members,
  });
  const remove = (asked: Asked): Answered => {
    const { owner } = asked;
    const { hall } = store.halls.find(owner, nameIn(asked), false).members;
    if ([...store.exhibits.of(owner).values()].some((exhibit) => exhibit['hall'] === hall))
      throw new Problem(409, 'There are exhibits in this hall.');
    store.halls.of(owner).delete(String(hall));
    return { status: 204 };
  };
  const item = '/halls/{hall}';
  return [
    { operation: 'listHalls', method: 'GET', path: '/halls', answer: list },
    { operation: 'putHall', method: 'PUT', path: item, takes: ['application/json'], answer: put },
    { operation: 'getHall', method: 'GET', path: item, answer: get },
    { operation: 'removeHall', method: 'DELETE', path: item, answer: remove },
  ];
}
