import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import t, { type Test } from 'tap';
import { serveIn } from '../../src/base/serve.js';
import { check } from '../../src/check/check.js';
import { readDocument } from '../../src/document/read-document.js';
import { owners } from './json-server.js';

/** That files are uploaded, by a form and as plain bytes, and come back as they were. */

t.setTimeout(600_000);

const types = `{ application/octet-stream: {}, text/plain: {}, image/png: {} }`;
const id = `{ name: id, in: path, required: true, schema: { type: integer, format: int32, minimum: 1 } }`;
const refusals = `"400": { description: Refused. }, "404": { description: None. }, "413": { description: Too long. }, "415": { description: Another type. }`;
const yaml = `openapi: 3.1.0
info: { title: Papers, version: "1" }
security: [{ bearer: [] }]
paths:
  /papers:
    post:
      operationId: addPaper
      requestBody:
        required: true
        content:
          multipart/form-data:
            schema:
              type: object
              required: [file, title]
              properties:
                file: { type: string, format: binary, maxLength: 200000 }
                title: { type: string, minLength: 1, maxLength: 60 }
                about: { type: object, required: [pages], properties: { pages: { type: integer, minimum: 1 } } }
            encoding: { file: { contentType: 'application/pdf, text/plain, application/octet-stream' } }
      responses: { "201": { description: Made., content: { application/json: { schema: { $ref: '#/components/schemas/Paper' } } } }, ${refusals} }
    get:
      operationId: listPapers
      responses: { "200": { description: All., content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Paper' } } } } } }
  /papers/{id}:
    parameters: [${id}]
    get:
      operationId: getPaper
      responses: { "200": { description: One., content: { application/json: { schema: { $ref: '#/components/schemas/Paper' } } } }, ${refusals} }
    delete:
      operationId: removePaper
      responses: { "204": { description: Gone. }, ${refusals} }
  /papers/{id}/content:
    parameters: [${id}]
    get:
      operationId: readPaper
      responses: { "200": { description: The file., content: ${types} }, ${refusals} }
    put:
      operationId: replacePaper
      parameters: [{ name: If-Match, in: header, schema: { type: string } }]
      requestBody: { required: true, content: ${types} }
      responses: { "204": { description: Replaced. }, "412": { description: It has changed. }, ${refusals} }
components:
  securitySchemes: { bearer: { type: http, scheme: bearer } }
  schemas:
    Paper:
      type: object
      required: [id, title, size]
      properties: { id: { type: integer }, title: { type: string }, size: { type: integer }, name: { type: string }, file: { type: string }, md5: { type: string } }
`;

interface Paper {
  readonly owner: string;
  readonly title: string;
  readonly bytes: Buffer;
  readonly type: string;
  readonly size: number;
  readonly name: string;
  readonly md5: string;
}

interface Flaw {
  /** What the server makes of the bytes that it is sent; undefined if it refuses them. */
  readonly kept?: (bytes: Buffer) => Buffer | undefined;
  /** What a download shows of a paper. */
  readonly shown?: (paper: Paper) => Pick<Paper, 'bytes' | 'type'>;
  /** What a PUT makes of a paper. */
  readonly replaced?: (before: Paper, after: Paper) => Paper;
  readonly sizeOf?: (bytes: Buffer) => number;
  /** How the head of a part is read. */
  readonly heads?: 'utf8' | 'latin1';
  /** Whether a form needs its parts, and whether the types of its files and of plain bytes are looked at. */
  readonly isLenient?: boolean;
  /** Who may download, and replace, what belongs to another owner. */
  readonly isOpen?: 'to read' | 'to write';
  readonly tag?: (paper: Paper) => string;
  readonly keepsDeleted?: boolean;
  readonly takesOldTags?: boolean;
}

interface Part {
  readonly head: string;
  readonly bytes: Buffer;
}

function partsOf(body: Buffer, type: string, heads: BufferEncoding): Map<string, Part> {
  const [, boundary = 'none'] = /boundary=([^;]+)/.exec(type) ?? [];
  const pieces = body.toString('latin1').split(`--${boundary}`).slice(1, -1);
  return new Map(
    pieces.map((piece) => {
      const end = piece.indexOf('\r\n\r\n');
      const head = Buffer.from(piece.slice(0, end), 'latin1').toString(heads);
      const bytes = Buffer.from(piece.slice(end + 4, -2), 'latin1');
      return [/ name="([^"]*)"/.exec(head)?.[1] ?? '', { head, bytes }];
    }),
  );
}

function pagesIn(json: Buffer): unknown {
  try {
    const about: unknown = JSON.parse(json.toString());
    return typeof about === 'object' && about !== null && 'pages' in about ? about.pages : undefined;
  } catch {
    return undefined;
  }
}

