/** Faults in what is kept: the store forgets, mixes up, or tells others. */

import type { Fault, Next, ProxyAnswer, ProxyRequest } from '../../../packages/contract-tools/faults.js';
import { isObject, type Value } from '../../../packages/contract-tools/index.js';
import {
  answering,
  bearer,
  failure,
  fault,
  header,
  idIn,
  json,
  membersOf,
  noContent,
  operationOf,
  sending,
  stateful,
  textOf,
  withItems,
  withMembers,
  without,
} from './parts.js';

function nameOf(item: Value | undefined): string {
  return item !== undefined && isObject(item) ? textOf(item['name']) : '';
}

const keyOf = (request: ProxyRequest): string =>
  `${header(request, 'authorization')} ${operationOf(request) === 'deletePlant' ? idIn(request) : membersOf(request.body)['id']}`;

/** Gets the whole list, so that the fault and not the server cuts it. */
async function listAll(request: ProxyRequest, next: Next): Promise<{ answer: ProxyAnswer; limit: number }> {
  const limit = Number(/^\/plants\?limit=([1-9][0-9]{0,8})$/.exec(request.target)?.[1] ?? Number.NaN);
  return {
    answer: await next(limit > 0 ? { ...request, target: '/plants' } : request),
    limit: limit || Infinity,
  };
}

function sorted(name: string, order: (items: readonly Value[]) => readonly Value[]): Fault {
  return fault(name, 'listPlants', async (request, next) => {
    if (operationOf(request) !== 'listPlants') return next(request);
    const { answer, limit } = await listAll(request, next);
    return withItems(answer, (items) => order(items).slice(0, limit));
  });
}

function cut(name: string, change: (limit: number) => number): Fault {
  return sending(name, 'listPlants', (request) => ({
    ...request,
    target: request.target.replace(/^\/plants\?limit=([1-9][0-9]{0,8})$/, (_, limit: string) => {
      const changed = change(Number(limit));
      return Number.isFinite(changed) ? `/plants?limit=${changed}` : '/plants';
    }),
  }));
}

