import type { IncomingMessage } from 'node:http';
import t, { type Test } from 'tap';
import type { Acceptance } from '../../src/base/acceptances.js';
import { isArray, isObject, sameValue, type Value, type ValueObject } from '../../src/values/json.js';
import { type Answered, checkServer, textIn } from './json-server.js';

/**
 * That servers which keep their documents are not blamed for what neither HTTP nor OpenAPI forbids, and that everything
 * that was there before a run is there afterwards as it was.
 */

t.setTimeout(600_000);

/** The document of a collection `/notes`, whose items have the members of `note`, with further parts. */
interface ServiceDefinition {
  readonly version?: string;
  /** The schema of `text` in a create. */
  readonly text?: string;
  readonly note?: string;
  /** Further members that each answer must have. */
  readonly always?: string;
  /** Further keywords of what a create takes. */
  readonly keywords?: string;
  readonly required?: string;
  readonly paths?: string;
  readonly list?: string;
  /** The schema of what the list answers. */
  readonly listed?: string;
  readonly create?: string;
  /** An example of what a create takes. */
  readonly example?: string;
  /** Further answers of a create. */
  readonly refusals?: string;
  /** A further media type of each answer with a note. */
  readonly otherForm?: string;
  readonly security?: string;
}

const shown = "content: { application/json: { schema: { $ref: '#/components/schemas/Note' } } }";

const withForm = (form: string | undefined, yaml: string): string =>
  form === undefined
    ? yaml
    : yaml.replaceAll(shown, shown.replace('content: {', `content: { ${form}: { schema: {} },`));

const unknownCaller = (security: string): string =>
  security === '' ? '' : "'401': { description: Who are you? }";

const yamlOf = ({
  version = '3.0.3',
  text = '{ type: string, minLength: 1, maxLength: 50 }',
  note = '',
  always = '',
  keywords = '',
  required = 'text',
  paths = '',
  list = '',
  listed = "{ type: array, items: { $ref: '#/components/schemas/Note' } }",
  create = '',
  example = '',
  refusals = '',
  otherForm,
  security = '',
}: ServiceDefinition): string =>
  withForm(
    otherForm,
    `openapi: ${version}
info: { title: Notes, version: 1.0.0 }
${security}
paths:
  /notes:
    post:
      operationId: addNote
      ${create}
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/NewNote' }${example} } } }
      responses:
        '201': { description: Made., ${shown} }
        '400': { description: Refused. }
        '422': { description: The members do not go together. }
        ${refusals}
        ${unknownCaller(security)}
    get:
      operationId: listNotes
      ${list}
      responses:
        '200': { description: All., content: { application/json: { schema: ${listed} } } }
        '400': { description: Refused. }
        ${unknownCaller(security)}
  /notes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int32, minimum: 1 } }]
    get:
      operationId: getNote
      responses: { '200': { description: One., ${shown} }, '400': { description: No id. }, '404': { description: None. }, ${unknownCaller(security)} }
    delete:
      operationId: removeNote
      responses: { '204': { description: Gone. }, '400': { description: No id. }, '404': { description: None. }, '409': { description: Not now. }, ${unknownCaller(security)} }
${paths}
components:
  securitySchemes: { bearer: { type: http, scheme: bearer } }
  schemas:
    NewNote:
      type: object
      required: [${required}]
      ${keywords}
      properties: { text: ${text}${note} }
    Note:
      type: object
      required: [id, text${always}]
      properties: { id: { type: integer, format: int32 }, text: { type: string }${note} }
`,
  );

