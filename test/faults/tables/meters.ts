/** Faults in a server that otherwise keeps the contract of test/faults/contracts/meters.yaml. */

import type { Fault, ProxyAnswer, ProxyRequest } from '../../../packages/contract-tools/faults.js';
import { isArray, isObject, type Value, type ValueObject } from '../../../packages/contract-tools/index.js';
import { faultsOf, isAt, openTo, type Route } from './other-contracts.js';
import {
  another,
  failure,
  header,
  json,
  membersOf,
  noContent,
  textOf,
  withMembers,
  without,
} from './parts.js';

const { answering, breaking } = faultsOf('meters');
const collection = /^\/meters(\?|$)/;
const item = /^\/meters\/[^/?]+(\?|$)/;
const install: Route = { operation: 'installMeter', method: 'POST', path: collection };
const list: Route = { operation: 'listMeters', method: 'GET', path: collection };
const read: Route = { operation: 'readMeter', method: 'GET', path: item };
const change: Route = { operation: 'changeMeter', method: 'PATCH', path: item };
const scrap: Route = { operation: 'scrapMeter', method: 'DELETE', path: item };

const metersIn = (answer: ProxyAnswer): readonly Value[] => {
  const { meters } = membersOf(answer.body);
  return isArray(meters) ? meters : [];
};

const withMeters = (answer: ProxyAnswer, edit: (meters: readonly Value[]) => readonly Value[]): ProxyAnswer =>
  withMembers(answer, () => ({ meters: edit(metersIn(answer)) }));

const stored = async (request: ProxyRequest, next: (request: ProxyRequest) => Promise<ProxyAnswer>) =>
  membersOf((await next(another(request, 'GET', request.target))).body);

export const meterFaults: readonly Fault[] = [
  answering('a meter is the first of all', read, async (answer, request, next) => {
    const [first] = metersIn(await next(another(request, 'GET', '/meters')));
    return first === undefined ? answer : json(200, first);
  }),
  breaking(
    'a meter with a hyphen is not found',
    read,
    () => (request, next) =>
      isAt(read, request) &&
      header(request, 'authorization') !== '' &&
      /\/[0-9a-f]+-[0-9a-f-]+$/.test(request.target)
        ? failure(404)
        : next(request),
  ),
  breaking('every fifth meter is lost', install, () => {
    let installed = 0;
    return async (request, next) => {
      const answer = await next(request);
      if (!isAt(install, request) || answer.status !== 201 || ++installed % 5 > 0) return answer;
      await next(another(request, 'DELETE', `/meters/${membersOf(request.body)['code']}`));
      return answer;
    };
  }),
  answering('places are trimmed', install, (answer) =>
    withMembers(answer, (meter) => ({ ...meter, place: textOf(meter['place']).trim() })),
  ),
  answering('the list says of no meter whether it is sealed', list, (answer) =>
    withMeters(answer, (meters) =>
      meters.map((meter) => (isObject(meter) ? without(meter, 'sealed') : meter)),
    ),
  ),
  answering('the list has a hundred meters at most', list, (answer) =>
    withMeters(answer, (meters) => meters.slice(0, 100)),
  ),
  breaking('a change changes nothing', change, () => async (request, next) => {
    if (!isAt(change, request)) return next(request);
    const before = await stored(request, next);
    const answer = await next(request);
    if (answer.status === 204) await next(another(request, 'PATCH', request.target, changeable(before)));
    return answer;
  }),
  breaking('a change forgets the reading', change, () => async (request, next) => {
    const answer = await next(request);
    const named = 'reading' in membersOf(request.body);
    if (!isAt(change, request) || answer.status !== 204 || named) return answer;
    await next(another(request, 'PATCH', request.target, { reading: -1n }));
    return answer;
  }),
  breaking('a changed reading is kept in 32 bits', change, () => async (request, next) => {
    const answer = await next(request);
    const { reading } = membersOf(request.body);
    if (!isAt(change, request) || answer.status !== 204 || typeof reading !== 'bigint') return answer;
    await next(another(request, 'PATCH', request.target, { reading: BigInt.asIntN(32, reading) }));
    return answer;
  }),
  breaking('scrapping does nothing', scrap, () => async (request, next) => {
    if (!isAt(scrap, request)) return next(request);
    const there = await next(another(request, 'GET', request.target));
    return there.status === 200 ? noContent : next(request);
  }),
  breaking('what is scrapped twice is a 204 twice', scrap, () => async (request, next) => {
    const answer = await next(request);
    return isAt(scrap, request) && answer.status === 404 ? noContent : answer;
  }),
  breaking('whoever has no token may change meters', change, openTo(change)),
];

function changeable({ place, reading, unit, sealed }: ValueObject): ValueObject {
  const all = Object.entries({ place, reading, unit, sealed });
  return Object.fromEntries(all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