async function checked(t: Test, flaw: Flaw, document = yaml) {
  const { kept = (bytes) => bytes, replaced = (_, after) => after, sizeOf = (bytes) => bytes.length } = flaw;
  const papers = new Map<number, Paper>();
  let count = 0;
  const md5Of = (bytes: Buffer): string => createHash('md5').update(bytes).digest('base64');
  const view = (number: number, { title, size, name, md5 }: Paper) => ({
    id: number,
    title,
    size,
    name,
    md5,
    file: `/${number}`,
  });
  const answer = async (request: IncomingMessage): Promise<[number, unknown?, Record<string, string>?]> => {
    const body = Buffer.concat(await request.toArray());
    const { authorization = '', 'content-type': type = '' } = request.headers;
    const [, owner = ''] = /^Bearer +(.+)$/i.exec(authorization) ?? [];
    if (!Object.values<string>(owners).includes(owner))
      return [401, undefined, { 'www-authenticate': 'Bearer' }];
    const [, number, below] = /^\/papers(?:\/([^/?]+)(\/content)?)?(?:\?.*)?$/.exec(request.url ?? '') ?? [];
    const { method = '' } = request;
    if (number === undefined && method === 'GET')
      return [200, [...papers].flatMap(([key, paper]) => (paper.owner === owner ? [view(key, paper)] : []))];
    if (number === undefined) {
      const parts = partsOf(body, type, flaw.heads ?? 'utf8');
      const [file, title, about] = ['file', 'title', 'about'].map((name) => parts.get(name));
      const pages = about === undefined ? 1 : pagesIn(about.bytes);
      const isWrong = !title || title.bytes.length === 0 || [...title.bytes.toString()].length > 60 || !file;
      if (!type.startsWith('multipart/form-data')) return [415];
      if (isWrong && !flaw.isLenient) return [400];
      if (typeof pages !== 'number' || !Number.isInteger(pages) || pages < 1) return [400];
      const bytes = kept(file?.bytes ?? Buffer.alloc(0));
      if (bytes === undefined) return [400];
      if (bytes.length > 200_000) return [413];
      const [, name = ''] = /filename="([^"]*)"/.exec(file?.head ?? '') ?? [];
      const [, partType = 'application/octet-stream'] = /Content-Type: (\S+)/.exec(file?.head ?? '') ?? [];
      papers.set(++count, {
        owner,
        bytes,
        name,
        size: sizeOf(bytes),
        md5: md5Of(bytes),
        type: partType,
        title: title?.bytes.toString() ?? '',
      });
      const made = papers.get(count);
      return [201, made && view(count, made)];
    }
    if (!/^[1-9]\d{0,9}$/.test(decodeURIComponent(number)) || Number(number) >= 2 ** 31) return [400];
    const key = Number(number);
    const paper = papers.get(key);
    const isOpen = below !== undefined && flaw.isOpen === (method === 'GET' ? 'to read' : 'to write');
    if (paper === undefined || (paper.owner !== owner && !isOpen)) return [404];
    if (method === 'DELETE') {
      if (flaw.keepsDeleted) papers.set(key, { ...paper, title: '' });
      else papers.delete(key);
      return [204];
    }
    if (below === undefined) return paper.title === '' ? [404] : [200, view(key, paper)];
    const tag: { etag?: string } = flaw.tag === undefined ? {} : { etag: flaw.tag(paper) };
    const shown = flaw.shown?.(paper) ?? paper;
    if (method === 'GET') return [200, shown.bytes, { ...tag, 'content-type': shown.type }];
    const isNamed = /^(application\/octet-stream|text\/plain|image\/png)(;|$)/i.test(type);
    if (!isNamed && !flaw.isLenient) return [415];
    const asked = request.headers['if-match'];
    if (asked !== undefined && ![tag.etag, '*'].includes(asked) && !flaw.takesOldTags) return [412];
    const bytes = kept(body);
    if (bytes === undefined) return [400];
    const facts = { size: sizeOf(bytes), md5: md5Of(bytes) };
    const after = { ...paper, bytes, type: type || 'application/octet-stream', ...facts };
    papers.set(key, replaced(paper, after));
    return [204];
  };
  const server = createServer((request, response) => {
    answer(request).then(
      ([status, body, headers = {}]) => {
        const isFile = Buffer.isBuffer(body);
        response.writeHead(status, {
          ...(body !== undefined && !isFile && { 'content-type': 'application/json' }),
          ...headers,
        });
        response.end(isFile || body === undefined ? body : JSON.stringify(body));
      },
      (error: unknown) => response.writeHead(599).end(String(error)),
    );
  });
  const report = await check({
    ...{
      document: readDocument(document, 'papers.yaml'),
      url: new URL(await serveIn(t, server)),
      seed: 1,
      cases: 2,
    },
    rules: { on: new Set(['files', 'isolation', 'media-types', 'conditions']), file: undefined },
    token: { text: owners.first, shell: '$FIRST' },
    otherToken: { text: owners.second, shell: '$SECOND' },
  });
  return { ...report, found: report.findings.map(({ operation, rule }) => `${operation}: ${rule}`).sort() };
}