/** Notes, two of which somebody else has made. */
class Notes {
  readonly #notes = new Map<number, ValueObject>([
    [1, { id: 1n, text: 'of a colleague' }],
    [2, { id: 2n, text: 'of another' }],
  ]);
  readonly #before = new Map(this.#notes);
  readonly #nextId: (taken: ReadonlySet<number>, made: number) => number;
  #made = 2;
  /** The tokens whose sessions are over. */
  readonly ended = new Set<string>();

  /** @param nextId chooses the id of a new note; by default the number of all that were made */
  constructor(nextId: (taken: ReadonlySet<number>, made: number) => number = (_, made) => made) {
    this.#nextId = nextId;
  }

  get all(): ValueObject[] {
    return [...this.#notes.values()];
  }

  /** Whether those of the others are there as they were. */
  get isAsBefore(): boolean {
    return [...this.#before].every(([id, note]) => sameValue(this.#notes.get(id) ?? null, note));
  }

  add(body: Value, members: ValueObject = {}): ValueObject {
    this.#made++;
    const id = this.#nextId(new Set(this.#notes.keys()), this.#made);
    const note = { ...members, ...(isObject(body) ? body : {}), id: BigInt(id) };
    this.#notes.set(id, note);
    return note;
  }

  change(id: string, change: (note: ValueObject) => ValueObject): Answered {
    const note = this.#notes.get(Number(id));
    if (note === undefined) return { status: 404 };
    const changed = change(note);
    this.#notes.set(Number(id), changed);
    return { status: 200, body: changed };
  }

  remove(id: string): Answered {
    return { status: this.#notes.delete(Number(id)) ? 204 : 404 };
  }

  clear(): Answered {
    this.#notes.clear();
    return { status: 204 };
  }

  get answers(): Served['answers'] {
    return {
      addNote: ({ body }) => ({ status: 201, body: this.add(body) }),
      listNotes: () => ({ status: 200, body: this.all }),
      getNote: ({ id }) => this.change(id, (note) => note),
      removeNote: ({ id }) => this.remove(id),
    };
  }
}

const lockPaths = `  /notes/{id}/lock:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int32, minimum: 1 } }]
    post:
      operationId: lockNote
      responses: { '200': { description: Locked., ${shown} }, '400': { description: No id. }, '404': { description: None. } }`;

/** A PUT that asks for the tag of the note. */
const tagged = {
  paths: `    put:
      operationId: replaceNote
      parameters: [{ name: If-Match, in: header, required: true, schema: { type: string } }]
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/NewNote' } } } }
      responses:
        '200': { description: It., ${shown} }
        '400': { description: Refused. }
        '404': { description: None. }
        '412': { description: It has changed. }
        '428': { description: Which one do you know? }`,
};

const tagOf = (note: ValueObject): string => `"${Buffer.from(textIn(note, 'text')).toString('base64url')}"`;

const taggedAnswers = (notes: Notes): Served['answers'] => {
  const withTag = (answered: Answered): Answered => {
    const { body = null } = answered;
    return isObject(body) ? { ...answered, headers: { etag: tagOf(body) } } : answered;
  };
  return {
    getNote: ({ id }) => withTag(notes.change(id, (note) => note)),
    replaceNote: ({ id, body, headers }) => {
      const given = headers['if-match'];
      const { status, body: before = null } = notes.change(id, (note) => note);
      if (!isObject(before)) return { status };
      if (given === undefined) return { status: 428 };
      if (given !== tagOf(before)) return { status: 412 };
      return withTag(notes.change(id, ({ id }) => ({ ...(isObject(body) ? body : {}), id: id ?? null })));
    },
  };
};

type Served = Parameters<typeof checkServer>[1];

interface Right {
  readonly name: string;
  readonly parts?: ServiceDefinition;
  readonly notes?: () => Notes;
  readonly answers?: (notes: Notes) => Served['answers'];
  readonly first?: (notes: Notes) => Served['first'];
  readonly choices?: Served['choices'];
  readonly basePath?: string;
  readonly rules?: readonly string[];
  /** How many requests of an operation are generated. */
  readonly cases?: number;
  /** What the notes of the report say. */
  readonly says?: RegExp;
  /** The operations that are held back. */
  readonly heldBack?: readonly string[];
  /** Whether nothing is there afterwards but what was there before. */
  readonly leavesNothing?: boolean;
  /** The operations that must have answered a success. */
  readonly reached?: readonly string[];
}

const noteOrNone = `'200': { description: It., ${shown} }, '400': { description: Refused. }, '404': { description: None. }`;
const bodyOf = (schema: string): string =>
  `requestBody: { required: true, content: { application/json: { schema: ${schema} } } }`;

const idOf = (body: Value): string => (isObject(body) ? String(body['id']) : '');

const right: readonly Right[] = [
  {
    name: 'a POST that names the item it changes, and one that removes everything',
    parts: {
      paths: `  /notes.edit:
    post:
      operationId: editNote
      ${bodyOf('{ type: object, required: [id, text], properties: { id: { type: integer, format: int32, minimum: 1 }, text: { type: string } } }')}
      responses: { ${noteOrNone} }
  /notes.remove:
    post:
      operationId: removeByBody
      ${bodyOf('{ type: object, required: [id], properties: { id: { type: integer, format: int32, minimum: 1 } } }')}
      responses: { '204': { description: Gone. }, '400': { description: Refused. }, '404': { description: None. } }
  /hints/empty:
    post: { operationId: emptyAll, responses: { '204': { description: All are gone. } } }
  /settings:
    put:
      operationId: changeSettings
      ${bodyOf('{ type: object, properties: { colour: { type: string } } }')}
      responses: { '204': { description: Changed. }, '400': { description: Refused. } }`,
    },
    answers: (notes) => ({
      editNote: ({ body }) => notes.change(idOf(body), (note) => ({ ...note, text: 'edited' })),
      removeByBody: ({ body }) => notes.remove(idOf(body)),
      emptyAll: () => notes.clear(),
      changeSettings: () => notes.clear(),
    }),
    heldBack: ['changeSettings', 'editNote', 'emptyAll', 'removeByBody'],
  },
  {
    name: 'a POST in the style of RPC that answers a new item of the list',
    parts: {
      paths: `  /notes.add:
    post:
      operationId: addByName
      ${bodyOf("{ $ref: '#/components/schemas/NewNote' }")}
      responses: { '200': { description: Made., ${shown} }, '400': { description: Refused. } }`,
    },
    answers: (notes) => ({ addByName: ({ body }) => ({ status: 200, body: notes.add(body) }) }),
    heldBack: [],
    reached: ['addByName'],
  },
  {
    name: 'an action that takes its item out of the collection, and one on the path of the item',
    parts: {
      paths: `  /notes/{id}/scrap:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int32, minimum: 1 } }]
    post:
      operationId: scrapNote
      responses: { '204': { description: Gone. }, '400': { description: No id. }, '404': { description: None. } }`,
    },
    answers: (notes) => ({ scrapNote: ({ id }) => notes.remove(id) }),
    heldBack: [],
    reached: ['scrapNote'],
  },
  {
    name: 'an action below an item that names another one',
    parts: {
      paths: `  /notes/{id}/merge:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int32, minimum: 1 } }]
    post:
      operationId: mergeNote
      ${bodyOf('{ type: object, required: [otherId], properties: { otherId: { type: integer, format: int32, minimum: 1 } } }')}
      responses: { ${noteOrNone} }`,
    },
    answers: (notes) => ({
      mergeNote: ({ id, body }) => {
        notes.remove(isObject(body) ? String(body['otherId']) : '');
        return notes.change(id, (note) => note);
      },
    }),
    heldBack: ['mergeNote'],
  },
  {
    name: 'an action below an item whose path names another one',
    parts: {
      paths: `  /notes/{id}/merge/{other}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: integer, format: int32, minimum: 1 } }
      - { name: other, in: path, required: true, schema: { type: integer, format: int32, minimum: 1 } }
    post:
      operationId: mergeNote
      responses: { ${noteOrNone} }`,
    },
    answers: (notes) => ({ mergeNote: ({ id }) => notes.remove(id) }),
    rules: ['actions'],
    heldBack: [],
  },
  {
    name: 'one word for the states of two members, and a weak tag that stays when a note is liked',
    parts: {
      note: ', payment: { type: string, readOnly: true, enum: [open, paid] }, delivery: { type: string, readOnly: true, enum: [open, sent] }, likes: { type: integer, readOnly: true }',
      paths: ['pay', 'send', 'like']
        .map(
          (action) => `  /notes/{id}/${action}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int32, minimum: 1 } }]
    post:
      operationId: ${action}
      responses: { ${noteOrNone}, '409': { description: The note is not open. } }`,
        )
        .join('\n'),
    },
    answers: (notes) => {
      const act = (id: string, from: string, members: ValueObject) => {
        const { status, body = null } = notes.change(id, (note) => note);
        if (from !== '' && textIn(body, from) !== 'open') return { status: status === 200 ? 409 : status };
        return notes.change(id, (note) => ({ ...note, ...members }));
      };
      return {
        addNote: ({ body }) => ({
          status: 201,
          body: notes.add(body, { payment: 'open', delivery: 'open', likes: 0n }),
        }),
        getNote: ({ id }) => ({
          ...notes.change(id, (note) => note),
          headers: { etag: `W/"${id}"` },
        }),
        pay: ({ id }) => act(id, 'payment', { payment: 'paid' }),
        send: ({ id }) => act(id, 'delivery', { delivery: 'sent' }),
        like: ({ id }) => act(id, '', { likes: 1n }),
      };
    },
    rules: ['actions', 'conditions'],
    reached: ['pay', 'send', 'like'],
  },
  {
    name: 'the highest id and one for a new item, as in SQLite',
    notes: () => new Notes((taken) => Math.max(0, ...taken) + 1),
    says: /addNote gives the ids of deleted items again/,
  },
  {
    name: 'the least free id for a new item',
    notes: () =>
      new Notes((taken) => {
        let id = 1;
        while (taken.has(id)) id++;
        return id;
      }),
    says: /addNote gives the ids of deleted items again/,
  },
  {
    name: 'a list that shows one state by a documented default',
    parts: {
      note: ', state: { type: string, enum: [draft, public], default: draft }',
      list: 'parameters: [{ name: state, in: query, schema: { type: string, enum: [draft, public], default: public } }]',
    },
    answers: (notes) => ({
      addNote: ({ body }) => ({ status: 201, body: notes.add(body, { state: 'draft' }) }),
      listNotes: ({ query }) => ({
        status: 200,
        body: notes.all.filter(({ state = 'public' }) => state === (query.get('state') ?? 'public')),
      }),
    }),
    rules: ['filters'],
  },
  {
    name: 'JSON for who accepts JSON, and a page of HTML for others',
    first:
      () =>
      ({ headers: { accept = '' } }) =>
        /json/.test(accept)
          ? undefined
          : { status: 302, headers: { location: '/', 'content-type': 'text/html' } },
  },
  {
    name: 'a pause of a second after each 400 requests, with Retry-After',
    first: () => {
      let [count, resumesAt] = [0, 0];
      return () => {
        count++;
        if (count % 400 === 0) resumesAt = performance.now() + 1_000;
        return performance.now() < resumesAt ? { status: 429, headers: { 'retry-after': '1' } } : undefined;
      };
    },
    reached: ['addNote', 'listNotes', 'getNote', 'removeNote'],
  },
  {
    name: 'one item for each Idempotency-Key',
    parts: {
      create:
        'parameters: [{ name: Idempotency-Key, in: header, required: true, schema: { type: string, minLength: 1 } }]',
    },
    answers: (notes) => {
      const keys = new Set<string>();
      return {
        addNote: ({ body, headers }) => {
          const key = String(headers['idempotency-key']);
          if (keys.has(key)) return { status: 422 };
          keys.add(key);
          return { status: 201, body: notes.add(body) };
        },
      };
    },
    rules: ['valid-requests-succeed'],
    cases: 100,
    reached: ['addNote', 'getNote', 'removeNote'],
  },
  {
    name: 'a required header of which only the example is good',
    parts: {
      create:
        'parameters: [{ name: X-Tenant, in: header, required: true, example: acme, schema: { type: string } }]',
    },
    answers: (notes) => ({
      addNote: ({ body, headers }) =>
        headers['x-tenant'] === 'acme' ? { status: 201, body: notes.add(body) } : { status: 422 },
    }),
    reached: ['addNote', 'getNote', 'removeNote'],
  },
  {
    name: 'operations with servers of their own: one at the root of the same server, and one at another server',
    basePath: '/v1',
    parts: {
      paths: `  /status:
    get:
      operationId: getStatus
      servers: [{ url: / }]
      responses: { '200': { description: Fine. } }
  /uploads:
    servers: [{ url: 'http://uploads.example/up' }]
    get: { operationId: listUploads, responses: { '200': { description: All. } } }`,
    },
    answers: () => ({ getStatus: () => ({ status: 200 }) }),
    says: /listUploads.*it is served at http:\/\/uploads\.example\/up/,
    reached: ['getStatus', 'addNote', 'getNote'],
  },
  {
    name: 'an operation that ends the credentials of the run, which the user wants to be sent',
    choices: { send: ['logOut'] },
    parts: {
      security: 'security: [{ bearer: [] }]',
      paths: `  /logout:
    post: { operationId: logOut, responses: { '204': { description: Ended. }, '401': { description: Who are you? } } }`,
    },
    first:
      (notes) =>
      ({ headers: { authorization = '' } }) =>
        notes.ended.has(authorization.replace(/^Bearer +/i, '')) ? { status: 401 } : undefined,
    answers: (notes) => ({
      logOut: ({ caller }) => {
        notes.ended.add(caller);
        return { status: 204 };
      },
    }),
    says: /refused since logOut was sent, so it was tried last/,
    reached: ['logOut', 'addNote', 'listNotes', 'getNote', 'removeNote'],
  },
  {
    name: 'remarks on a note, which to another owner are a documented 404',
    parts: {
      security: 'security: [{ bearer: [] }]',
      paths: `  /notes/{id}/remarks:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int32, minimum: 1 } }]
    post:
      operationId: addRemark
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/NewNote' } } } }
      responses:
        '201': { description: Made., ${shown} }
        '400': { description: Refused. }
        '401': { description: Who are you? }
        '404': { description: None. }
    get:
      operationId: listRemarks
      responses:
        '200': { description: All., content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Note' } } } } }
        '400': { description: No id. }
        '401': { description: Who are you? }
        '404': { description: None. }
  /notes/{id}/remarks/{remark}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: integer, format: int32, minimum: 1 } }
      - { name: remark, in: path, required: true, schema: { type: integer, format: int32, minimum: 1 } }
    get:
      operationId: getRemark
      responses:
        '200': { description: One., ${shown} }
        '400': { description: No id. }
        '401': { description: Who are you? }
        '404': { description: None. }`,
    },
    answers: (notes) => {
      const owners = new Map<string, string>();
      const remarks: ValueObject[] = [];
      const isOwn = (id: string, caller: string): boolean => owners.get(id) === caller;
      return {
        addNote: ({ body, caller }) => {
          const note = notes.add(body);
          owners.set(String(note['id']), caller);
          return { status: 201, body: note };
        },
        listNotes: ({ caller }) => ({
          status: 200,
          body: notes.all.filter(({ id }) => isOwn(String(id), caller)),
        }),
        getNote: ({ id, caller }) => (isOwn(id, caller) ? notes.change(id, (note) => note) : { status: 404 }),
        removeNote: ({ id, caller }) => (isOwn(id, caller) ? notes.remove(id) : { status: 404 }),
        addRemark: ({ id, body, caller }) => {
          if (!isOwn(id, caller)) return { status: 404 };
          const remark = { ...(isObject(body) ? body : {}), id: BigInt(remarks.length + 1), of: id };
          remarks.push(remark);
          return { status: 201, body: remark };
        },
        getRemark: ({ id, caller }) => {
          const remark = remarks.find((one) => String(one['id']) === id);
          if (remark === undefined || !isOwn(String(remark['of']), caller)) return { status: 404 };
          return { status: 200, body: remark };
        },
        listRemarks: ({ id, caller }) =>
          isOwn(id, caller)
            ? { status: 200, body: remarks.filter((remark) => remark['of'] === id) }
            : { status: 404 },
      };
    },
    rules: ['isolation', 'documented-refusals', 'valid-requests-succeed'],
    reached: ['addRemark', 'listRemarks', 'getRemark'],
  },
  {
    name: 'an end that must be after a beginning, which is documented as 422',
    parts: {
      required: 'text, starts_at, ends_at',
      note: ', starts_at: { type: string, format: date-time }, ends_at: { type: string, format: date-time }',
    },
    answers: (notes) => ({
      addNote: ({ body }) =>
        Date.parse(textIn(body, 'ends_at')) > Date.parse(textIn(body, 'starts_at'))
          ? { status: 201, body: notes.add(body) }
          : { status: 422 },
    }),
    rules: ['valid-requests-succeed'],
    says: /addNote refuses values of "starts_at", "ends_at" that the document allows/,
    reached: ['addNote'],
  },
  {
    name: 'a window of 31 days at most, which no schema can say of two parameters',
    parts: {
      paths: `  /notes/{id}/history:
    get:
      operationId: listHistory
      parameters:
        - { name: id, in: path, required: true, schema: { type: integer, format: int32, minimum: 1 } }
        - { name: from, in: query, required: true, example: '2031-03-03T00:00:00Z', schema: { type: string, format: date-time } }
        - { name: to, in: query, required: true, example: '2031-03-10T00:00:00Z', schema: { type: string, format: date-time } }
      responses: { '200': { description: All. }, '400': { description: Refused. }, '404': { description: None. } }`,
    },
    answers: (notes) => ({
      listHistory: ({ id, query }) => {
        const length = Date.parse(query.get('to') ?? '') - Date.parse(query.get('from') ?? '');
        if (!(length > 0 && length <= 31 * 86_400_000)) return { status: 400 };
        return { status: notes.change(id, (note) => note).status };
      },
    }),
    says: /listHistory refuses values of "from", "to" that the document allows, because of each other/,
    reached: ['listHistory'],
  },
  {
    name: 'the highest id and one for a new item, in a list whose pages follow each other by a cursor',
    notes: () => new Notes((taken) => Math.max(0, ...taken) + 1),
    parts: {
      list: `parameters:
        - { name: after, in: query, schema: { type: integer, format: int32, minimum: 0 } }
        - { name: limit, in: query, schema: { type: integer, minimum: 1, maximum: 50, default: 20 } }`,
    },
    answers: (notes) => ({
      listNotes: ({ query }) => {
        const after = Number(query.get('after') ?? 0);
        const later = notes.all.filter(({ id }) => Number(id) > after);
        const sorted = later.toSorted((one, other) => Number(one['id']) - Number(other['id']));
        return { status: 200, body: sorted.slice(0, Number(query.get('limit') ?? 20)) };
      },
    }),
    rules: ['pages'],
    says: /addNote gives the ids of deleted items again/,
  },
  {
    name: 'tokens of pages that only the server makes, and none on the last page',
    parts: {
      list: `parameters:
        - { name: page_token, in: query, schema: { type: string, minLength: 1, maxLength: 40 } }
        - { name: page_size, in: query, schema: { type: integer, minimum: 1, maximum: 100, default: 50 } }`,
      listed: `{ type: object, required: [notes], properties: {
          notes: { type: array, items: { $ref: '#/components/schemas/Note' } }, next_page_token: { type: string } } }`,
    },
    answers: (notes) => ({
      listNotes: ({ query }) => {
        const [, last] = /^after-([0-9]+)$/.exec(query.get('page_token') ?? 'after-0') ?? [];
        if (last === undefined) return { status: 400 };
        const rest = notes.all.filter(({ id }) => Number(id) > Number(last));
        const page = rest.slice(0, Number(query.get('page_size') ?? 50));
        const next = page.length < rest.length ? { next_page_token: `after-${idOf(page.at(-1) ?? {})}` } : {};
        return { status: 200, body: { notes: page, ...next } };
      },
    }),
    rules: ['pages'],
    reached: ['listNotes'],
  },
  {
    name: 'XML for who does not ask for JSON',
    parts: { otherForm: 'application/xml' },
    answers: (notes) => {
      const inForm = (answered: Answered, accept = ''): Answered =>
        /json/.test(accept) || answered.status >= 300
          ? answered
          : { status: answered.status, body: '<note/>', headers: { 'content-type': 'application/xml' } };
      return {
        addNote: ({ body, headers }) => inForm({ status: 201, body: notes.add(body) }, headers.accept),
        getNote: ({ id, headers }) =>
          inForm(
            notes.change(id, (note) => note),
            headers.accept,
          ),
      };
    },
    rules: ['unmentioned-headers'],
  },
  {
    name: 'a key of retries that is too short, under its name in other letters',
    parts: {
      create: 'parameters: [{ name: Idempotency-Key, in: header, schema: { type: string, minLength: 8 } }]',
    },
    answers: (notes) => ({
      addNote: ({ body, headers }) =>
        String(headers['idempotency-key'] ?? 'none was sent').length < 8
          ? { status: 400 }
          : { status: 201, body: notes.add(body) },
    }),
  },
  {
    name: 'no two bookings at one time, with the highest id and one for a new item',
    notes: () => new Notes((taken) => Math.max(0, ...taken) + 1),
    parts: {
      required: 'text, starts_at, ends_at',
      note: ', starts_at: { type: string, format: date-time }, ends_at: { type: string, format: date-time }',
      refusals: "'409': { description: There is another one at this time. }",
      paths: lockPaths,
    },
    answers: (notes) => ({
      addNote: ({ body }) => {
        const timeOf = (note: Value, name: string): number => Date.parse(textIn(note, name));
        if (!(timeOf(body, 'ends_at') > timeOf(body, 'starts_at'))) return { status: 422 };
        const isTaken = notes.all.some(
          (other) =>
            timeOf(other, 'starts_at') < timeOf(body, 'ends_at') &&
            timeOf(body, 'starts_at') < timeOf(other, 'ends_at'),
        );
        return isTaken ? { status: 409 } : { status: 201, body: notes.add(body) };
      },
      lockNote: ({ id }) => notes.change(id, (note) => note),
    }),
    rules: ['valid-requests-succeed', 'every-operation'],
    says: /addNote refuses an item at the time of another one/,
    reached: ['addNote', 'getNote', 'removeNote', 'lockNote'],
    leavesNothing: true,
  },
  {
    name: 'an update that takes the marker away, with the highest id and one for a new item',
    notes: () => new Notes((taken) => Math.max(0, ...taken) + 1),
    parts: {
      text: '{ type: string, maxLength: 50 }',
      paths: `    patch:
      operationId: changeNote
      requestBody: { required: true, content: { application/merge-patch+json: { schema: { type: object, properties: { text: { type: string, maxLength: 50 } } } } } }
      responses: { ${noteOrNone} }`,
    },
    answers: (notes) => ({
      changeNote: ({ id, body }) =>
        notes.change(id, (note) => ({
          ...note,
          ...(isObject(body) && 'text' in body && { text: body['text'] ?? null }),
        })),
    }),
    rules: ['updates'],
    reached: ['changeNote'],
    leavesNothing: true,
  },
  {
    name: 'lines that add up to the total, as in an example',
    parts: {
      required: 'text, total',
      note: ', total: { type: integer, minimum: 0, maximum: 900 }, lines: { type: array, maxItems: 9, items: { type: integer, minimum: 0, maximum: 900 } }',
      example: ', example: { text: paper, total: 12, lines: [4, 8] }',
    },
    answers: (notes) => ({
      addNote: ({ body }) => {
        const { lines = null, total = null } = isObject(body) ? body : {};
        const sum = isArray(lines) ? lines.reduce((all: number, line) => all + Number(line), 0) : undefined;
        return sum === undefined || sum === Number(total)
          ? { status: 201, body: notes.add(body) }
          : { status: 422 };
      },
    }),
    rules: ['valid-requests-succeed'],
    cases: 20,
    says: /addNote refuses values of "total", "lines" that the document allows, because of each other/,
    reached: ['addNote'],
  },
  {
    name: 'an update of one member or more, one of which names what must be there',
    parts: {
      paths: `    patch:
      operationId: changeNote
      requestBody: { required: true, content: { application/json: { schema: { type: object, minProperties: 1, properties: {
        owner_id: { type: string, format: uuid }, text: { type: string, minLength: 1, maxLength: 50 },
        service: { type: string, enum: [standard, express] }, grams: { type: integer, minimum: 10000, maximum: 30000 } } } } } }
      responses: { ${noteOrNone}, '422': { description: The members do not go together. } }`,
    },
    answers: (notes) => ({
      changeNote: ({ id, body }) => {
        const isHeavy = Number(textIn(body, 'grams')) > 20_000;
        const isRefused =
          (isObject(body) && 'owner_id' in body) || (isHeavy && textIn(body, 'service') === 'express');
        const text = isObject(body) ? body['text'] : undefined;
        const answered = notes.change(id, (note) =>
          isRefused ? note : { ...note, text: text ?? note['text'] ?? null },
        );
        return isRefused && answered.status === 200 ? { status: 422 } : answered;
      },
    }),
    rules: ['valid-requests-succeed'],
    cases: 60,
    says: /changeNote refuses values of "service", "grams" that the document allows, because of each other/,
    reached: ['changeNote'],
  },
  {
    name: 'an express parcel of 20 kg at most, which no schema can say of an enum and an integer',
    parts: {
      required: 'text, service, grams',
      note: ', service: { type: string, enum: [standard, express] }, grams: { type: integer, minimum: 1, maximum: 30000 }',
    },
    answers: (notes) => ({
      addNote: ({ body }) =>
        textIn(body, 'service') === 'express' && Number(textIn(body, 'grams')) > 20_000
          ? { status: 422 }
          : { status: 201, body: notes.add(body) },
    }),
    rules: ['valid-requests-succeed'],
    cases: 40,
    says: /addNote refuses values of "service", "grams" that the document allows, because of each other/,
    reached: ['addNote'],
  },
  {
    name: 'a room that must be there, so that it has no place for a marker',
    parts: {
      text: '{ type: string, enum: [short] }',
      required: 'text, room_id, title',
      note: ', room_id: { type: string, maxLength: 50, example: dune }, title: { type: string, maxLength: 50 }',
    },
    answers: (notes) => ({
      addNote: ({ body }) =>
        textIn(body, 'room_id') === 'dune' ? { status: 201, body: notes.add(body) } : { status: 422 },
    }),
    reached: ['addNote', 'getNote', 'removeNote'],
  },
  {
    name: 'a member that needs another one, and is the only one with room for a marker',
    parts: {
      version: '3.1.0',
      text: '{ type: string, enum: [short] }',
      note: ', label: { type: string, maxLength: 50 }, colour: { type: string, enum: [red, blue] }',
      keywords: 'dependentRequired: { label: [colour] }',
    },
    rules: ['valid-requests-succeed'],
    reached: ['addNote', 'getNote', 'removeNote'],
  },
  {
    name: 'members that are needed under a condition, and others that do not go with them',
    parts: {
      version: '3.1.0',
      required: 'text, kind',
      note: ', kind: { type: string, enum: [card, bank] }, number: { type: string, maxLength: 20 }, iban: { type: string, maxLength: 30 }',
      keywords: `if: { properties: { kind: { const: card } }, required: [kind] }
      then: { required: [number], properties: { iban: false } }
      else: { required: [iban] }`,
    },
    rules: ['valid-requests-succeed'],
    reached: ['addNote', 'getNote', 'removeNote'],
  },
  {
    name: 'an item that is gone when its time is over',
    parts: { note: ', expires_at: { type: string, format: date-time }' },
    answers: (notes) => {
      const isOver = (note: ValueObject): boolean => Date.parse(textIn(note, 'expires_at')) < Date.now();
      return {
        listNotes: () => ({ status: 200, body: notes.all.filter((note) => !isOver(note)) }),
        getNote: ({ id }) => {
          const { status, body = null } = notes.change(id, (note) => note);
          return isObject(body) && isOver(body) ? { status: 404 } : { status, body };
        },
      };
    },
    says: /with expires_at may end by themselves/,
    reached: ['addNote', 'listNotes', 'getNote', 'removeNote'],
  },
  {
    name: 'an item that cannot be removed while it is locked',
    parts: { paths: lockPaths },
    answers: (notes) => {
      const locked = new Set<string>();
      return {
        lockNote: ({ id }) => {
          locked.add(id);
          return notes.change(id, (note) => note);
        },
        removeNote: ({ id }) => (locked.has(id) ? { status: 409 } : notes.remove(id)),
      };
    },
    reached: ['lockNote', 'removeNote'],
  },
  {
    name: 'a header that the document does not name, which the user has chosen',
    choices: { header: ['X-Gateway: open'] },
    first:
      () =>
      ({ headers }) =>
        headers['x-gateway'] === 'open' ? undefined : { status: 503 },
    reached: ['addNote', 'listNotes', 'getNote', 'removeNote'],
  },
  {
    name: 'a tag that only the server makes, so that it answers 412 to any other',
    parts: tagged,
    answers: taggedAnswers,
    rules: ['valid-requests-succeed'],
    reached: ['replaceNote'],
  },
  {
    name: 'a tag that must be sent, which is a 428 as in RFC 6585',
    parts: tagged,
    answers: taggedAnswers,
    rules: ['documented-refusals'],
    reached: ['replaceNote'],
  },
  {
    name: 'a parent that must be there, whose name does not tell its collection',
    parts: { note: ', parent_id: { type: integer, format: int32, minimum: 1 }' },
    answers: (notes) => ({
      addNote: ({ body }) => {
        const parent = isObject(body) ? (body['parent_id'] ?? null) : null;
        const isThere = parent === null || notes.all.some(({ id }) => id === parent);
        return isThere ? { status: 201, body: notes.add(body) } : { status: 422 };
      },
    }),
    rules: ['references', 'valid-requests-succeed'],
    reached: ['addNote', 'getNote', 'removeNote'],
  },
  {
    name: 'rooms of which only an example tells one, although each valid request succeeds',
    parts: {
      required: 'text, room_id',
      note: ', room_id: { type: string, maxLength: 50, example: dune }',
      paths: `  /rooms/{room}/hours:
    get:
      operationId: listHours
      parameters:
        - { name: room, in: path, required: true, example: dune, schema: { type: string } }
        - { name: day, in: query, required: true, schema: { type: string, format: date } }
      responses: { '200': { description: All. }, '400': { description: Refused. }, '404': { description: None. } }`,
    },
    first:
      () =>
      ({ url = '' }) =>
        /^\/rooms\/(?!dune\/)/.test(url) ? { status: 404 } : undefined,
    answers: (notes) => ({
      addNote: ({ body }) =>
        textIn(body, 'room_id') === 'dune' ? { status: 201, body: notes.add(body) } : { status: 422 },
      listHours: ({ query }) => ({ status: query.has('day') ? 200 : 400 }),
    }),
    rules: ['documented-refusals', 'every-operation', 'valid-requests-succeed'],
    reached: ['addNote', 'getNote', 'removeNote', 'listHours'],
  },
  {
    name: 'a cursor that only the server makes, of a list to which nobody adds',
    parts: {
      paths: `  /rooms:
    get:
      operationId: listRooms
      parameters: [{ name: cursor, in: query, schema: { type: string } }]
      responses:
        '200': { description: All., content: { application/json: { schema: { type: array, items: { type: string } } } } }
        '400': { description: Refused. }`,
    },
    answers: () => ({
      listRooms: ({ query }) => (query.has('cursor') ? { status: 400 } : { status: 200, body: ['dune'] }),
    }),
    rules: ['valid-requests-succeed'],
    reached: ['listRooms'],
  },
  {
    name: 'a text that one note has, so that no other one gets it',
    parts: {
      paths: `    patch:
      operationId: changeNote
      requestBody: { required: true, content: { application/json: { schema: { type: object, properties: { text: { type: string, minLength: 1, maxLength: 50 } } } } } }
      responses: { ${noteOrNone}, '409': { description: Another one has it. } }`,
    },
    answers: (notes) => ({
      changeNote: ({ id, body }) => {
        const text = textIn(body, 'text');
        const isTaken = notes.all.some((note) => textIn(note, 'text') === text && String(note['id']) !== id);
        if (isTaken && isObject(body) && 'text' in body) return { status: 409 };
        return notes.change(id, (note) => ({
          ...note,
          ...(isObject(body) ? body : {}),
          id: note['id'] ?? null,
        }));
      },
    }),
    rules: ['valid-requests-succeed'],
    reached: ['changeNote'],
  },
  {
    name: 'a list that no answer lacks, and that is empty if none was sent',
    parts: { note: ', tags: { type: array, items: { type: string } }', always: ', tags' },
    answers: (notes) => {
      const withTags = (note: ValueObject): ValueObject => ({ tags: [], ...note });
      return {
        addNote: ({ body }) => ({ status: 201, body: withTags(notes.add(body)) }),
        listNotes: () => ({ status: 200, body: notes.all.map(withTags) }),
        getNote: ({ id }) => {
          const { status, body = null } = notes.change(id, (note) => note);
          return isObject(body) ? { status, body: withTags(body) } : { status };
        },
      };
    },
    rules: ['unsent-members'],
  },
  {
    name: 'a documented 406 for who accepts another media type',
    parts: {
      paths: `  /reports:
    get:
      operationId: listReports
      responses:
        '200': { description: All., content: { application/json: { schema: { type: array, items: { type: string } } } } }
        '406': { description: There is JSON only. }`,
    },
    answers: () => ({
      listReports: ({ headers: { accept = '*/*' } }) =>
        /json|\*/.test(accept) ? { status: 200, body: [] } : { status: 406 },
    }),
    rules: ['unmentioned-headers'],
  },
  {
    name: 'defaults that no document says, a secret that no answer shows, and the id in the body of a PUT',
    parts: {
      note: ', pinned: { type: boolean }, login: { type: object, required: [user], properties: { user: { type: string, minLength: 1 }, secret: { type: string, minLength: 1, writeOnly: true } } }',
      paths: `    put:
      operationId: replaceNote
      ${bodyOf("{ $ref: '#/components/schemas/Note' }")}
      responses: { ${noteOrNone} }
    patch:
      operationId: changeNote
      requestBody: { required: true, content: { application/merge-patch+json: { schema: { type: object, properties: { login: { type: object, properties: { user: { type: string, minLength: 1 }, secret: { type: string, minLength: 1, writeOnly: true } } } } } } } }
      responses: { ${noteOrNone} }`,
    },
    answers: (notes) => {
      const filled = (note: ValueObject): ValueObject => {
        const { login, ...others }: ValueObject = { pinned: false, ...note };
        return login === undefined ? others : { ...others, login: { user: textIn(login, 'user') } };
      };
      return {
        addNote: ({ body }) => ({ status: 201, body: filled(notes.add(filled(isObject(body) ? body : {}))) }),
        replaceNote: ({ id, body }) =>
          idOf(body) === id
            ? notes.change(id, () => filled(isObject(body) ? body : {}))
            : { status: notes.change(id, (note) => note).status === 404 ? 404 : 400 },
        changeNote: ({ id, body }) =>
          notes.change(id, (note) => {
            const [login, patch] = [note['login'] ?? null, isObject(body) ? (body['login'] ?? null) : null];
            const merged = { ...(isObject(login) ? login : {}), ...(isObject(patch) ? patch : {}) };
            return filled('user' in merged ? { ...note, login: merged } : note);
          }),
      };
    },
    rules: ['updates'],
    reached: ['replaceNote', 'changeNote'],
  },
  {
    name: 'a list that shows all states by default, and those that are done only if it is asked for them, too',
    parts: {
      note: ', state: { type: string, enum: [open, closed] }, done: { type: boolean }',
      list: `parameters:
        - { name: state, in: query, schema: { type: string, enum: [open, closed, all], default: all } }
        - { name: done, in: query, description: 'Whether notes that are done are shown, too.', schema: { type: boolean, default: false } }`,
    },
    answers: (notes) => ({
      listNotes: ({ query }) => ({
        status: 200,
        body: notes.all.filter(
          ({ state = null, done = false }) =>
            [null, 'all', state].includes(query.get('state')) && (!done || query.get('done') === 'true'),
        ),
      }),
    }),
    rules: ['filters'],
  },
  {
    name: 'a room that must be there, and is the only text',
    parts: {
      text: '{ type: string, enum: [short] }',
      required: 'text, room_id',
      note: ', room_id: { type: string, maxLength: 50, example: dune }',
    },
    answers: (notes) => ({
      addNote: ({ body }) =>
        textIn(body, 'room_id') === 'dune' ? { status: 201, body: notes.add(body) } : { status: 422 },
    }),
    reached: ['addNote', 'getNote', 'removeNote'],
  },
  {
    name: 'a limit of one operation, whose path fits the pattern of another one',
    parts: {
      paths: `  /reports/{name}:
    get:
      operationId: getReport
      parameters: [{ name: name, in: path, required: true, schema: { type: string } }]
      responses: { '200': { description: One. }, '404': { description: None. }, '429': { description: Wait., headers: { X-Reports: { required: true, schema: { type: integer } } } } }
  /reports/all:
    get: { operationId: exportReports, responses: { '200': { description: All. }, '429': { description: Wait. } } }`,
    },
    first: () => {
      let count = 0;
      return ({ url = '' }) =>
        /^\/reports\/all/.test(url) && ++count % 10 === 0
          ? { status: 429, headers: { 'retry-after': '0' } }
          : undefined;
    },
    answers: () => ({ getReport: () => ({ status: 200 }), exportReports: () => ({ status: 200 }) }),
    reached: ['getReport', 'exportReports'],
  },
  {
    name: 'an empty map in place of null',
    parts: {
      version: '3.1.0',
      note: ', labels: { type: object, additionalProperties: true }',
      paths: `    patch:
      operationId: changeNote
      requestBody: { required: true, content: { application/merge-patch+json: { schema: { type: object, properties: { labels: { type: [object, 'null'], additionalProperties: true } } } } } }
      responses: { ${noteOrNone} }`,
    },
    answers: (notes) => ({
      addNote: ({ body }) => ({ status: 201, body: notes.add(body, { labels: {} }) }),
      changeNote: ({ id, body }) =>
        notes.change(id, (note) => {
          const [before = null, patch] = [note['labels'], isObject(body) ? body['labels'] : undefined];
          if (patch === undefined) return note;
          const merged = isObject(patch) ? { ...(isObject(before) ? before : {}), ...patch } : {};
          const kept = Object.entries(merged).filter(([, part]) => part !== null);
          return { ...note, labels: Object.fromEntries(kept) };
        }),
    }),
    rules: ['updates'],
    reached: ['changeNote'],
  },
  {
    name: 'a member that goes with one value of another one only',
    parts: {
      version: '3.1.0',
      required: 'text, kind',
      note: ', kind: { type: string, enum: [short, long] }, ends_on: { type: string, format: date }',
      keywords: `if: { properties: { kind: { const: long } } }
      then: { required: [ends_on] }
      else: { properties: { ends_on: false } }`,
    },
    reached: ['addNote', 'getNote', 'removeNote'],
  },
  {
    name: 'a method of the document that the user has excluded',
    choices: { exclude: ['removeNote'] },
    rules: ['undocumented-methods'],
    first:
      () =>
      ({ method = '', url = '' }) => {
        const allowed = /^\/notes\/./.test(url) ? ['GET', 'DELETE'] : ['GET', 'POST'];
        if (allowed.includes(method) || method === 'HEAD') return undefined;
        return { status: 405, headers: { allow: allowed.join(', ') } };
      },
  },
  {
    name: 'a 404 for an id that is none, and before anything else is looked at; a 415 without a body and its type',
    parts: {
      refusals: "'415': { description: Which type? }",
      paths: `  /reports/{name}:
    get:
      operationId: getReport
      parameters: [{ name: name, in: path, required: true, schema: { type: string, pattern: '^[a-z]+$' } }, { name: limit, in: query, schema: { type: integer, format: int32 } }]
      responses: { '200': { description: One. }, '400': { description: Refused. }, '404': { description: None. } }`,
    },
    rules: ['documented-refusals', 'strict-urls'],
    first:
      () =>
      ({ method, url = '', headers }) => {
        if (method === 'POST' && headers['content-type'] === undefined) return { status: 415 };
        return /^\/notes\/(?!\d+$)|^\/reports\//.test(url) ? { status: 404 } : undefined;
      },
  },
  {
    name: 'a note that ends three seconds after it was made',
    parts: { note: ', confirm_by: { type: string, format: date-time, readOnly: true }' },
    answers: (notes) => {
      const isOver = (note: ValueObject): boolean => Date.parse(textIn(note, 'confirm_by')) < Date.now();
      const removeOver = (): void => {
        for (const note of notes.all.filter(isOver)) notes.remove(idOf(note));
      };
      return {
        addNote: ({ body }) => {
          removeOver();
          const confirm_by = new Date(Date.now() + 3_000).toISOString();
          return { status: 201, body: notes.add(body, { confirm_by }) };
        },
        listNotes: () => {
          removeOver();
          return { status: 200, body: notes.all };
        },
        getNote: ({ id }) => {
          removeOver();
          return notes.change(id, (note) => note);
        },
        removeNote: ({ id }) => {
          removeOver();
          return notes.remove(id);
        },
      };
    },
    // The run takes longer than that.
    first: () => () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 8);
      return undefined;
    },
    says: /Items of \/notes may end by themselves at the time in "confirm_by"/,
    leavesNothing: true,
  },
  {
    name: 'a payment from a note with money in it, as the example has it',
    parts: {
      note: ', money: { type: integer, format: int32, minimum: 0 }',
      example: ', example: { text: full, money: 100 }',
      paths: `  /payments:
    post:
      operationId: addPayment
      ${bodyOf('{ type: object, required: [noteId], properties: { noteId: { type: integer, format: int32, minimum: 1 } } }')}
      responses: { '201': { description: Made., content: { application/json: { schema: { type: object, required: [id], properties: { id: { type: integer, format: int32 } } } } } }, '400': { description: Refused. }, '409': { description: Not enough. }, '422': { description: No note. } }
  /payments/{payment}:
    get:
      operationId: getPayment
      parameters: [{ name: payment, in: path, required: true, schema: { type: integer, format: int32, minimum: 1 } }]
      responses: { '200': { description: It., content: { application/json: { schema: { type: object, required: [id], properties: { id: { type: integer, format: int32 } } } } } }, '400': { description: Refused. }, '404': { description: None. } }`,
    },
    answers: (notes) => {
      let payments = 0n;
      return {
        addPayment: ({ body }) => {
          const note = notes.all.find(({ id }) => id === (isObject(body) ? body['noteId'] : undefined));
          if (note === undefined) return { status: 422 };
          return note['money'] === 100n ? { status: 201, body: { id: ++payments } } : { status: 409 };
        },
        getPayment: ({ id }) =>
          BigInt(id) > payments ? { status: 404 } : { status: 200, body: { id: BigInt(id) } },
      };
    },
    reached: ['addPayment', 'getPayment'],
  },
  {
    name: 'a use of a code, which neither an example that is over nor one in the archive allows',
    parts: {
      note: ', ends_at: { type: string, format: date-time }, archived: { type: boolean }',
      example: ", example: { text: old, archived: true, ends_at: '2024-05-01T00:00:00Z' }",
      paths: `  /uses:
    post:
      operationId: addUse
      ${bodyOf('{ type: object, required: [noteId], properties: { noteId: { type: integer, format: int32, minimum: 1 } } }')}
      responses: { '201': { description: Made., content: { application/json: { schema: { type: object, required: [id], properties: { id: { type: integer, format: int32 } } } } } }, '400': { description: Refused. }, '404': { description: No such code. } }
  /uses/{use}:
    get:
      operationId: getUse
      parameters: [{ name: use, in: path, required: true, schema: { type: integer, format: int32, minimum: 1 } }]
      responses: { '200': { description: It., content: { application/json: { schema: { type: object, required: [id], properties: { id: { type: integer, format: int32 } } } } } }, '400': { description: Refused. }, '404': { description: None. } }`,
    },
    answers: (notes) => {
      let uses = 0n;
      return {
        addUse: ({ body }) => {
          const note = notes.all.find(({ id }) => id === (isObject(body) ? body['noteId'] : undefined));
          const isGood = note !== undefined && note['archived'] !== true;
          return isGood ? { status: 201, body: { id: ++uses } } : { status: 404 };
        },
        getUse: ({ id }) => (BigInt(id) > uses ? { status: 404 } : { status: 200, body: { id: BigInt(id) } }),
      };
    },
    reached: ['addUse', 'getUse'],
  },
  {
    name: 'an operation that fails, which the user has excluded',
    choices: { exclude: ['GET /reports'] },
    parts: {
      paths: `  /reports:
    get: { operationId: listReports, responses: { '200': { description: All. } } }`,
    },
    answers: () => ({ listReports: () => ({ status: 500 }) }),
    says: /listReports.*the user has excluded it/,
  },
];

