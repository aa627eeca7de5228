/** Requests that are wrong below the schemas: in their body's bytes, their headers or their URL. */
import type { Operation, RequestBody } from '../description.js';
import type { Fault as FaultKind } from '../expectations.js';
import { isObject, readJson, writeJson } from '../json.js';
import type { YamlPath } from '../node.js';
import { plainRequest } from '../plain-request.js';
import { type Request, targetFor } from '../request.js';
import type { Run } from '../run.js';
import { plainValue } from '../valid-values.js';

export interface RequestFault {
  /** Continues "a request that has". */
  readonly what: string;
  readonly why: string;
  readonly fault: FaultKind;
  readonly path: YamlPath;
  /** Whether the URL is one (RFC 3986), for one that is not addresses no operation, and asks for no token. */
  readonly addressed: boolean;
  change(request: Request): Request;
}

type Fault = Omit<RequestFault, 'addressed'>;

export function requestFaults(run: Run, operation: Operation): RequestFault[] {
  const { body } = operation;
  const ofBody =
    body === undefined
      ? []
      : [
          ...syntaxFaults(body),
          ...(run.meaning.strictJson ? strictnessFaults() : []),
          ...absenceFaults(body),
          ...headerFaults(body),
          ...limitFaults(body),
        ];
  return [
    ...pathFaults(operation).map((fault) => ({ ...fault, addressed: false })),
    ...ofBody.map((fault) => ({ ...fault, addressed: true })),
  ];
}

/** RFC 3986, section 2.1: a "%" is followed by two hexadecimal digits; what they encode here is UTF-8. */
function pathFaults(operation: Operation): Fault[] {
  const parameter = operation.parameters.find((candidate) => candidate.in === 'path');
  if (parameter === undefined) return [];
  const { path } = plainRequest(operation);
  return ['%', '%ZZ', '%1', '%FF', '%C3%28', '%E0%A4%A', '%ED%A0%80'].map((encoding) => ({
    what: 'a broken percent-encoding in the path',
    why: `${parameter.name} is ${encoding}`,
    fault: 'syntax',
    path: parameter.schema.path,
    change: (request) => ({
      ...request,
      target: targetFor(operation, { path: { ...path, [parameter.name]: 'PLACE' } }).replace(
        'PLACE',
        encoding,
      ),
    }),
  }));
}

/** Each is made from a body that fits. RFC 8259 knows none of them. */
const notJson: readonly (readonly [why: string, make: (text: string) => string])[] = [
  ['white space only', () => ' \n\t '],
  ['a body that ends too early', (text) => text.slice(0, -1)],
  ['a body that ends in a string', (text) => text.slice(0, text.lastIndexOf('"'))],
  ['a trailing comma', (text) => `${text.slice(0, -1)},}`],
  ['a comma too few', (text) => text.replace(',', ' ')],
  ['single quotes', (text) => text.replaceAll('"', "'")],
  ['member names without quotes', (text) => text.replaceAll(/"(\w+)":/g, '$1:')],
  ['a comment', (text) => `${text.slice(0, -1)}/* comment */}`],
  ['something behind the end', (text) => `${text}x`],
  ['two bodies', (text) => text + text],
  ['NaN', (text) => `${text.slice(0, -1)},"unknown":NaN}`],
  ['a number with a plus', (text) => `${text.slice(0, -1)},"unknown":+1}`],
  ['a number with a leading zero', (text) => `${text.slice(0, -1)},"unknown":01}`],
  ['a number that ends in its point', (text) => `${text.slice(0, -1)},"unknown":1.}`],
  ['a hexadecimal number', (text) => `${text.slice(0, -1)},"unknown":0x10}`],
  ['a line end in a string', (text) => `${text.slice(0, -1)},"unknown":"a\nb"}`],
  ['an unknown escape', (text) => `${text.slice(0, -1)},"unknown":"\\x41"}`],
  ['half an escape', (text) => `${text.slice(0, -1)},"unknown":"\\u00"}`],
  ['the word undefined', () => 'undefined'],
  ['a form', () => 'name=a&id=1'],
];

const notUtf8: readonly (readonly [why: string, make: (text: string) => Buffer])[] = [
  ['UTF-16', (text) => Buffer.from(text, 'utf16le')],
  ['a byte that UTF-8 never has', (text) => withBytes(text, [0xff])],
  ['a character of Latin-1', (text) => withBytes(text, [0xe9])],
  ['an overlong encoding', (text) => withBytes(text, [0xc0, 0xaf])],
  ['a surrogate in UTF-8', (text) => withBytes(text, [0xed, 0xa0, 0x80])],
  ['a character cut in two', (text) => withBytes(text, [0xf0, 0x9f, 0x8c])],
];

function withBytes(text: string, bytes: readonly number[]): Buffer {
  const before = Buffer.from(`${text.slice(0, -1)},"unknown":"`);
  return Buffer.concat([before, Buffer.from(bytes), Buffer.from('"}')]);
}

function syntaxFaults({ node, schema }: RequestBody): Fault[] {
  // Not every change breaks every body: one without a comma has none too few.
  const usual = writeJson(plainValue([schema]));
  return [...notJson, ...notUtf8]
    .filter(([, make]) => !isJson(Buffer.from(make(usual))))
    .map(([why, make]) => ({
      what: 'a body that is not JSON',
      why,
      fault: 'syntax',
      path: node.path,
      change: (request) => withBody(request, Buffer.from(make(request.body?.toString() ?? '{}'))),
    }));
}

