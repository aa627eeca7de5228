/**
 * A server of contracts/orchards.yaml that shares nothing with the service: plain node:http, its own
 * validation, and the habits of other frameworks. It answers 404 to methods that it does not know, reads
 * "007" as 7, refuses members and query parameters that it does not know, and answers 304. Each flaw breaks
 * one thing.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { projectFolder } from '../../../../src/project.js';
import type { Scope } from '../../../kit/scope.js';
import {
  Decimal,
  isArray,
  isObject,
  NotJsonError,
  readJson,
  type Value,
  writeJson,
} from '../../check/json.js';

export const orchardsFile = join(
  projectFolder,
  'scripts',
  'contract',
  'faults',
  'contracts',
  'orchards.yaml',
);

/** Each flaw by its name, with the operation that a report must name. */
export const flaws = {
  'another owner reads an orchard': 'getOrchard',
  'another owner replaces an orchard': 'replaceOrchard',
  'another owner removes an orchard': 'removeOrchard',
  'another owner sees the orchards': 'listOrchards',
  'another owner changes a tree': 'changeTree',
  'another owner sees the trees': 'listTrees',
  'another owner reads a visit': 'getVisit',
  'another owner sees the visits': 'listVisits',
  'another owner adds a visit': 'addVisit',
  'another owner removes a visit by the path of an own orchard': 'removeVisit',
  'a page leaves out its first item': 'listOrchards',
  'the cursor skips an item': 'listOrchards',
  'the cursor turns in a circle': 'listOrchards',
  'pages come in another order': 'listOrchards',
  'limit is ignored': 'listOrchards',
  'limit lets one more through': 'listOrchards',
  'an orchard never appears in the list': 'listOrchards',
  'a removed item moves the cursor': 'listOrchards',
  'an offset repeats a tree': 'listTrees',
  'an offset leaves a tree out': 'listTrees',
  'the limit of trees is ignored': 'listTrees',
  'the header Link ends too early': 'listVisits',
  'the header Link leads back': 'listVisits',
  'a cursor of 20 digits fails': 'listOrchards',
  'the longest code fails': 'addOrchard',
  'the shortest code is refused': 'addOrchard',
  'digits beyond 2^53 are lost': 'addOrchard',
  'the most rows are refused': 'addOrchard',
  'one row too many is taken': 'addOrchard',
  'the greatest slope is refused': 'addOrchard',
  'a slope over the bound is taken': 'addOrchard',
  'a tree forgets its height': 'plantTree',
  'a change of a tree changes nothing': 'changeTree',
  'a felled tree stands': 'fellTree',
  'a visit forgets who came': 'addVisit',
  'a removed visit stays': 'removeVisit',
  'a graft fails': 'graft',
  'a well forgets its town': 'digWell',
  'a well is dug at another time': 'digWell',
  'a well needs no secret': 'digWell',
  'a well was never created': 'getWell',
  'a well forgets its state': 'digWell',
  'another owner changes a well': 'changeWell',
  'a filled well stays': 'fillWell',
  'a well is missing from the list': 'listWells',
  'the greatest weight is refused': 'weigh',
  'a price is no multiple': 'weigh',
  'a gate forgets its keeper': 'addGate',
  'a gate is shown with a lock of no kind': 'getGate',
  'a page leaves a gate out': 'listGates',
  'a size in a header is no number': 'listGates',
  'a cookie of two is broken': 'listGates',
  'another owner removes a gate': 'removeGate',
} as const;

export type Flaw = keyof typeof flaws;

interface Item {
  readonly owner: string;
  readonly value: Readonly<Record<string, Value>>;
}

interface Asked {
  readonly owner: string;
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly body: Value;
  readonly target: string;
}

interface Answered {
  readonly status: number;
  readonly body?: Value;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

class Refusal extends Error {
  readonly status: number;

