/** Faults in what is answered: status, headers, body. */

import type { Fault } from '../../../packages/contract-tools/faults.js';
import { isObject, writeJson } from '../../../packages/contract-tools/index.js';
import {
  answering,
  failure,
  fault,
  json,
  jsonOf,
  membersOf,
  operationOf,
  rawAnswer,
  stateful,
  textOf,
  withBody,
  withHeader,
  withItems,
  withMembers,
  without,
  withText,
} from './parts.js';

export const answerFaults: readonly Fault[] = [
  answering('create answers 201', 'createPlant', 200, (answer) => ({ ...answer, status: 201 })),
  answering('delete answers 200 with null', 'deletePlant', 204, () => json(200, null)),
  answering('delete answers 204 with a body', 'deletePlant', 204, (answer) => ({
    ...answer,
    raw: rawAnswer(answer, '{"deleted":true}'),
  })),
  answering('204 has a Content-Length', 'deletePlant', 204, (answer) => ({
    ...answer,
    raw: rawAnswer(withHeader(answer, 'Content-Length', '0'), ''),
  })),
  answering('a conflict is a 200 with an error inside', 'createPlant', 409, (answer) => ({
    ...answer,
    status: 200,
  })),
  answering('what does not fit is a 422', 'createPlant', 400, () => failure(422)),
  answering('a path id that is no integer is a 404', 'deletePlant', 400, () => failure(404)),
  answering('a body over the limit is a 400', 'createPlant', 413, () => failure(400)),
  answering('a wrong media type is a 400', 'createPlant', 415, () => failure(400)),
  fault('odd Unicode is a 500', 'createPlant', (request, next) =>
    /[\u{10000}-\u{10ffff}]/u.test(request.body.toString()) ? failure(500) : next(request),
  ),
  fault('a quotation mark is a 500', 'createPlant', (request, next) =>
    operationOf(request) === 'createPlant' && textOf(membersOf(request.body)['name']).includes("'")
      ? failure(500)
      : next(request),
  ),
  fault('an empty body is a 500', 'createPlant', (request, next) =>
    operationOf(request) === 'createPlant' && request.body.length === 0 ? failure(500) : next(request),
  ),
  fault('a body that is null crashes the connection', 'createPlant', async (request, next) => {
    const answer = await next(request);
    return request.body.toString() === 'null' ? { ...answer, raw: Buffer.alloc(0) } : answer;
  }),
  answering('errors are text/plain', 'createPlant', 400, (answer) =>
    withHeader(withBody(answer, 'Bad Request'), 'Content-Type', 'text/plain'),
  ),
  answering('the list has no Content-Type', 'listPlants', 200, (answer) =>
    withHeader(answer, 'Content-Type', undefined),
  ),
  answering('JSON is said to be ISO-8859-1', 'listPlants', 200, (answer) =>
    withHeader(answer, 'Content-Type', 'application/json; charset=iso-8859-1'),
  ),
  answering('the created plant comes with its id', 'createPlant', 200, (answer, request) =>
    withMembers(answer, (members) => ({ ...members, id: membersOf(request.body)['id'] ?? 0n })),
  ),
  answering('listed plants come with an internal member', 'listPlants', 200, (answer) =>
    withItems(answer, (items) => items.map((item) => (isObject(item) ? { ...item, owner: 'first' } : item))),
  ),
  answering('an absent tag is null', 'listPlants', 200, (answer) =>
    withItems(answer, (items) => items.map((item) => (isObject(item) ? { tag: null, ...item } : item))),
  ),
  answering('an empty tag is left out', 'createPlant', 200, (answer) =>
    withMembers(answer, (members) => (members['tag'] === '' ? without(members, 'tag') : members)),
  ),
  answering('the list escapes HTML', 'listPlants', 200, (answer) =>
    withText(answer, answer.body.toString().replaceAll('&', '&amp;')),
  ),
  answering('the list is in an envelope', 'listPlants', 200, (answer) =>
    json(200, { plants: jsonOf(answer.body) ?? [] }),
  ),
  answering('an empty list is null', 'listPlants', 200, (answer) =>
    answer.body.toString() === '[]' ? withText(answer, 'null') : answer,
  ),
  answering('the error is a word', 'deletePlant', 404, (answer) =>
    withMembers(answer, (members) => ({ ...members, error: 'Not Found' })),
  ),
  answering('the error is not the status', 'deletePlant', 404, (answer) =>
    withMembers(answer, (members) => ({ ...members, error: 400n })),
  ),
  answering('the error has no message', 'createPlant', 409, (answer) =>
    withMembers(answer, (members) => without(members, 'message')),
  ),
  answering('the error shows where it was thrown', 'createPlant', 400, (answer) =>
    withMembers(answer, (members) => ({ ...members, stack: 'at handler (app.js:1:1)' })),
  ),
  answering('the error has the framework’s form', 'listPlants', 400, (answer) =>
    withMembers(answer, (members) => ({
      statusCode: 400n,
      error: 'Bad Request',
      message: members['message'] ?? '',
    })),
  ),
  stateful('under load it answers 503 without Retry-After', 'listPlants', () => {
    let lists = 0;
    return (request, next) =>
      operationOf(request) === 'listPlants' && ++lists % 20 === 0 ? failure(503) : next(request);
  }),
  answering('the id of the request is missing', 'deletePlant', 204, (answer) =>
    withHeader(answer, 'X-Request-Id', undefined),
  ),
  answering('Content-Length counts characters, not bytes', 'createPlant', 200, (answer) => {
    const length = writeJson(jsonOf(answer.body) ?? null).length;
    return { ...answer, raw: rawAnswer(withHeader(answer, 'Content-Length', String(length)), answer.body) };
  }),
  answering('a long list is cut off in the middle', 'listPlants', 200, (answer) => {
    if (answer.body.length < 2_000) return answer;
    const chunked = withHeader(
      withHeader(answer, 'Content-Length', undefined),
      'Transfer-Encoding',
      'chunked',
    );
    return { ...answer, raw: rawAnswer(chunked, `3e8\r\n${answer.body.toString('latin1', 0, 1_000)}\r\n`) };
  }),
  answering('the list is compressed, whoever asks', 'listPlants', 200, (answer) =>
    withHeader(answer, 'Content-Encoding', 'gzip'),
  ),
];
