/** Faults in the service of examples/gardens: two resources, one of which refers to the other, and pages. */

import type {
  Fault,
  Handler,
  Next,
  ProxyAnswer,
  ProxyRequest,
  World,
} from '../../../packages/contract-tools/faults.js';
import { isArray, isObject, type Value } from '../../../packages/contract-tools/index.js';
import { faultsOf, isAt, openTo, type Route } from './other-contracts.js';
import {
  another,
  bearer,
  failure,
  header,
  json,
  jsonOf,
  membersOf,
  noContent,
  textOf,
  withItems,
  withMembers,
  without,
} from './parts.js';

const { answering, breaking } = faultsOf('gardens');
const gardens = /^\/gardens(\?|$)/;
const garden = /^\/gardens\/[^/?]+(\?|$)/;
const beds = /^\/beds(\?|$)/;
const bed = /^\/beds\/[^/?]+(\?|$)/;
const createGarden: Route = { operation: 'createGarden', method: 'POST', path: gardens };
const listGardens: Route = { operation: 'listGardens', method: 'GET', path: gardens };
const getGarden: Route = { operation: 'getGarden', method: 'GET', path: garden };
const updateGarden: Route = { operation: 'updateGarden', method: 'PUT', path: garden };
const deleteGarden: Route = { operation: 'deleteGarden', method: 'DELETE', path: garden };
const createBed: Route = { operation: 'createBed', method: 'POST', path: beds };
const listBeds: Route = { operation: 'listBeds', method: 'GET', path: beds };
const getBed: Route = { operation: 'getBed', method: 'GET', path: bed };
const deleteBed: Route = { operation: 'deleteBed', method: 'DELETE', path: bed };

/** Asks again as the other owner if the answer is a 404, so that each owner reaches the other one's items. */
function shared(name: string, route: Route): Fault {
  return breaking(name, route, ({ tokens }) => async (request, next) => {
    const answer = await next(request);
    if (!isAt(route, request) || answer.status !== 404) return answer;
    return next(bearer(request, otherToken(request, tokens)));
  });
}

function otherToken(request: ProxyRequest, { first, second }: World['tokens']): string {
  return header(request, 'authorization').endsWith(first) ? second : first;
}

/** Changes what the server is sent. */
function sending(name: string, route: Route, change: (request: ProxyRequest) => ProxyRequest): Fault {
  return breaking(
    name,
    route,
    () => (request, next) => next(isAt(route, request) ? change(request) : request),
  );
}

/** Whether a request asks for another page than the first. */
const isLater = ({ target }: ProxyRequest): boolean => /[?&]after=/.test(target);

const withoutParameter = (request: ProxyRequest, name: string): ProxyRequest => ({
  ...request,
  target: request.target.replace(new RegExp(`([?&])${name}=[^&]*&?`), '$1').replace(/[?&]$/, ''),
});

/** Does a request, and undoes it before the answer goes out. */
const undoing =
  (route: Route, undo: (request: ProxyRequest, answer: ProxyAnswer) => ProxyRequest): (() => Handler) =>
  () =>
  async (request, next) => {
    const answer = await next(request);
    if (isAt(route, request) && answer.status < 300) await next(undo(request, answer));
    return answer;
  };

const stored = async (request: ProxyRequest, next: Next) =>
  membersOf((await next(another(request, 'GET', request.target))).body);