  constructor(status: number) {
    super();
    this.status = status;
  }
}

/** @param owners the owner of each good token */
export async function startOrchards(
  scope: Scope,
  owners: ReadonlyMap<string, string>,
  flaw?: Flaw,
): Promise<URL> {
  const orchards = new Orchards(flaw);
  const server = createServer((request, response) => {
    answer(orchards, owners, request, response).catch((error: unknown) => {
      const status = error instanceof Refusal ? error.status : error instanceof NotJsonError ? 422 : 500;
      const challenge = status === 401 ? { 'www-authenticate': 'Bearer' } : {};
      // No failure of the document has "content", and many servers explain theirs all the same.
      const body = JSON.stringify({ detail: `It is answered ${status}.` });
      const type = { 'content-type': 'application/json', 'content-length': body.length };
      response.writeHead(status, { ...challenge, ...type }).end(request.method === 'HEAD' ? undefined : body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  scope.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  // address() is an object for a server that listens on TCP.
  const { port } = server.address() as AddressInfo;
  return new URL(`http://127.0.0.1:${port}/`);
}

async function answer(
  orchards: Orchards,
  owners: ReadonlyMap<string, string>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const target = request.url ?? '';
  const url = new URL(target, 'http://localhost');
  const path = url.pathname.slice(1).split('/').map(decoded);
  // Like many, it reads the whole body before it asks who is calling.
  const bytes = await bytesOf(request);
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const handler = orchards.handlerOf(`${method} ${path[0]}${path[2] ? `/${path[2]}` : ''} ${path.length}`);
  if (handler === undefined) throw new Refusal(404);
  const body = request.method === 'GET' || request.method === 'DELETE' ? null : bodyOf(request, bytes);
  const [, token = ''] = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  const isPublic = ['GET health 1', 'GET wells 1', 'POST sessions 1'].includes(
    `${method} ${path[0]} ${path.length}`,
  );
  const owner = isPublic ? 'anybody' : owners.get(token);
  if (owner === undefined) throw new Refusal(401);
  const answered = handler.call(orchards, { owner, path, query: url.searchParams, body, target });
  if (request.headers['if-none-match'] === '*') {
    response.writeHead(304).end();
    return;
  }
  const json = answered.body === undefined ? undefined : Buffer.from(writeJson(answered.body));
  response.writeHead(answered.status, {
    ...(json && { 'content-type': 'application/json; charset=utf-8', 'content-length': json.length }),
    ...answered.headers,
  });
  response.end(json);
}

/**
 * `buffer` of node:stream/consumers makes a Blob first, which takes a large part of the time of an answer.
 */
async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Refusal(400);
  }
}

function bodyOf({ headers }: IncomingMessage, bytes: Buffer): Value {
  if (!/^application\/([a-z]+\+)?json *(;|$)/i.test(headers['content-type'] ?? '')) throw new Refusal(415);
  if (headers['content-encoding'] !== undefined) throw new Refusal(415);
  return readJson(bytes);
}

class Orchards {
  readonly #orchards = new Map<string, Item>();
  readonly #trees = new Map<string, Item>();
  readonly #visits = new Map<string, Item>();
  readonly #wells = new Map<string, Item>();
  readonly #gates = new Map<string, Item>();
  readonly #flaw: Flaw | undefined;
  #last = 500;

  constructor(flaw: Flaw | undefined) {
    this.#flaw = flaw;
  }

  handlerOf(route: string): ((asked: Asked) => Answered) | undefined {
    const handlers: Readonly<Record<string, (asked: Asked) => Answered>> = {
      'POST orchards 1': this.#addOrchard,
      'GET orchards 1': this.#listOrchards,
      'GET orchards 2': this.#getOrchard,
      'PUT orchards 2': this.#replaceOrchard,
      'DELETE orchards 2': this.#removeOrchard,
      'POST orchards/visits 3': this.#addVisit,
      'GET orchards/visits 3': this.#listVisits,
      'GET orchards/visits 4': this.#getVisit,
      'DELETE orchards/visits 4': this.#removeVisit,
      'POST trees 1': this.#plantTree,
      'GET trees 1': this.#listTrees,
      'GET trees 2': this.#getTree,
      'PATCH trees 2': this.#changeTree,
      'DELETE trees 2': this.#fellTree,
      'POST wells 1': this.#digWell,
      'GET wells 1': this.#listWells,
      'GET wells 2': this.#getWell,
      'PATCH wells 2': this.#changeWell,
      'DELETE wells 2': this.#fillWell,
      'POST varieties/grafts 3': this.#graft,
      'GET health 1': () => ({ status: 200, body: { well: true } }),
      'POST sessions 1': this.#logIn,
      'POST weights 1': this.#weigh,
      'POST harvests 1': () => refuse(422),
      'GET keys 1': () => refuse(403),
      'POST wardens 1': () => refuse(403),
      'DELETE wardens 2': () => refuse(404),
      'GET wardens/rounds 3': () => refuse(404),
      'POST wardens/rounds 3': () => refuse(404),
      'DELETE wardens/rounds 4': () => refuse(404),
      'POST gates 1': this.#addGate,
      'GET gates 1': this.#listGates,
      'GET gates 2': this.#getGate,
      'DELETE gates 2': this.#removeGate,
    };
    return handlers[route];
  }

  #has(flaw: Flaw): boolean {
    return this.#flaw === flaw;
  }

  #addOrchard({ owner, body }: Asked): Answered {
    const value = this.#orchardOf(body);
    const id = String(++this.#last);
    this.#orchards.set(id, { owner, value: { ...value, id: BigInt(id) } });
    return { status: 201, body: this.#orchards.get(id)?.value ?? null };
  }

  #orchardOf(body: Value): Readonly<Record<string, Value>> {
    const { survey, ...value } = known(body, ['name', 'code', 'rows', 'survey', 'slope', 'colour']);
    const { code = '' } = value;
    const most = this.#has('the most rows are refused') ? 998n : 999n;
    const steepest = this.#has('a slope over the bound is taken') ? 0.6 : 0.5;
    require(isPlainText(value['name'], 1, 40));
    if (!isText(code, 1, 12) || !/^[0-9]+(-[0-9]+)?$/.test(code)) throw new Refusal(422);
    require(code !== '0' || !this.#has('the shortest code is refused'));
    if (this.#has('the longest code fails') && code.length === 12)
      throw new Error('The column is too narrow.');
    if (value['rows'] !== undefined) {
      require(isInteger(value['rows'], 1n, this.#has('one row too many is taken') ? 1_000n : most));
    }
    if (survey !== undefined) require(isInteger(survey, -(2n ** 63n), 2n ** 63n - 1n));
    if (value['slope'] !== undefined) {
      require(isNumber(value['slope'], 0, steepest));
      require(Number(numberOf(value['slope'])) < 0.5 || !this.#has('the greatest slope is refused'));
    }
    if (value['colour'] !== undefined) require(['red', 'teal'].includes(String(value['colour'])));
    if (survey === undefined) return value;
    const stored = this.#has('digits beyond 2^53 are lost') ? BigInt(Number(numberOf(survey))) : survey;
    return { ...value, survey: stored };
  }

  #orchard({ owner, path: [, id = ''] }: Asked, leak?: Flaw): Item {
    // Java reads numbers in the digits of any script.
    const digits = id.replaceAll(/[\u0660-\u0669]/g, (digit) => String(digit.charCodeAt(0) - 0x660));
    const found = this.#orchards.get(String(Number(digits)));
    if (!/^[+0-9.e]+$/.test(digits) || !(Number(digits) >= 1)) throw new Refusal(404);
    if (found === undefined || (found.owner !== owner && !(leak && this.#has(leak)))) throw new Refusal(404);
    return found;
  }

  #getOrchard(asked: Asked): Answered {
    return { status: 200, body: this.#orchard(asked, 'another owner reads an orchard').value };
  }

  #replaceOrchard(asked: Asked): Answered {
    const value = this.#orchardOf(asked.body);
    const { owner, value: before } = this.#orchard(asked, 'another owner replaces an orchard');
    const after = { ...value, id: before['id'] ?? null };
    this.#orchards.set(String(before['id']), { owner, value: after });
    return { status: 200, body: after };
  }

  #removeOrchard(asked: Asked): Answered {
    const { value } = this.#orchard(asked, 'another owner removes an orchard');
    this.#orchards.delete(String(value['id']));
    return { status: 204 };
  }

  #listOrchards({ owner, query }: Asked): Answered {
    knownQuery(query, ['limit', 'after']);
    const limit = numberIn(query, 'limit', 1, 100) ?? 20;
    const after = query.get('after') ?? '0';
    require(/^[0-9]{1,20}$/.test(after));
    if (this.#has('a cursor of 20 digits fails') && BigInt(after) >= 2n ** 63n) throw new Error('bigint');
    const seen = [...this.#orchards.values()].filter(
      (item) => item.owner === owner || this.#has('another owner sees the orchards'),
    );
    const hidden = (id: Value | undefined): boolean =>
      this.#has('an orchard never appears in the list') && Number(id) % 7 === 3;
    const rest = this.#has('a removed item moves the cursor')
      ? seen.slice(Number(after))
      : seen.filter(({ value }) => numberOf(value['id']) > BigInt(after));
    const most = this.#has('limit is ignored')
      ? 100
      : this.#has('limit lets one more through')
        ? limit + 1
        : limit;
    const page = rest.slice(0, most).map(({ value }) => value);
    const last = page.at(-1)?.['id'];
    const next =
      rest.length <= page.length || last === undefined
        ? null
        : this.#has('a removed item moves the cursor')
          ? String(Number(after) + page.length)
          : this.#has('the cursor skips an item')
            ? String(Number(last) + 1)
            : this.#has('the cursor turns in a circle') && after !== '0'
              ? after
              : String(last);
    if (this.#has('a page leaves out its first item') && after !== '0') page.shift();
    if (this.#has('pages come in another order') && after !== '0') page.reverse();
    return { status: 200, body: { items: page.filter(({ id }) => !hidden(id)), nextCursor: next } };
  }

  #visit({ owner, path: [, orchard, , id] }: Asked, leak?: Flaw): Item {
    const found = this.#visits.get(id ?? '');
    const isTheirs = found?.owner !== owner && !(leak && this.#has(leak));
    if (found === undefined || isTheirs || found.value['orchard'] !== orchard) throw new Refusal(404);
    return found;
  }

  #addVisit(asked: Asked): Answered {
    const { visitor: who = '', from, to } = known(asked.body, ['visitor', 'from', 'to']);
    require(isText(who, 1, 60));
    for (const day of [from, to]) require(day === undefined || isDay(day));
    require(from === undefined || to === undefined || String(from) <= String(to));
    this.#orchard(asked, 'another owner adds a visit');
    const visit = randomUUID();
    const visitor = this.#has('a visit forgets who came') ? 'somebody' : who;
    const { owner } = this.#orchards.get(asked.path[1] ?? '') ?? asked;
    this.#visits.set(visit, { owner, value: { visit, visitor, orchard: asked.path[1] ?? '' } });
    return { status: 201, body: { visit, visitor } };
  }

  #listVisits(asked: Asked): Answered {
    const { owner, path, query } = asked;
    knownQuery(query, ['page', 'per_page']);
    const page = numberIn(query, 'page', 1, 1_000) ?? 1;
    const size = numberIn(query, 'per_page', 1, 50) ?? 10;
    const leak = 'another owner sees the visits';
    this.#orchard(asked, leak);
    const all = [...this.#visits.values()].filter(
      (item) => (item.owner === owner || this.#has(leak)) && item.value['orchard'] === path[1],
    );
    const start = (page - 1) * size;
    const items = all.slice(start, start + size).map(({ value: { orchard, ...shown } }) => shown);
    const isLast = start + size >= all.length || (this.#has('the header Link ends too early') && page === 2);
    const next = this.#has('the header Link leads back') && page === 2 ? 1 : page + 1;
    const link = `</orchards/${path[1]}/visits?page=${next}&per_page=${size}>; rel="next"`;
    return { status: 200, body: items, headers: isLast ? {} : { link } };
  }

  #getVisit(asked: Asked): Answered {
    const { orchard, ...shown } = this.#visit(asked, 'another owner reads a visit').value;
    return { status: 200, body: shown };
  }

  #removeVisit(asked: Asked): Answered {
    const isUnchecked = this.#has('another owner removes a visit by the path of an own orchard');
    const { value } =
      (isUnchecked && this.#orchard(asked) && this.#visits.get(asked.path[3] ?? '')) || this.#visit(asked);
    if (!this.#has('a removed visit stays')) this.#visits.delete(String(value['visit']));
    return { status: 204 };
  }

  #plantTree({ owner, body }: Asked): Answered {
    const value = known(body, ['orchardId', 'species', 'height', 'sort', 'note']);
    require(isInteger(value['orchardId'], 1n, 2n ** 200n));
    require(isText(value['species'], 1, 40));
    if (value['height'] !== undefined) require(isNumber(value['height'], 0, 130));
    if (value['sort'] !== undefined) require(['apple', 'pear', 'plum'].includes(String(value['sort'])));
    if (this.#orchards.get(String(value['orchardId']))?.owner !== owner) throw new Refusal(404);
    const treeId = randomUUID();
    const { height, ...others } = value;
    const kept = this.#has('a tree forgets its height') || height === undefined ? others : value;
    this.#trees.set(treeId, { owner, value: { sort: 'apple', ...kept, treeId } });
    return { status: 201, body: this.#trees.get(treeId)?.value ?? null };
  }

  #listTrees({ owner, query }: Asked): Answered {
    knownQuery(query, ['offset', 'limit']);
    const offset = numberIn(query, 'offset', 0, Number.MAX_SAFE_INTEGER) ?? 0;
    const limit = numberIn(query, 'limit', 1, 200) ?? 50;
    const all = [...this.#trees.values()].filter(
      (item) => item.owner === owner || this.#has('another owner sees the trees'),
    );
    const repeat = this.#has('an offset repeats a tree') && offset > 0 ? -1 : 0;
    const gap = this.#has('an offset leaves a tree out') && offset > 0 ? 1 : 0;
    const start = offset + repeat + gap;
    const end = this.#has('the limit of trees is ignored') ? start + 200 : start + limit;
    const trees = all.slice(start, end).map(({ value }) => value);
    return { status: 200, body: { trees, total: BigInt(all.length) } };
  }

  #tree({ owner, path: [, id = ''] }: Asked, leak?: Flaw): Item {
    const found = this.#trees.get(id);
    if (found === undefined || (found.owner !== owner && !(leak && this.#has(leak)))) throw new Refusal(404);
    return found;
  }

  #getTree(asked: Asked): Answered {
    return { status: 200, body: this.#tree(asked).value };
  }

  #changeTree(asked: Asked): Answered {
    const value = known(asked.body, ['species', 'height']);
    require(Object.keys(value).length > 0);
    if (value['species'] !== undefined) require(isText(value['species'], 1, 40));
    if (value['height'] !== undefined) require(isNumber(value['height'], 0, 130));
    const { owner, value: before } = this.#tree(asked, 'another owner changes a tree');
    const after = this.#has('a change of a tree changes nothing') ? before : { ...before, ...value };
    this.#trees.set(String(before['treeId']), { owner, value: after });
    return { status: 200, body: { ...before, ...value } };
  }

  #fellTree(asked: Asked): Answered {
    const { value } = this.#tree(asked);
    if (!this.#has('a felled tree stands')) this.#trees.delete(String(value['treeId']));
    return { status: 204 };
  }

  #digWell({ owner, body }: Asked): Answered {
    const { place, name, dug, secret, state, depths } = known(body, [
      'place',
      'name',
      'dug',
      'secret',
      'state',
      'depths',
    ]);
    const { street, town } = known(place ?? null, ['street', 'town']);
    require(isWellName(name) && isMoment(dug));
    require((isText(secret, 4, 60) && /[0-9]/.test(secret)) || this.#has('a well needs no secret'));
    require(isText(street, 1, 40) && isText(town, 1, 40));
    if (state !== undefined) require(state === 'open' || state === 'covered');
    if (depths !== undefined)
      require(isArray(depths) && depths.every((depth) => isInteger(depth, -(2n ** 200n), 2n ** 200n)));
    const id = String(++this.#last);
    const kept = {
      state: this.#has('a well forgets its state') ? 'open' : (state ?? 'open'),
      depths: depths ?? [],
      place: { street: street ?? '', town: this.#has('a well forgets its town') ? 'a town' : (town ?? '') },
      name: name ?? '',
      dug: this.#has('a well is dug at another time') ? '1999-01-01T00:00:00Z' : instantOf(dug),
    };
    const made = this.#has('a well was never created') ? {} : { createdAt: new Date().toISOString() };
    this.#wells.set(id, { owner, value: { ...kept, ...made, id: BigInt(id) } });
    return { status: 201, body: this.#wells.get(id)?.value ?? null };
  }

  #well({ owner, path: [, id = ''] }: Asked, leak?: Flaw): Item {
    const found = this.#wells.get(id);
    if (found === undefined || (found.owner !== owner && !(leak && this.#has(leak)))) throw new Refusal(404);
    return found;
  }

  #listWells({ query }: Asked): Answered {
    knownQuery(query, ['api-version', 'offset', 'limit']);
    require(query.get('api-version') === '2');
    const offset = numberIn(query, 'offset', 0, Number.MAX_SAFE_INTEGER) ?? 0;
    const limit = numberIn(query, 'limit', 1, 200) ?? 50;
    const isMissing = (id: Value | undefined): boolean =>
      this.#has('a well is missing from the list') && Number(id) % 7 === 3;
    const all = [...this.#wells.values()].filter(({ value }) => !isMissing(value['id']));
    return { status: 200, body: all.slice(offset, offset + limit).map(({ value }) => value) };
  }

  #getWell(asked: Asked): Answered {
    return { status: 200, body: this.#well(asked).value };
  }

  #changeWell(asked: Asked): Answered {
    const value = known(asked.body, ['name', 'dug']);
    if (value['name'] !== undefined) require(isWellName(value['name']));
    if (value['dug'] !== undefined) require(isMoment(value['dug']));
    const { owner, value: before } = this.#well(asked, 'another owner changes a well');
    const { dug } = value;
    const after = { ...before, ...value, ...(dug !== undefined && { dug: instantOf(dug) }) };
    this.#wells.set(String(before['id']), { owner, value: after });
    return { status: 200, body: after };
  }

  #fillWell(asked: Asked): Answered {
    // RFC 9110, section 9.2.2: deleting twice does no more than deleting once.
    const id = asked.path[1] ?? '';
    if (/^[1-9][0-9]*$/.test(id) && !this.#wells.has(id)) return { status: 204 };
    const { value } = this.#well(asked);
    if (!this.#has('a filled well stays')) this.#wells.delete(String(value['id']));
    return { status: 204 };
  }

  #logIn({ body }: Asked): Answered {
    const { user, password } = known(body, ['user', 'password']);
    if (!isText(user, 0, 40) || !isText(password, 0, Number.POSITIVE_INFINITY)) throw new Refusal(400);
    if (user !== 'warden' || password !== 'secret') throw new Refusal(401);
    return { status: 200, body: { session: randomUUID() } };
  }

  #weigh({ body }: Asked): Answered {
    const { kilos } = known(body, ['kilos']);
    require(isInteger(kilos, 1n, this.#has('the greatest weight is refused') ? 499n : 500n));
    const price = this.#has('a price is no multiple') ? '0.35' : '0.3';
    return { status: 200, body: { price: new Decimal(price) } };
  }

  #addGate({ owner, body }: Asked): Answered {
    const { name, keeper, width, lock } = known(body, ['name', 'keeper', 'width', 'lock']);
    require(isText(name, 1, 40) && isText(keeper, 1, 30) && /^\+[0-9 ]+$/.test(keeper));
    require(width === undefined || (isNumber(width, 0, 10) && isHundredth(width)));
    require(lock === undefined || lock === 'key' || lock === 'code');
    const id = String(++this.#last);
    const told = { keeper: this.#has('a gate forgets its keeper') ? '+1' : (keeper ?? '') };
    const others = { ...(width !== undefined && { width }), ...(lock !== undefined && { lock }) };
    this.#gates.set(id, { owner, value: { id: BigInt(id), name: name ?? '', ...told, ...others } });
    return { status: 201, body: this.#gates.get(id)?.value ?? null };
  }

  #listGates({ owner, query }: Asked): Answered {
    knownQuery(query, ['page', 'per_page', 'after']);
    const page = numberIn(query, 'page', Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY) ?? 0;
    const size = numberIn(query, 'per_page', 1, 50) ?? 10;
    require(isMoment(query.get('after') ?? '1970-01-01T00:00:00Z'));
    const gap = this.#has('a page leaves a gate out') && page > 0 ? 1 : 0;
    const start = Math.max(0, page) * size + gap;
    const all = query.has('after') ? [] : [...this.#gates.values()].filter((item) => item.owner === owner);
    const sizes = this.#has('a size in a header is no number') ? '10, wide' : '10, 20';
    const second = this.#has('a cookie of two is broken') ? 'no cookie' : 'b=2';
    return {
      status: 200,
      headers: { 'x-sizes': sizes, 'set-cookie': ['a=1', second], vary: ['accept', 'origin'] },
      body: all.slice(start, start + size).map(({ value }) => value),
    };
  }

  #gate({ owner, path: [, id = ''] }: Asked, leak?: Flaw): Item {
    const found = this.#gates.get(id);
    if (found === undefined || (found.owner !== owner && !(leak && this.#has(leak)))) throw new Refusal(404);
    return found;
  }

  #getGate(asked: Asked): Answered {
    const { value } = this.#gate(asked);
    const shown = this.#has('a gate is shown with a lock of no kind') ? { lock: 'none', ...value } : value;
    return { status: 200, body: shown, headers: { 'content-type': 'text/json' } };
  }

  #removeGate(asked: Asked): Answered {
    const { value } = this.#gate(asked, 'another owner removes a gate');
    if (value['lock'] === 'code') throw new Refusal(409);
    this.#gates.delete(String(value['id']));
    return { status: 204 };
  }

  #graft({ body }: Asked): Answered {
    const { count } = known(body, ['count']);
    require(isInteger(count, 1n, 9n));
    if (this.#has('a graft fails')) throw new Error('There is no table for grafts.');
    throw new Refusal(404);
  }
}

function require(fits: boolean): void {
  if (!fits) throw new Refusal(422);
}

function refuse(status: number): never {
  throw new Refusal(status);
}

/** Refuses members that it does not know. */
function known(body: Value, names: readonly string[]): Record<string, Value> {
  if (!isObject(body) || Object.keys(body).some((name) => !names.includes(name))) throw new Refusal(422);
  return { ...body };
}

function knownQuery(query: URLSearchParams, names: readonly string[]): void {
  for (const name of query.keys()) require(names.includes(name) && query.getAll(name).length === 1);
}

/** Takes every spelling that JavaScript takes for the number. */
function numberIn(query: URLSearchParams, name: string, least: number, most: number): number | undefined {
  const text = query.get(name);
  // Like many, it takes an empty value for none.
  if (text === null || text.trim() === '') return undefined;
  const number = Number(text);
  require(text.trim() !== '' && Number.isInteger(number) && number >= least && number <= most);
  return number;
}

function isText(value: Value | undefined, least: number, most: number): value is string {
  return typeof value === 'string' && [...value].length >= least && [...value].length <= most;
}

/**
 * Whether a text has no control characters. The document does not forbid them, but this server refuses them.
 */
function isPlainText(value: Value | undefined, least: number, most: number): boolean {
  return isText(value, least, most) && !/\p{Cc}/u.test(value);
}

function isDay(value: Value): boolean {
  // Its form is a date's, whether a calendar has it or not.
  return isText(value, 10, 10) && /^\d{4}-\d\d-\d\d$/.test(value);
}

/** The double 0.29 is not a multiple of the double 0.01. */
function isHundredth(value: Value): boolean {
  return Number.isInteger(Number(numberOf(value)) / 0.01);
}

/** The same instant in another form, as databases give it back. */
function instantOf(value: Value | undefined): string {
  return new Date(String(value)).toISOString();
}

function isWellName(value: Value | undefined): value is string {
  return isText(value, 1, 40) && /^[\w\-.~ ]+$/.test(value);
}

function isMoment(value: Value | undefined): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value));
}

/** JavaScript and JSON Schema's later drafts take 12.0 for an integer. */
function isInteger(value: Value | undefined, least: bigint, most: bigint): boolean {
  if (typeof value === 'bigint') return value >= least && value <= most;
  return (
    value instanceof Decimal &&
    Number.isInteger(Number(value.text)) &&
    isNumber(value, Number(least), Number(most))
  );
}

function isNumber(value: Value | undefined, least: number, most: number): boolean {
  const number =
    typeof value === 'bigint' ? Number(value) : value instanceof Decimal ? Number(value.text) : Number.NaN;
  return number >= least && number <= most;
}

function numberOf(value: Value | undefined): bigint | number {
  return typeof value === 'bigint' ? value : Number(value instanceof Decimal ? value.text : value);
}