/** JSON that readers disagree about: RFC 8259, sections 4 and 8.2; RFC 7493, section 2. */
function strictnessFaults(): Fault[] {
  const bodies: readonly (readonly [string, (text: string) => string])[] = [
    ['a member twice', (text) => `{${text.slice(1, -1)},${text.slice(1, -1)}}`],
    [
      'a member twice, once escaped',
      (text) =>
        text.replace(/^\{"(.)/, (start, first) => {
          const escaped = `\\u${first.charCodeAt(0).toString(16).padStart(4, '0')}`;
          return `${text.slice(0, -1)},"${escaped}${start.slice(3)}`;
        }),
    ],
    ['a member twice, deeper', (text) => `${text.slice(0, -1)},"unknown":{"a":1,"a":1}}`],
    ['the member __proto__', (text) => `${text.slice(0, -1)},"__proto__":{}}`],
    ['half of a surrogate pair', (text) => `${text.slice(0, -1)},"unknown":"\\ud83c"}`],
    ['the other half', (text) => `${text.slice(0, -1)},"unknown":"\\udf35x"}`],
    ['halves in the wrong order', (text) => `${text.slice(0, -1)},"unknown":"\\udf35\\ud83c"}`],
  ];
  return bodies.map(([why, make]) => ({
    what: 'JSON that readers disagree about',
    why,
    fault: 'syntax',
    path: ['info', 'description'],
    change: (request) => withBody(request, Buffer.from(make(request.body?.toString() ?? '{}'))),
  }));
}

function absenceFaults({ required, node }: RequestBody): Fault[] {
  if (!required) return [];
  const what = 'no body where one is required';
  const common = { what, fault: 'syntax', path: node.path } as const;
  return [
    {
      ...common,
      why: 'neither body nor Content-Type',
      change: (request) => ({ ...request, headers: [], body: undefined }),
    },
    {
      ...common,
      why: 'a Content-Type without a body',
      change: (request) => ({ ...request, body: undefined }),
    },
    { ...common, why: 'a body of no bytes', change: (request) => withBody(request, Buffer.alloc(0)) },
    { ...common, why: 'no chunks', change: (request) => ({ ...request, body: Buffer.alloc(0), chunks: [] }) },
  ];
}

function headerFaults({ mediaType, node }: RequestBody): Fault[] {
  const [, subtype = ''] = mediaType.split('/');
  const types = [
    undefined,
    'text/plain',
    'text/plain; charset=utf-8',
    `text/${subtype}`,
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'application/xml',
    `${mediaType}x`,
    `application/x-${subtype}`,
    `application/unknown+${subtype}`,
    '*/*',
    'application/*',
    subtype,
    `${mediaType}, text/plain`,
  ];
  const charsets = ['utf-16', 'utf-16le', 'iso-8859-1', 'us-ascii', 'utf-32', 'unknown', '"iso-8859-1"'];
  const codings = ['gzip', 'deflate', 'br', 'x-unknown'];
  const fault = (what: string, why: string, headers: Request['headers']): Fault => ({
    what,
    why,
    fault: 'mediaType',
    path: node.at('content')?.path ?? node.path,
    change: (request) => ({ ...request, headers }),
  });
  return [
    ...types.map((type) =>
      fault(
        'a body of another media type',
        type ?? 'no Content-Type',
        type === undefined ? [] : [['Content-Type', type]],
      ),
    ),
    ...charsets.map((charset) =>
      fault('a body of another charset', charset, [['Content-Type', `${mediaType}; charset=${charset}`]]),
    ),
    ...codings.map((coding) =>
      fault('a body that is compressed', coding, [
        ['Content-Type', mediaType],
        ['Content-Encoding', coding],
      ]),
    ),
  ];
}

function limitFaults({ limits, node }: RequestBody): Fault[] {
  const path = node.at('x-limits')?.path ?? node.path;
  const large = { what: 'a body over the limit of bytes', fault: 'size', path } as const;
  const deep = { what: 'a body over the limit of depth', fault: 'syntax', path } as const;
  return [
    { ...large, why: 'one byte too many', change: (request) => paddedTo(request, limits.bytes + 1) },
    { ...large, why: 'twice the bytes', change: (request) => paddedTo(request, limits.bytes * 2) },
    {
      ...large,
      why: 'one byte too many, in chunks',
      change: (request) => ({ ...paddedTo(request, limits.bytes + 1), chunks: [1_000, limits.bytes] }),
    },
    {
      ...deep,
      why: 'arrays one level too deep',
      change: (request) => nestedTo(request, limits.depth + 1, '[', ']'),
    },
    {
      ...deep,
      why: 'objects one level too deep',
      change: (request) => nestedTo(request, limits.depth + 1, '{"a":', '}'),
    },
    {
      ...deep,
      why: 'arrays without end',
      change: (request) => nestedTo(request, Math.floor(limits.bytes / 4), '[', ']'),
    },
  ];
}

function isJson(bytes: Buffer): boolean {
  try {
    readJson(bytes);
    return true;
  } catch {
    return false;
  }
}

export function withBody(request: Request, body: Buffer): Request {
  return { ...request, body };
}

/** White space changes nothing (RFC 8259, section 2), so the size is all that does. */
export function paddedTo(request: Request, bytes: number): Request {
  const body = request.body ?? Buffer.alloc(0);
  return withBody(request, Buffer.concat([body, Buffer.alloc(Math.max(0, bytes - body.length), ' ')]));
}

/** A member that nothing names, so deep that the whole body has `depth` levels. */
export function nestedTo(request: Request, depth: number, open: string, close: string): Request {
  const levels = depth - 1;
  const inner = open === '[' ? '' : '0';
  const body = readJson(request.body ?? Buffer.from('{}'));
  const text = writeJson(isObject(body) ? body : {});
  const nested = `${open.repeat(levels)}${inner}${close.repeat(levels)}`;
  return withBody(
    request,
    Buffer.from(`${text.slice(0, -1)}${text === '{}' ? '' : ','}"unknown":${nested}}`),
  );
}