export const gardenFaults: readonly Fault[] = [
  shared('another owner reads a garden', getGarden),
  shared('another owner changes a garden', updateGarden),
  shared('another owner removes a garden', deleteGarden),
  shared('another owner reads a bed', getBed),
  shared('another owner removes a bed', deleteBed),
  breaking('everybody sees the beds of all', listBeds, ({ tokens }) => async (request, next) => {
    const answer = await next(request);
    if (!isAt(listBeds, request) || answer.status !== 200 || isLater(request)) return answer;
    const others = await next(bearer(another(request, 'GET', '/beds'), otherToken(request, tokens)));
    return withItems(answer, (mine) => [...mine, ...itemsOf(others)]);
  }),
  breaking('a later page leaves out its first garden', listGardens, () => async (request, next) => {
    const answer = await next(request);
    const isPage = isAt(listGardens, request) && isLater(request);
    return isPage ? withItems(answer, (items) => items.slice(1)) : answer;
  }),
  sending('the cursor of the gardens is ignored', listGardens, (request) =>
    withoutParameter(request, 'after'),
  ),
  sending('the limit of the beds is ignored', listBeds, (request) => withoutParameter(request, 'limit')),
  sending('the filter of the beds is ignored', listBeds, (request) => withoutParameter(request, 'garden')),
  sending('the order of the beds is ignored', listBeds, (request) =>
    withoutParameter(withoutParameter(request, 'sort'), 'afterName'),
  ),
  sending('beds are never sorted downwards', listBeds, (request) => ({
    ...request,
    target: request.target.replace('sort=-', 'sort='),
  })),
  breaking('a later page of sorted beds leaves out its first bed', listBeds, () => async (request, next) => {
    const answer = await next(request);
    const isPage = isAt(listBeds, request) && /[?&]afterName=/.test(request.target);
    return isPage ? withItems(answer, (items) => items.slice(1)) : answer;
  }),
  breaking('a later page of beds is turned round', listBeds, () => async (request, next) => {
    const answer = await next(request);
    const isPage = isAt(listBeds, request) && isLater(request);
    return isPage ? withItems(answer, (items) => items.toReversed()) : answer;
  }),
  answering('a garden is never listed', listGardens, (answer) =>
    withItems(answer, (items) => items.filter((item) => !/7$/.test(String(idOf(item))))),
  ),
  breaking('a garden is answered, and not kept', createGarden, () => {
    let created = 0;
    return async (request, next) => {
      const answer = await next(request);
      if (!isAt(createGarden, request) || answer.status !== 200 || ++created % 5 > 0) return answer;
      await next(another(request, 'DELETE', `/gardens/${membersOf(request.body)['id']}`));
      return answer;
    };
  }),
  answering('names of gardens are trimmed', createGarden, (answer) =>
    withMembers(answer, (shown) => ({ ...shown, name: textOf(shown['name']).trim() })),
  ),
  answering('a garden is shown without its area', getGarden, (answer) =>
    withMembers(answer, (shown) => without(shown, 'area')),
  ),
  breaking(
    'an area of 1,000,001 is taken',
    createGarden,
    () => (request, next) =>
      next(
        isAt(createGarden, request)
          ? withMembers(request, (sent) =>
              sent['area'] === 1_000_001n ? { ...sent, area: 1_000_000n } : sent,
            )
          : request,
      ),
  ),
  breaking(
    'the greatest area is refused',
    createGarden,
    () => (request, next) =>
      isAt(createGarden, request) && membersOf(request.body)['area'] === 1_000_000n
        ? failure(400)
        : next(request),
  ),
  breaking('a change of a garden changes nothing', updateGarden, () => async (request, next) => {
    if (!isAt(updateGarden, request)) return next(request);
    const { id, ...before } = await stored(request, next);
    const answer = await next(request);
    if (answer.status === 200) await next(another(request, 'PUT', request.target, before));
    return answer;
  }),
  breaking('a change keeps the area that it leaves out', updateGarden, () => async (request, next) => {
    if (!isAt(updateGarden, request)) return next(request);
    const { area } = await stored(request, next);
    const keeps = area !== undefined && isObject(membersOf(request.body));
    return next(keeps ? withMembers(request, (sent) => ({ area, ...sent })) : request);
  }),
  breaking('a removed garden stays', deleteGarden, () => async (request, next) => {
    if (!isAt(deleteGarden, request)) return next(request);
    const there = await next(another(request, 'GET', request.target));
    return there.status === 200 ? noContent : next(request);
  }),
  breaking('a bed in an absent garden is a 200', createBed, () => async (request, next) => {
    const answer = await next(request);
    return isAt(createBed, request) && answer.status === 404 ? json(200, membersOf(request.body)) : answer;
  }),
  answering('a bed is shown in another garden', getBed, (answer) =>
    withMembers(answer, (shown) => ({ ...shown, garden: 1n })),
  ),
  answering('a bed’s garden is a text in the list', listBeds, (answer) =>
    withItems(answer, (items) =>
      items.map((item) => (isObject(item) ? { ...item, garden: String(item['garden']) } : item)),
    ),
  ),
  breaking(
    'a bed is answered, and removed at once',
    createBed,
    undoing(createBed, (request) => another(request, 'DELETE', `/beds/${membersOf(request.body)['id']}`)),
  ),
  breaking('beds are removed twice', deleteBed, () => async (request, next) => {
    const answer = await next(request);
    return isAt(deleteBed, request) && answer.status === 404 ? noContent : answer;
  }),
  breaking('whoever has no token may add beds', createBed, openTo(createBed)),
];

function itemsOf({ body }: ProxyAnswer): readonly Value[] {
  const value = jsonOf(body);
  return isArray(value) ? value : [];
}

function idOf(item: Value): Value | undefined {
  return isObject(item) ? item['id'] : undefined;
}
