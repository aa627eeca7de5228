/** Workshops, each with its jobs. */
import { randomUUID } from 'node:crypto';
import { refuseIf } from '../plain/problem.js';
import type { Answered, Asked, Route } from '../plain/server.js';
import { isMembers, object, text, uuid } from '../plain/values.js';
import { pageOf, windowOf } from './pages.js';
import { find, type Store } from './store.js';

const workshop = object({
  required: ['name'],
  members: { id: uuid, name: text(1, 60), town: text(0, 60) },
  isClosed: true,
});

export function workshopRoutes(store: Store): readonly Route[] {
  const create = ({ owner, body }: Asked): Answered => {
    refuseIf(workshop(body));
    const id = randomUUID();
    const members = { ...(isMembers(body) && body), id };
    store.workshops.set(id, { owner, members });
    return { status: 201, headers: { location: `/workshops/${id}` }, body: members };
  };
  const list = ({ owner, query }: Asked): Answered => {
    const own = [...store.workshops.values()].filter((one) => one.owner === owner);
    return pageOf(
      own.map(({ members }) => members),
      windowOf(query),
    );
  };
  const get = ({ owner, path }: Asked): Answered => ({
    status: 200,
    body: find(store.workshops, path['workshopId'], owner).members,
  });
  const remove = ({ owner, path }: Asked): Answered => {
    const { members } = find(store.workshops, path['workshopId'], owner);
    store.workshops.delete(String(members['id']));
    for (const [id, { workshopId }] of store.jobs)
      if (workshopId === members['id'] && !store.has('the jobs of a removed workshop stay'))
        store.jobs.delete(id);
    return { status: 204 };
  };
  return [
    {
      operation: 'createWorkshop',
      method: 'POST',
      path: '/workshops',
      takes: ['application/json'],
      answer: create,
    },
    { operation: 'listWorkshops', method: 'GET', path: '/workshops', answer: list },
    { operation: 'getWorkshop', method: 'GET', path: '/workshops/{workshopId}', answer: get },
    { operation: 'removeWorkshop', method: 'DELETE', path: '/workshops/{workshopId}', answer: remove },
  ];
}
