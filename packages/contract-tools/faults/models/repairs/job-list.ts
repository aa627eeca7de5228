/** Lists the jobs of a workshop: filters, the order, the page and the total. */
import { parameter } from '../plain/request.js';
import type { Answered, Asked } from '../plain/server.js';
import { type Members, oneOf, uuid } from '../plain/values.js';
import { states } from './job-members.js';
import { pageOf, windowOf } from './pages.js';
import { find, type Store } from './store.js';

const orders = oneOf('number', '-number', 'title', '-title');

export function listJobs(store: Store, { owner, path, query }: Asked): Answered {
  const isOpen = store.has('another owner lists the jobs of a workshop');
  const workshop = find(store.workshops, path['workshopId'], owner, isOpen);
  const state = parameter(query, 'state', states);
  const mechanic = parameter(query, 'mechanic', uuid)?.toLowerCase();
  const sort = parameter(query, 'sort', orders) ?? 'number';
  const { limit, offset } = windowOf(query);
  const all = [...store.jobs.values()]
    .filter(({ workshopId }) => workshopId === workshop.members['id'])
    .map(({ members }) => members);
  const fitting = all
    .filter(
      (job) => state === undefined || job['state'] === state || store.has('the filter by state is ignored'),
    )
    .filter(
      (job) =>
        mechanic === undefined ||
        String(job['mechanic']).toLowerCase() === mechanic ||
        store.has('the filter by mechanic is ignored'),
    );
  if (state !== undefined && store.has('the filter by state loses one that fits')) fitting.pop();
  const order = orderOf(store.has('sort is ignored') ? 'number' : sort, store);
  const start = offset > 0 && store.has('an offset repeats a job') ? offset - 1 : offset;
  const size = store.has('the limit of jobs is ignored') ? 100 : limit;
  const sorted = fitting.toSorted(order);
  if (store.has('sort puts the page in order, not the whole')) {
    const page = fitting.slice(start, start + size).toSorted(order);
    return { status: 200, body: { items: page, total: fitting.length } };
  }
  if (store.has('the total is that of the page')) {
    const items = sorted.slice(start, start + size);
    return { status: 200, body: { items, total: items.length } };
  }
  if (store.has('the total does not know the filter'))
    return { status: 200, body: { items: sorted.slice(start, start + size), total: all.length } };
  return pageOf(sorted, { limit: size, offset: start });
}

function orderOf(sort: string, store: Store): (one: Members, other: Members) => number {
  const isDown = sort.startsWith('-') && !store.has('sort with a minus begins with the least');
  const ascending = (one: Members, other: Members): number =>
    (sort.endsWith('title') ? compareTexts(one['title'], other['title']) : 0) ||
    Number(one['number']) - Number(other['number']);
  return isDown ? (one, other) => ascending(other, one) : ascending;
}

/** Compares code points: the order of UTF-8 is theirs, and that of UTF-16 is not. */
function compareTexts(one: unknown, other: unknown): number {
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));
}