for (const { name, parts = {}, notes: start = () => new Notes(), rules = [], ...row } of right) {
  t.test(`a right server is passed, and what was there stays: ${name}`, async (t: Test) => {
    const notes = start();
    const {
      found,
      notes: said,
      answered,
      report,
    } = await checkServer(t, {
      yaml: yamlOf(parts),
      rules,
      answers: { ...notes.answers, ...row.answers?.(notes) },
      first: row.first?.(notes),
      cases: row.cases,
      choices: row.choices,
      basePath: row.basePath,
    });
    t.same(found, []);
    t.ok(notes.isAsBefore, 'what somebody else has is as it was');
    if (row.leavesNothing === true) t.equal(notes.all.length, new Notes().all.length, 'nothing is left');
    if (row.says !== undefined) t.match(said, row.says);
    const namesOf = (kind: string): string[] =>
      report.unreached.filter((one) => one.kind === kind).map(({ operation }) => operation);
    if (row.heldBack !== undefined) t.same(namesOf('held back').toSorted(), row.heldBack);
    const unreached = [...namesOf('not reached'), ...namesOf('cannot be sent')];
    for (const operation of row.reached ?? []) t.notOk(unreached.includes(operation), operation);
    const wronglyUnseen = report.unseen.filter(({ operation, status }) =>
      answered.get(operation)?.has(Number(status)),
    );
    t.same(wronglyUnseen, [], 'no status that came is called not seen');
  });
}

