/** Faults in authentication, and in what the document does not name: methods, paths, headers. */
import { type Fault, nothing } from '../../../packages/contract-tools/faults.js';
import {
  answering,
  bearer,
  failure,
  fault,
  header,
  json,
  jsonOf,
  membersOf,
  operationOf,
  rawAnswer,
  stateful,
  withHeader,
  without,
  withText,
} from './parts.js';

function changing401(name: string, change: (challenge: string) => string | undefined): Fault {
  return answering(name, 'listPlants', 401, (answer) =>
    withHeader(answer, 'WWW-Authenticate', change(header(answer, 'www-authenticate'))),
  );
}

/** The page that a host of browser apps sends for unknown paths. */
const page = Buffer.from('<!doctype html><title>Plants</title>');

/** RFC 9110, section 9.1: HEAD may be answered where GET is, so nothing must be found. */
export const answeredHead: Fault = {
  ...nothing,
  name: 'none, and HEAD is answered where GET is',
  start: () => async (request, next) => {
    if (request.method !== 'HEAD') return next(request);
    const answer = await next({ ...request, method: 'GET' });
    return answer.status === 405 ? next(request) : { ...answer, body: Buffer.alloc(0) };
  },
};

export const accessFaults: readonly Fault[] = [
  stateful(
    'deletes need no token',
    'deletePlant',
    ({ tokens }) =>
      (request, next) =>
        next(
          operationOf(request) === 'deletePlant' && header(request, 'authorization') === ''
            ? bearer(request, tokens.first)
            : request,
        ),
  ),
  stateful('any bearer token is good', 'listPlants', ({ tokens }) => (request, next) => {
    const known = Object.values(tokens).some((token) =>
      header(request, 'authorization').endsWith(` ${token}`),
    );
    const bad = /^bearer ./i.test(header(request, 'authorization')) && !known;
    return next(bad && operationOf(request) === 'listPlants' ? bearer(request, tokens.first) : request);
  }),
  stateful('the beginning of a token is enough', 'createPlant', ({ tokens }) => (request, next) => {
    const begins =
      tokens.first.startsWith(header(request, 'authorization').slice(7, 7 + 30)) &&
      header(request, 'authorization').length > 30;
    return next(begins && operationOf(request) === 'createPlant' ? bearer(request, tokens.first) : request);
  }),
  stateful('the token is compared without case', 'createPlant', ({ tokens }) => (request, next) => {
    const same = header(request, 'authorization').toUpperCase() === `BEARER ${tokens.first.toUpperCase()}`;
    return next(same && operationOf(request) === 'createPlant' ? bearer(request, tokens.first) : request);
  }),
  stateful(
    'a token needs no scheme',
    'deletePlant',
    ({ tokens }) =>
      (request, next) =>
        next(
          header(request, 'authorization') === tokens.first && operationOf(request) === 'deletePlant'
            ? bearer(request, tokens.first)
            : request,
        ),
  ),
  stateful('a revoked token stays good', 'listPlants', ({ tokens }) => (request, next) => {
    const revoked = header(request, 'authorization') === `Bearer ${tokens.revoked}`;
    return next(revoked && operationOf(request) === 'listPlants' ? bearer(request, tokens.first) : request);
  }),
  stateful('the token is checked after the body', 'createPlant', ({ tokens }) => async (request, next) => {
    const answer = await next(request);
    if (answer.status !== 401 || operationOf(request) !== 'createPlant') return answer;
    const validated = await next(bearer(request, tokens.spare));
    return validated.status === 200 || validated.status === 409 ? answer : validated;
  }),
  stateful(
    'a delete is done before the token is checked',
    'deletePlant',
    ({ tokens }) =>
      async (request, next) => {
        const answer = await next(request);
        if (answer.status === 401 && operationOf(request) === 'deletePlant')
          await next(bearer(request, tokens.first));
        return answer;
      },
  ),
  fault('the scheme is compared by case', 'createPlant', (request, next) =>
    /^Bearer|^$/.test(header(request, 'authorization'))
      ? next(request)
      : next(withHeader(request, 'Authorization', 'none x')),
  ),
  answering('a bad token is a 403', 'listPlants', 401, () => failure(403)),
  changing401('the 401 has no challenge', () => undefined),
  changing401('the challenge is Basic', () => 'Basic realm="Plants"'),
  changing401('the challenge has no realm', (challenge) => challenge.replace(/ realm="[^"]*",?/, '')),
  changing401(
    'the challenge always says invalid_token',
    () => 'Bearer realm="Plants", error="invalid_token", error_description="No."',
  ),
  changing401('the challenge never says invalid_token', () => 'Bearer realm="Plants"'),
  answering('the challenge comes twice', 'listPlants', 401, (answer) => ({
    ...answer,
    headers: [...answer.headers, ['WWW-Authenticate', 'Bearer realm="Plants"']],
  })),
];

export const httpFaults: readonly Fault[] = [
  fault('other methods are a 404', 'PUT /plants', async (request, next) => {
    const answer = await next(request);
    return answer.status === 405 ? failure(404) : answer;
  }),
  fault('a 405 has no Allow', 'PUT /plants', async (request, next) => {
    const answer = await next(request);
    return answer.status === 405 ? withHeader(answer, 'Allow', undefined) : answer;
  }),
  fault('Allow has methods that there are not', 'PUT /plants', async (request, next) => {
    const answer = await next(request);
    return answer.status === 405
      ? withHeader(answer, 'Allow', `${header(answer, 'allow')}, HEAD, OPTIONS`)
      : answer;
  }),
  fault('the answer to HEAD has a body', 'HEAD /plants', async (request, next) => {
    const answer = await next(request);
    return request.method === 'HEAD'
      ? { ...answer, raw: rawAnswer(answer, '{"error":405,"message":"No."}') }
      : answer;
  }),
  fault('OPTIONS is answered for browsers', 'OPTIONS /plants', (request, next) =>
    request.method === 'OPTIONS'
      ? { status: 204, headers: [['Access-Control-Allow-Origin', '*']], body: Buffer.alloc(0) }
      : next(request),
  ),
  fault('PUT exists, and is not documented', 'PUT /plants/{id}', (request, next) =>
    request.method === 'PUT' && /^\/plants\/.+/.test(request.target)
      ? failure(401, [['WWW-Authenticate', 'Bearer realm="Plants"']])
      : next(request),
  ),
  stateful(
    'PUT works for who has a token, and is not documented',
    'PUT /plants/{id}',
    ({ tokens }) =>
      (request, next) => {
        const known = header(request, 'authorization').endsWith(` ${tokens.first}`);
        return request.method === 'PUT' && /^\/plants\/.+/.test(request.target) && known
          ? json(200, without(membersOf(request.body), 'id'))
          : next(request);
      },
  ),
  stateful(
    'PUT works on all plants for who has a token, and is not documented',
    'PUT /plants',
    ({ tokens }) =>
      (request, next) => {
        const known = header(request, 'authorization').endsWith(` ${tokens.first}`);
        if (request.method !== 'PUT' || request.target !== '/plants' || !known) return next(request);
        return jsonOf(request.body) === undefined ? failure(400) : json(200, []);
      },
  ),
  fault('a path that is not there is a page', 'GET /', async (request, next) => {
    const answer = await next(request);
    if (answer.status !== 404 || request.method !== 'GET') return answer;
    return { status: 200, headers: [['Content-Type', 'text/html']], body: page };
  }),
  fault('a path that is not there is a 404 without an Error', 'GET /', async (request, next) => {
    const answer = await next(request);
    if (answer.status !== 404 || request.method !== 'GET') return answer;
    return { status: 404, headers: [['Content-Type', 'text/html']], body: page };
  }),
  fault('paths are compared without case', 'GET /PLANTS', (request, next) =>
    next({ ...request, target: request.target.replace(/^\/PLANTS/, '/plants') }),
  ),
  fault('a Range is honoured', 'listPlants', async (request, next) => {
    const answer = await next(request);
    const partial =
      header(request, 'range') !== '' && answer.status === 200 && operationOf(request) === 'listPlants';
    return partial ? { ...withText(answer, '['), status: 206 } : answer;
  }),
  fault('If-None-Match is honoured', 'listPlants', async (request, next) => {
    const answer = await next(request);
    const fresh = header(request, 'if-none-match') !== '' && operationOf(request) === 'listPlants';
    return fresh ? { status: 304, headers: [], body: Buffer.alloc(0) } : answer;
  }),
  fault('X-HTTP-Method-Override is honoured', 'createPlant', (request, next) => {
    const method = header(request, 'x-http-method-override');
    return next(operationOf(request) === 'createPlant' && method !== '' ? { ...request, method } : request);
  }),
  fault('query parameters that nothing names are refused', 'listPlants', (request, next) =>
    operationOf(request) === 'listPlants' && request.target.includes('unknown=')
      ? failure(400)
      : next(request),
  ),
  fault('a broken percent-encoding is a 500', 'deletePlant', (request, next) =>
    /%(?![0-9A-F]{2})/i.test(request.target) ? failure(500) : next(request),
  ),
  fault('the server hands out an older document', 'GET /openapi.json', (request, next) =>
    request.target === '/openapi.json'
      ? json(200, { openapi: '3.0.3', info: { version: '0.9.0' } })
      : next(request),
  ),
];
