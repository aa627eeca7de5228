/** Faults in a server that otherwise keeps the contract of test/faults/contracts/notes.yaml. */
import type { Fault } from '../../../packages/contract-tools/faults.js';
import { faultsOf, isAt, type Route } from './other-contracts.js';
import { another, failure, header, membersOf, withHeader, without } from './parts.js';

const { answering, breaking } = faultsOf('notes');
const collection = /^\/notes(\?|$)/;
const item = /^\/notes\/[^/?]+(\?|$)/;
const add: Route = { operation: 'addNote', method: 'POST', path: collection };
const list: Route = { operation: 'listNotes', method: 'GET', path: collection };
const get: Route = { operation: 'getNote', method: 'GET', path: item };
const change: Route = { operation: 'changeNote', method: 'PATCH', path: item };
const remove: Route = { operation: 'removeNote', method: 'DELETE', path: item };
const merge = 'application/merge-patch+json';

export const noteFaults: readonly Fault[] = [
  answering('a status outside of the range', add, (answer) => ({ ...answer, status: 302 })),
  answering('an answer of the range has the media type of failures', add, (answer) =>
    withHeader(answer, 'Content-Type', 'application/problem+json'),
  ),
  breaking('failures are plain JSON', remove, () => async (request, next) => {
    const answer = await next(request);
    if (!isAt(remove, request) || answer.status < 400) return answer;
    return withHeader(answer, 'Content-Type', 'application/json');
  }),
  breaking('a second media type is refused', add, () => async (request, next) => {
    const isSecond = header(request, 'content-type').toLowerCase().includes('vnd.note+json');
    return isAt(add, request) && isSecond ? failure(415) : next(request);
  }),
  breaking('a media type that is not documented is taken', change, () => (request, next) => {
    const isOther = header(request, 'content-type') === 'application/unknown+merge-patch+json';
    return next(isAt(change, request) && isOther ? withHeader(request, 'Content-Type', merge) : request);
  }),
  breaking('null takes nothing away', change, () => async (request, next) => {
    const { text } = membersOf(request.body);
    if (!isAt(change, request) || text !== null) return next(request);
    const rest = without(membersOf(request.body), 'text');
    return next({ ...another(request, 'PATCH', request.target, rest), headers: request.headers });
  }),
  breaking('whoever has no token is refused where that is not needed', list, () => async (request, next) => {
    if (!isAt(list, request) || header(request, 'authorization') !== '') return next(request);
    return next(withHeader(request, 'Authorization', 'Bearer x'));
  }),
  breaking('whoever has a wrong token is nobody', get, () => async (request, next) => {
    const answer = await next(request);
    if (!isAt(get, request) || answer.status !== 401) return answer;
    return next(withHeader(request, 'Authorization', undefined));
  }),
];