/** Runs that find nothing and cannot end well: what they have made is removed, or named. */
const ends: readonly {
  readonly name: string;
  /** Answers requests from the 300th on. */
  readonly late: (request: IncomingMessage) => Answered | undefined;
  readonly message: RegExp;
  readonly isRemoved: boolean;
}[] = [
  {
    name: 'the server is overloaded',
    late: ({ method }) =>
      method === 'DELETE' ? undefined : { status: 503, headers: { 'retry-after': '0' } },
    message: /goes on saying that it cannot answer now/,
    isRemoved: true,
  },
  {
    name: 'the server allows no more requests for an hour',
    late: () => ({ status: 429, headers: { 'retry-after': '3600' } }),
    message:
      /more than 3600 s at once: .*--max-requests-per-second.*What addNote created is still there, .*: 3/,
    isRemoved: false,
  },
  {
    name: 'a read ends the credentials',
    late: () => ({ status: 401 }),
    message:
      /refused since .*--exclude .*What addNote created is still there, because removeNote answered 401: 3/,
    isRemoved: false,
  },
];

for (const { name, late, message, isRemoved } of ends) {
  t.test(`a run that cannot go on removes or names what it has made: ${name}`, async (t) => {
    const notes = new Notes();
    let requests = 0;
    const checked = checkServer(t, {
      yaml: yamlOf({ security: 'security: [{ bearer: [] }]' }),
      rules: [],
      answers: notes.answers,
      first: (request) => (++requests > 300 ? late(request) : undefined),
    });
    await t.rejects(checked, { message });
    t.ok(notes.isAsBefore);
    if (isRemoved) t.equal(notes.all.length, 2);
  });
}

