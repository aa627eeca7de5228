/**
 * Faults with a third member, and in operations that get and change one plant. The store has neither yet
 * (../models/models.ts).
 */

import type { Fault, ProxyAnswer, ProxyRequest } from '../../../packages/contract-tools/faults.js';
import { isArray, isObject, type Value, type ValueObject } from '../../../packages/contract-tools/index.js';
import { faultsOf, isAt, type Route } from './other-contracts.js';
import {
  another,
  failure,
  header,
  json,
  jsonOf,
  membersOf,
  withHeader,
  withItems,
  withMembers,
  without,
} from './parts.js';

const { answering, breaking } = faultsOf('wider plants');
const collection = /^\/plants(\?|$)/;
const item = /^\/plants\/[^/?]+(\?|$)/;
const createPlant: Route = { operation: 'createPlant', method: 'POST', path: collection };
const listPlants: Route = { operation: 'listPlants', method: 'GET', path: collection };
const getPlant: Route = { operation: 'getPlant', method: 'GET', path: item };
const changePlant: Route = { operation: 'changePlant', method: 'PATCH', path: item };

const shorter = (value: Value): Value => (isObject(value) ? without(value, 'height') : value);
const keyOf = (request: ProxyRequest): string =>
  `${header(request, 'authorization')} ${membersOf(request.body)['id'] ?? request.target.replace('/plants/', '')}`;
const plantAt = (request: ProxyRequest, id: Value | undefined): ProxyRequest =>
  another(request, 'GET', `/plants/${id}`);

function sameBut(name: string, a: ValueObject, b: ValueObject): boolean {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return names.every((member) => member === name || a[member] === b[member]);
}

export const widerFaults: readonly Fault[] = [
  answering('a get answers a constant', getPlant, () => json(200, { name: 'Monstera deliciosa' })),
  breaking('a get answers anybody’s plant', getPlant, ({ tokens }) => async (request, next) => {
    const answer = await next(request);
    if (!isAt(getPlant, request) || answer.status !== 404) return answer;
    const other = header(request, 'authorization').endsWith(tokens.first) ? tokens.second : tokens.first;
    return next(withHeader(request, 'Authorization', `Bearer ${other}`));
  }),
  breaking('a get answers what was deleted', getPlant, () => {
    const known = new Map<string, ProxyAnswer>();
    return async (request, next) => {
      const answer = await next(request);
      if (isAt(createPlant, request) && answer.status === 200) known.set(keyOf(request), answer);
      if (!isAt(getPlant, request) || answer.status !== 404) return answer;
      return known.get(keyOf(request)) ?? answer;
    };
  }),
  breaking('a get ignores its id', getPlant, () => async (request, next) => {
    const answer = await next(request);
    if (!isAt(getPlant, request) || answer.status >= 400) return answer;
    const list = await next(another(request, 'GET', '/plants?limit=1'));
    const plants = jsonOf(list.body);
    return isArray(plants) && plants[0] !== undefined ? json(200, plants[0]) : answer;
  }),
  answering('a get leaves a member out', getPlant, (answer) =>
    withMembers(answer, (members) => without(members, 'height')),
  ),
  breaking('a create drops a member', createPlant, () => (request, next) => {
    if (!isAt(createPlant, request) || !isObject(jsonOf(request.body))) return next(request);
    return next(withMembers(request, (members) => keepIfWrong(members)));
  }),
  breaking('a create answers a member, and does not store it', createPlant, () => async (request, next) => {
    const { height } = membersOf(request.body);
    if (!isAt(createPlant, request) || typeof height !== 'bigint') return next(request);
    const answer = await next(withMembers(request, (members) => keepIfWrong(members)));
    return answer.status === 200 ? withMembers(answer, (members) => ({ ...members, height })) : answer;
  }),
  answering('a create leaves a member out of its answer', createPlant, (answer) =>
    withMembers(answer, (members) => without(members, 'height')),
  ),
  answering('a list leaves a member out', listPlants, (answer) =>
    withItems(answer, (items) => items.map(shorter)),
  ),
  breaking('a repeated create leaves a member out', createPlant, () => {
    const seen = new Set<string>();
    return async (request, next) => {
      const answer = await next(request);
      if (!isAt(createPlant, request) || answer.status !== 200) return answer;
      if (seen.has(keyOf(request))) return withMembers(answer, (members) => without(members, 'height'));
      seen.add(keyOf(request));
      return answer;
    };
  }),
  breaking('a conflict does not look at a new member', createPlant, () => async (request, next) => {
    const answer = await next(request);
    if (!isAt(createPlant, request) || answer.status !== 409) return answer;
    const sent = membersOf(request.body);
    const stored = membersOf((await next(plantAt(request, sent['id']))).body);
    return sameBut('height', stored, without(sent, 'id')) ? json(200, without(sent, 'id')) : answer;
  }),
  breaking('an update changes nothing', changePlant, () => async (request, next) => {
    if (!isAt(changePlant, request)) return next(request);
    // A plant that does not exist gets the same validation, and is not changed.
    const answer = await next({ ...request, target: request.target.replace(/[0-9]+$/, '77') });
    const there = await next(another(request, 'GET', request.target));
    if (answer.status !== 404 || there.status !== 200) return answer;
    return json(200, { ...membersOf(there.body), ...known(membersOf(request.body)) });
  }),
  breaking('an update forgets what it does not name', changePlant, () => async (request, next) => {
    const answer = await next(request);
    if (!isAt(changePlant, request) || answer.status !== 200) return answer;
    const { name = 'x' } = membersOf(answer.body);
    const id = request.target.replace('/plants/', '');
    await next(another(request, 'DELETE', request.target));
    const plant = { name, ...known(membersOf(request.body)) };
    await next(another(request, 'POST', '/plants', { id: BigInt(decodeURIComponent(id)), ...plant }));
    return json(200, plant);
  }),
  answering('an update answers what was there before', changePlant, (answer) =>
    withMembers(answer, (members) => ({ ...members, height: 7n })),
  ),
  breaking('an update of nothing is a 200', changePlant, () => async (request, next) => {
    const answer = await next(request);
    const missing = isAt(changePlant, request) && answer.status === 404;
    return missing ? json(200, { name: 'x' }) : answer;
  }),
  breaking('an update refuses, and does it', changePlant, () => async (request, next) => {
    const answer = await next(request);
    if (!isAt(changePlant, request) || answer.status !== 400) return answer;
    await next(another(request, 'PATCH', request.target, { height: 11n }));
    return answer;
  }),
  breaking(
    'a get does not find ids below zero',
    getPlant,
    () => (request, next) =>
      isAt(getPlant, request) && header(request, 'authorization') !== '' && /\/-[1-9]/.test(request.target)
        ? failure(404)
        : next(request),
  ),
];

/** Removes the member, unless that would make an invalid request valid. */
function keepIfWrong(members: ValueObject): ValueObject {
  const { height } = members;
  const fits = typeof height === 'bigint' && height >= -(2n ** 31n) && height < 2n ** 31n;
  return fits ? without(members, 'height') : members;
}

function known({ name, tag, height }: ValueObject): ValueObject {
  return {
    ...(name === undefined ? {} : { name }),
    ...(tag === undefined ? {} : { tag }),
    ...(height === undefined ? {} : { height }),
  };
}
