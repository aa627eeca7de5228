/** Faults in a server that otherwise keeps the contract of test/faults/contracts/library.yaml. */

import type { Fault, ProxyAnswer } from '../../../packages/contract-tools/faults.js';
import { isArray, isObject, type Value } from '../../../packages/contract-tools/index.js';
import { faultsOf, isAt, type Route } from './other-contracts.js';
import { another, json, jsonOf, membersOf, withItems, withMembers, without, withText } from './parts.js';

const { answering, breaking } = faultsOf('library');
const collection = /^\/books(\?|$)/;
const item = /^\/books\/[^/?]+(\?|$)/;
const add: Route = { operation: 'addBook', method: 'POST', path: collection };
const list: Route = { operation: 'listBooks', method: 'GET', path: collection };
const get: Route = { operation: 'getBook', method: 'GET', path: item };
const replace: Route = { operation: 'replaceBook', method: 'PUT', path: item };
const remove: Route = { operation: 'removeBook', method: 'DELETE', path: item };
const lend: Route = { operation: 'lendBook', method: 'POST', path: /\/loans(\?|$)/ };
const about: Route = { operation: 'about', method: 'GET', path: /^\/about(\?|$)/ };

const rounded = (pages: Value | undefined): Value =>
  typeof pages === 'bigint' ? BigInt(Math.min(Number(pages), 2 ** 62)) : (pages ?? null);

export const libraryFaults: readonly Fault[] = [
  answering('a book is always the same', get, () => json(200, { book: 1n, title: 'Emma', pages: 300n })),
  answering('a book is the first of all', get, async (answer, request, next) => {
    const books = jsonOf((await next(another(request, 'GET', '/books'))).body);
    return isArray(books) && books[0] !== undefined ? json(200, books[0]) : answer;
  }),
  breaking('a removed book can still be got', get, () => {
    const known = new Map<string, ProxyAnswer>();
    return async (request, next) => {
      const answer = await next(request);
      if (!isAt(get, request)) return answer;
      if (answer.status === 200) known.set(request.target, answer);
      return answer.status === 404 ? (known.get(request.target) ?? answer) : answer;
    };
  }),
  answering('a new book loses its subjects', add, async (answer, request, next) => {
    const { book, ...members } = membersOf(answer.body);
    if (members['subjects'] === undefined) return answer;
    await next(another(request, 'PUT', `/books/${book}`, without(members, 'subjects')));
    return withMembers(answer, (shown) => without(shown, 'subjects'));
  }),
  answering('pages are kept as doubles', add, async (answer, request, next) => {
    const { book, ...members } = membersOf(answer.body);
    const pages = rounded(members['pages']);
    await next(another(request, 'PUT', `/books/${book}`, { ...members, pages }));
    return answer;
  }),
  answering('the list has no prices', list, (answer) =>
    withItems(answer, (books) => books.map((book) => (isObject(book) ? without(book, 'price') : book))),
  ),
  answering('the list lacks the newest book', list, (answer) =>
    withItems(answer, (books) => books.slice(0, -1)),
  ),
  breaking('a replacement changes nothing', replace, () => async (request, next) => {
    if (!isAt(replace, request)) return next(request);
    const before = await next(another(request, 'GET', request.target));
    const answer = await next(request);
    const { book, ...members } = membersOf(before.body);
    if (answer.status === 200) await next(another(request, 'PUT', request.target, members));
    return answer;
  }),
  breaking('a replacement keeps what it leaves out', replace, () => async (request, next) => {
    if (!isAt(replace, request)) return next(request);
    const before = await next(another(request, 'GET', request.target));
    const answer = await next(request);
    if (answer.status !== 200) return answer;
    const { book, ...members } = { ...membersOf(before.body), ...membersOf(answer.body) };
    return next(another(request, 'PUT', request.target, members));
  }),
  breaking('a removal is answered, and not done', remove, () => async (request, next) => {
    if (!isAt(remove, request)) return next(request);
    const there = await next(another(request, 'GET', request.target));
    return there.status === 200 ? { status: 204, headers: [], body: Buffer.alloc(0) } : next(request);
  }),
  answering('a loan has no reader', lend, () => json(200, {})),
  answering('the number of books is a text', about, (answer) => withText(answer, '{"books":"many"}')),
];