t.test('a server that breaks down at a value is blamed, whatever is beside the value', async (t) => {
  const notes = new Notes();
  const { found } = await checkServer(t, {
    yaml: yamlOf({
      required: 'text, starts_at, ends_at',
      note: ', starts_at: { type: string, format: date-time }, ends_at: { type: string, format: date-time }',
    }),
    rules: [],
    answers: {
      ...notes.answers,
      addNote: ({ body }) =>
        Date.parse(textIn(body, 'ends_at')) > Date.parse(textIn(body, 'starts_at'))
          ? { status: 201, body: notes.add(body) }
          : { status: 500 },
    },
  });
  t.match(found, ['addNote: status 500 is not documented']);
});

t.test('an accepted finding passes, and no other one does', async (t) => {
  const reports = `  /reports:
    get: { operationId: listReports, responses: { '200': { description: All. } } }
  /invoices:
    get: { operationId: listInvoices, responses: { '200': { description: All. } } }`;
  const checked = (accept: Acceptance[]) =>
    checkServer(t, {
      yaml: yamlOf({ paths: reports }),
      rules: [],
      answers: {
        ...new Notes().answers,
        listReports: () => ({ status: 418 }),
        listInvoices: () => ({ status: 418 }),
      },
      choices: { accept },
    });
  const before = await checked([]);
  const accepted = before.report.findings.filter(({ operation }) => operation === 'listReports');
  t.equal(accepted.length, 1);
  const entries = accepted.map(({ id, operation, pointer, rule }, index) => ({
    ...{ id, operation, pointer, members: [''], what: rule, place: `accepted.yaml, entry ${index + 1}` },
  }));
  const after = await checked(entries);
  t.same(
    after.found,
    before.found.filter((one) => !one.startsWith('listReports')),
  );
  t.match(after.notes, /accepted\.yaml, entry 1 lets a finding of listReports through/);
  const stale = await checked(entries.map((entry) => ({ ...entry, operation: 'getNote' })));
  t.same(stale.found, before.found);
  t.match(stale.notes, /accepted\.yaml, entry 1 accepts nothing: getNote has no finding/);
});