export const storeFaults: readonly Fault[] = [
  cut('limit lets one more through', (limit) => limit + 1),
  cut('limit lets one less through', (limit) => Math.max(1, limit - 1)),
  cut('limit is ignored', () => Number.POSITIVE_INFINITY),
  cut('limit is never more than 100', (limit) => Math.min(100, limit)),
  sending('without limit, only a page of 100 is listed', 'listPlants', (request) =>
    request.target === '/plants' ? { ...request, target: '/plants?limit=100' } : request,
  ),
  answering('the last plant of a page is listed twice', 'listPlants', 200, (answer) =>
    withItems(answer, (items) => [...items.slice(0, 100), ...items.slice(99)].slice(0, items.length + 1)),
  ),
  answering('a page begins one plant too late', 'listPlants', 200, (answer) =>
    withItems(answer, (items) => items.filter((_, index) => index !== 100)),
  ),
  sorted('the list is in the order of the names', (items) =>
    items.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
  ),
  sorted('the greatest id comes first', (items) => items.toReversed()),
  stateful('the list is in the order of creation', 'listPlants', () => {
    const created: string[] = [];
    return async (request, next) => {
      if (operationOf(request) === 'createPlant') created.push(textOf(membersOf(request.body)['name']));
      if (operationOf(request) !== 'listPlants') return next(request);
      const { answer, limit } = await listAll(request, next);
      const rank = (item: Value): number => created.indexOf(nameOf(item));
      return withItems(answer, (items) => items.toSorted((a, b) => rank(a) - rank(b)).slice(0, limit));
    };
  }),
  stateful('the list forgets the newest plant', 'listPlants', () => {
    let newest = '';
    return async (request, next) => {
      const answer = await next(request);
      if (operationOf(request) === 'createPlant' && answer.status === 200)
        newest = textOf(membersOf(request.body)['name']);
      return operationOf(request) === 'listPlants' && answer.status === 200
        ? withItems(answer, (items) => items.filter((item) => nameOf(item) !== newest))
        : answer;
    };
  }),
  stateful('the list comes from a replica that is late', 'listPlants', () => {
    const earlier = new Map<string, ProxyAnswer>();
    return async (request, next) => {
      const answer = await next(request);
      if (operationOf(request) !== 'listPlants' || answer.status !== 200) return answer;
      const key = header(request, 'authorization') + request.target;
      const late = earlier.get(key) ?? answer;
      earlier.set(key, answer);
      return late;
    };
  }),
  stateful('every tenth create is lost', 'createPlant', () => {
    let creates = 0;
    return async (request, next) => {
      const answer = await next(request);
      const lost = operationOf(request) === 'createPlant' && answer.status === 200 && ++creates % 10 === 0;
      if (lost) await next(deleteOf(request, membersOf(request.body)['id']));
      return answer;
    };
  }),
  stateful('the same create again is a conflict', 'createPlant', () => {
    const seen = new Set<string>();
    return async (request, next) => {
      const answer = await next(request);
      const key = keyOf(request);
      if (operationOf(request) === 'deletePlant') seen.delete(key);
      if (operationOf(request) !== 'createPlant' || answer.status !== 200) return answer;
      if (seen.has(key)) return failure(409);
      seen.add(key);
      return answer;
    };
  }),
  answering('a conflict is answered 200, and nothing changes', 'createPlant', 409, (_, request) =>
    json(200, without(membersOf(request.body), 'id')),
  ),
  answering('a conflict replaces what was there', 'createPlant', 409, async (_, request, next) => {
    await next(deleteOf(request, membersOf(request.body)['id']));
    return next(request);
  }),
  answering('a conflict looks at the name only', 'createPlant', 409, async (answer, request, next) => {
    const names = await next({
      ...request,
      method: 'GET',
      target: '/plants',
      body: Buffer.alloc(0),
      headers: withoutBody(request),
    });
    const name = textOf(membersOf(request.body)['name']);
    return names.body.includes(JSON.stringify(name))
      ? json(200, without(membersOf(request.body), 'id'))
      : answer;
  }),
  stateful('creates at the same time all succeed', 'createPlant', () => {
    const busy = new Map<string, number>();
    return async (request, next) => {
      if (operationOf(request) !== 'createPlant') return next(request);
      const key = keyOf(request);
      busy.set(key, (busy.get(key) ?? 0) + 1);
      const answer = await next(request);
      const others = (busy.get(key) ?? 1) - 1;
      busy.set(key, others);
      return answer.status === 409 && others > 0 ? json(200, without(membersOf(request.body), 'id')) : answer;
    };
  }),
  stateful('deletes at the same time all succeed', 'deletePlant', () => {
    const busy = new Map<string, number>();
    return async (request, next) => {
      if (operationOf(request) !== 'deletePlant') return next(request);
      const key = keyOf(request);
      busy.set(key, (busy.get(key) ?? 0) + 1);
      const answer = await next(request);
      const others = (busy.get(key) ?? 1) - 1;
      busy.set(key, others);
      return answer.status === 404 && others > 0 ? noContent : answer;
    };
  }),
  answering('deleting what is not there is a 204', 'deletePlant', 404, () => noContent),
  fault('a delete is answered, and not done', 'deletePlant', (request, next) =>
    operationOf(request) === 'deletePlant' && /^\/plants\/-?[1-9][0-9]{15,}$/.test(request.target)
      ? noContent
      : next(request),
  ),
  stateful('an id is never free again', 'createPlant', () => {
    const deleted = new Set<string>();
    return async (request, next) => {
      if (operationOf(request) === 'createPlant' && deleted.has(keyOf(request))) return failure(409);
      const answer = await next(request);
      if (operationOf(request) === 'deletePlant' && answer.status === 204) deleted.add(keyOf(request));
      return answer;
    };
  }),
  stateful('everybody sees everybody’s plants', 'listPlants', ({ tokens }) => async (request, next) => {
    const answer = await next(request);
    if (operationOf(request) !== 'listPlants' || answer.status !== 200) return answer;
    const both = await Promise.all(
      [tokens.first, tokens.second].map((token) => next(bearer(request, token))),
    );
    return withItems(answer, () => both.flatMap(({ body }) => items(body)));
  }),
  stateful(
    'everybody may delete everybody’s plants',
    'deletePlant',
    ({ tokens }) =>
      async (request, next) => {
        const answer = await next(request);
        if (operationOf(request) !== 'deletePlant' || answer.status !== 404) return answer;
        const other = header(request, 'authorization').endsWith(tokens.first) ? tokens.second : tokens.first;
        return next(bearer(request, other));
      },
  ),
  stateful('an id is unique among all owners', 'createPlant', () => {
    const owners = new Map<string, string>();
    return async (request, next) => {
      const operation = operationOf(request);
      const [owner, id] = [
        header(request, 'authorization'),
        String(operation === 'deletePlant' ? idIn(request) : membersOf(request.body)['id']),
      ];
      if (operation === 'createPlant' && (owners.get(id) ?? owner) !== owner) return failure(409);
      const answer = await next(request);
      if (operation === 'createPlant' && answer.status === 200) owners.set(id, owner);
      if (operation === 'deletePlant' && answer.status === 204) owners.delete(id);
      return answer;
    };
  }),
  fault('the tag is answered, and not stored', 'createPlant', async (request, next) => {
    const answer = await next(request);
    const { id, tag } = membersOf(request.body);
    if (operationOf(request) !== 'createPlant' || answer.status !== 200 || tag === undefined) return answer;
    await next(deleteOf(request, id));
    await next(withMembers(request, (members) => without(members, 'tag')));
    return answer;
  }),
];

function items(body: Buffer): readonly Value[] {
  const value: Value[] = JSON.parse(body.toString());
  return value;
}

function deleteOf(request: ProxyRequest, id: Value | undefined): ProxyRequest {
  const target = `/plants/${id}`;
  return { method: 'DELETE', target, body: Buffer.alloc(0), headers: withoutBody(request) };
}

function withoutBody({ headers }: ProxyRequest): ProxyRequest['headers'] {
  return headers.filter(([name]) => !/^content-|^transfer-encoding$/i.test(name));
}