t.test('a server that keeps files is passed, and each of its operations is reached', async (t) => {
  const { found, unreached, notes } = await checked(t, {
    tag: ({ bytes }) => `"${bytes.toString('hex').slice(0, 99)}"`,
  });
  t.same(found, []);
  t.same(unreached, []);
  t.notMatch(notes.join('\n'), /Files of/);
});

t.test('a download that shows something else than the upload is not judged', async (t) => {
  const { found, notes } = await checked(t, {
    shown: () => ({ bytes: Buffer.from('a preview'), type: 'image/png' }),
  });
  t.same(found, []);
  t.match(notes.join('\n'), /Files of \/papers: nothing was compared of addPaper, replacePaper/);
});

t.test('a server that takes no file that the check can make is not blamed', async (t) => {
  const { unreached } = await checked(t, { kept: () => undefined });
  t.match(
    unreached.find(({ operation }) => operation === 'addPaper'),
    { kind: 'cannot be sent' },
  );
});

const damaged = ['addPaper', 'replacePaper'].map(
  (one) => `${one}: what is downloaded is not what was uploaded`,
);
const flaws: readonly { readonly name: string; readonly flaw: Flaw; readonly found: readonly string[] }[] = [
  {
    name: 'bytes above 0x7F are read as UTF-8',
    flaw: { kept: (bytes) => Buffer.from(bytes.toString()) },
    found: damaged,
  },
  {
    name: 'a byte 0 ends the file',
    flaw: { kept: (bytes) => (bytes.includes(0) ? bytes.subarray(0, bytes.indexOf(0)) : bytes) },
    found: damaged,
  },
  {
    name: 'the line end behind the file is lost',
    flaw: { kept: (bytes) => (bytes.at(-1) === 10 ? bytes.subarray(0, -1) : bytes) },
    found: damaged,
  },
  {
    name: 'only the first piece is kept',
    flaw: { kept: (bytes) => bytes.subarray(0, 65_536) },
    found: damaged,
  },
  {
    name: 'an empty file is none',
    flaw: { shown: (paper) => (paper.size === 0 ? { ...paper, bytes: Buffer.from('null') } : paper) },
    found: damaged,
  },
  {
    name: 'the media type is lost',
    flaw: { shown: (paper) => ({ ...paper, type: 'application/octet-stream' }) },
    found: [
      'addPaper: the media type of a file is not kept',
      'replacePaper: the media type of a file is not kept',
    ],
  },
  {
    name: 'the old file is served after an overwrite',
    flaw: { replaced: (before) => before },
    found: ['replacePaper: what is downloaded is not what was uploaded'],
  },
  {
    name: 'the file is replaced, and its size stays',
    flaw: { replaced: ({ size }, after) => ({ ...after, size }) },
    found: ['replacePaper: the length of a file is not that of what was uploaded'],
  },
  {
    name: 'the file is replaced, and its checksum stays',
    flaw: { replaced: ({ md5 }, after) => ({ ...after, md5 }) },
    found: ['replacePaper: the checksum of a file is not that of what was uploaded'],
  },
  {
    name: 'an upload for the file that was replaced is taken',
    flaw: { takesOldTags: true, tag: ({ md5 }) => `"${md5}"` },
    found: ['replacePaper: an old tag is taken'],
  },
  {
    name: 'the size counts characters',
    flaw: { sizeOf: (bytes) => bytes.toString().length },
    found: ['addPaper', 'replacePaper'].map(
      (one) => `${one}: the length of a file is not that of what was uploaded`,
    ),
  },
  {
    name: 'the name of a file is read as Latin-1',
    flaw: { heads: 'latin1' },
    found: ['addPaper: the name of a file is read as Latin-1'],
  },
  {
    name: 'parts may be missing, and any media type is taken',
    flaw: { isLenient: true },
    found: [
      'addPaper: a request that breaks "maxLength" at body/title is answered 201',
      'addPaper: a request that breaks "minLength" at body/title is answered 201',
      'addPaper: a request that breaks "required" at body is answered 201',
      'addPaper: a request that has a body of another media type is answered 201',
      'addPaper: a request that has no body where one is required is answered 201',
      'replacePaper: a request that has a body of another media type is answered 204',
    ],
  },
  {
    name: 'another owner downloads',
    flaw: { isOpen: 'to read' },
    found: ["readPaper: another owner's item is reached by a path below it"],
  },
  {
    name: 'another owner replaces the file',
    flaw: { isOpen: 'to write' },
    found: ["replacePaper: another owner's item is reached by a path below it"],
  },
  {
    name: 'the tag stays after an overwrite',
    flaw: { tag: () => '"a"' },
    found: ['readPaper: the tag stays when an upload changes the content'],
  },
  {
    name: 'a file is kept when its paper is deleted',
    flaw: { keepsDeleted: true },
    found: ['readPaper: a file is downloaded whose item is deleted'],
  },
];

for (const { name, flaw, found } of flaws) {
  t.test(`a fault of files is found: ${name}`, async (t) => {
    t.same((await checked(t, flaw)).found, found);
  });
}