t.test('a documented 429 has its documented headers', async (t) => {
  const limited = (headers: Readonly<Record<string, string>>) => {
    let count = 0;
    return checkServer(t, {
      yaml: yamlOf({
        paths: `  /reports:
    get:
      operationId: listReports
      responses:
        '200': { description: All. }
        '429': { description: Too many., headers: { X-Limit: { required: true, schema: { type: integer } } } }`,
      }),
      rules: [],
      answers: { ...new Notes().answers, listReports: () => ({ status: 200 }) },
      first: ({ method, url }) =>
        method === 'GET' && url === '/reports' && ++count === 12
          ? { status: 429, headers: { 'retry-after': '0', ...headers } }
          : undefined,
    });
  };
  t.same((await limited({ 'x-limit': '100' })).found, []);
  t.same((await limited({})).found, ['listReports: header X-Limit is missing']);
});

t.test('any documented refusal is right if none of the usual ones is documented', async (t) => {
  const { found } = await checkServer(t, {
    yaml: `openapi: 3.0.3
info: { title: Reports, version: "1" }
paths:
  /reports:
    post:
      operationId: addReport
      ${bodyOf('{ type: object, required: [text], properties: { text: { type: string } } }')}
      responses: { '201': { description: Made. }, '415': { description: Which type? }, '422': { description: Refused. } }
  /reports/{name}:
    get:
      operationId: getReport
      parameters: [{ name: name, in: path, required: true, schema: { type: string, pattern: '^[a-z]+$' } }]
      responses: { '200': { description: One. }, '403': { description: Not yours. }, '404': { description: None. } }`,
    rules: ['documented-refusals', 'strict-urls'],
    first: ({ method, url = '', headers }) => {
      if (method === 'POST' && headers['content-type'] === undefined) return { status: 422 };
      return /^\/reports\/(?![a-z]+$)/.test(url) ? { status: 403 } : undefined;
    },
    answers: { addReport: () => ({ status: 201 }), getReport: () => ({ status: 200 }) },
  });
  t.same(
    found.filter((one) => !one.startsWith('addReport') || one.includes('no body')),
    [],
  );
});

t.test('a 404 for an id that is none is wrong if the 400 is about paths', async (t) => {
  const notes = new Notes();
  const { found } = await checkServer(t, {
    yaml: yamlOf({}).replaceAll(
      "'400': { description: No id. }",
      "'400': { description: A path without an id. }",
    ),
    rules: ['documented-refusals'],
    first: ({ url = '' }) => (/^\/notes\/(?!\d+$)/.test(url) ? { status: 404 } : undefined),
    answers: notes.answers,
  });
  t.ok(found.includes('getNote: a request that has a broken id in the path is answered 404'));
});

t.test('members that need each other are in the items whose update is tried', async (t) => {
  const notes = new Notes();
  const { found } = await checkServer(t, {
    yaml: yamlOf({
      version: '3.1.0',
      note: ', lat: { type: integer }, lon: { type: integer }',
      keywords: 'dependentRequired: { lat: [lon], lon: [lat] }',
      paths: `    patch:
      operationId: changeNote
      ${bodyOf('{ type: object, properties: { text: { type: string, minLength: 1, maxLength: 50 } } }')}
      responses: { ${noteOrNone} }`,
    }),
    rules: ['updates'],
    answers: {
      ...notes.answers,
      changeNote: ({ id, body }) =>
        notes.change(id, ({ lat: _, lon: __, ...note }) => ({ ...note, ...(isObject(body) ? body : {}) })),
    },
  });
  t.match(found, [/^changeNote: /]);
});
