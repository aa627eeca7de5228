/** Faults in validation: coercion, limits, JSON, numbers. */
import { isUtf8 } from 'node:buffer';
import type { Fault, ProxyRequest } from '../../../packages/contract-tools/faults.js';
import { Decimal, isObject, type Value } from '../../../packages/contract-tools/index.js';
import {
  answering,
  failure,
  fault,
  header,
  idIn,
  jsonOf,
  membersOf,
  operationOf,
  sending,
  textOf,
  withHeader,
  withMembers,
  withText,
} from './parts.js';

/** Changes one member of a create before the server validates it. */
function mending(name: string, member: string, mend: (value: Value | undefined) => Value | undefined): Fault {
  return sending(name, 'createPlant', (request) =>
    withMembers(request, (members) => {
      const mended = mend(members[member]);
      return mended === undefined ? members : { ...members, [member]: mended };
    }),
  );
}

/** Rewrites the body of a create as a more lenient parser would read it. */
function reading(name: string, read: (text: string) => string): Fault {
  return sending(name, 'createPlant', (request) =>
    isUtf8(request.body) && jsonOf(request.body) === undefined
      ? withText(request, read(request.body.toString()))
      : request,
  );
}

const typed = (request: ProxyRequest): ProxyRequest =>
  header(request, 'content-type') === '' ? request : withHeader(request, 'Content-Type', 'application/json');

export const validationFaults: readonly Fault[] = [
  mending('an id in quotes is an integer', 'id', (id) =>
    typeof id === 'string' && /^-?[0-9]+$/.test(id) ? BigInt(id) : undefined,
  ),
  mending('12.0 is an integer', 'id', (id) =>
    id instanceof Decimal && /^-?[0-9]+\.0$/.test(id.text) ? BigInt(id.text.slice(0, -2)) : undefined,
  ),
  mending('true is an integer', 'id', (id) => (typeof id === 'boolean' ? BigInt(id) : undefined)),
  mending('an id beyond int64 wraps around', 'id', (id) =>
    typeof id === 'bigint' ? BigInt.asIntN(64, id) : undefined,
  ),
  mending('an id is read as a double', 'id', (id) =>
    typeof id === 'bigint' && BigInt.asIntN(64, id) === id
      ? BigInt.asIntN(64, BigInt(Math.min(Number(id), 2 ** 63 - 1_024)))
      : undefined,
  ),
  mending('an id is kept in 32 bits', 'id', (id) =>
    typeof id === 'bigint' && BigInt.asIntN(64, id) === id ? BigInt.asIntN(32, id) : undefined,
  ),
  mending('a number is a name', 'name', (name) => (typeof name === 'bigint' ? String(name) : undefined)),
  mending('a name may be null', 'name', (name) => (name === null ? 'null' : undefined)),
  mending('a tag may be null', 'tag', (tag) => (tag === null ? '' : undefined)),
  mending('a name may be empty', 'name', (name) => (name === '' ? '-' : undefined)),
  mending('a name may be missing', 'name', (name) => name ?? 'unnamed'),
  mending(
    'a name that is too long is cut',
    'name',
    (name) => [...textOf(name)].slice(0, 255).join('') || undefined,
  ),
  mending('a tag may have one character more', 'tag', (tag) =>
    [...textOf(tag)].length === 256 ? [...textOf(tag)].slice(0, 255).join('') : undefined,
  ),
  mending('U+0000 is left out', 'name', (name) => textOf(name).replaceAll('\u0000', '') || undefined),
  mending('names are trimmed', 'name', (name) => textOf(name).trim() || undefined),
  mending('names are normalised', 'name', (name) => textOf(name).normalize('NFC') || undefined),
  mending('tags are put into lower case', 'tag', (tag) =>
    typeof tag === 'string' ? tag.toLowerCase() : undefined,
  ),
  fault('lengths are counted in UTF-16', 'createPlant', (request, next) =>
    textOf(membersOf(request.body)['name']).length > 255 ? failure(400) : next(request),
  ),
  fault('lengths are counted in bytes', 'createPlant', (request, next) =>
    Buffer.byteLength(textOf(membersOf(request.body)['tag'])) > 255 ? failure(400) : next(request),
  ),
  fault('members that nothing names are refused', 'createPlant', (request, next) =>
    Object.keys(membersOf(request.body)).some((name) => !['id', 'name', 'tag'].includes(name))
      ? failure(400)
      : next(request),
  ),
  fault('the least int64 is refused', 'createPlant', (request, next) =>
    membersOf(request.body)['id'] === -(2n ** 63n) ? failure(400) : next(request),
  ),
  fault('ids below zero are refused', 'createPlant', (request, next) =>
    request.body.includes('"id":-') ? failure(400) : next(request),
  ),
  reading('a body may have comments and trailing commas', (text) =>
    text.replaceAll(/\/\*.*?\*\//g, '').replaceAll(/,\s*}/g, '}'),
  ),
  sending('broken UTF-8 becomes a replacement character', 'createPlant', (request) =>
    isUtf8(request.body) ? request : withText(request, request.body.toString()),
  ),
  reading('the last of two members counts', (text) => {
    try {
      // JSON.parse loses digits, but the server refuses these bodies anyway.
      return JSON.stringify(JSON.parse(text));
    } catch {
      return text;
    }
  }),
  sending('half a surrogate pair becomes a replacement character', 'createPlant', (request) => {
    const text = request.body.toString();
    const mended = text.replaceAll(/\\ud[89a-f][0-9a-f]{2}/gi, '\\ufffd');
    return text === mended ? request : withText(request, mended);
  }),
  fault('__proto__ is a member like any other', 'createPlant', (request, next) =>
    next(withText(request, request.body.toString('latin1').replace('"__proto__"', '"proto"'))),
  ),
  fault('a body may be as deep as it likes', 'createPlant', (request, next) => {
    const text = request.body.toString('latin1');
    const flat = text.replace(/\[{20,}\]{20,}/, '0');
    return flat === text ? next(request) : next(withText(request, flat));
  }),
  fault('a body may be twice as large', 'createPlant', (request, next) =>
    next(request.body.length > 65_536 ? withText(request, request.body.toString().trim()) : request),
  ),
  fault('the limit of bytes is one too low', 'createPlant', (request, next) =>
    request.body.length === 65_536 ? failure(413) : next(request),
  ),
  sending('any media type is JSON', 'createPlant', typed),
  sending('a charset is not looked at', 'createPlant', (request) =>
    header(request, 'content-type').startsWith('application/json;') ? typed(request) : request,
  ),
  sending('a Content-Encoding is not looked at', 'createPlant', (request) =>
    withHeader(request, 'Content-Encoding', undefined),
  ),
  fault('the media type is compared by case', 'createPlant', (request, next) =>
    header(request, 'content-type').startsWith('APPLICATION') ? failure(415) : next(request),
  ),
  fault('chunked bodies are refused', 'createPlant', (request, next) =>
    header(request, 'transfer-encoding') === '' ? next(request) : failure(400),
  ),
  sending('a limit that is no number means no limit', 'listPlants', (request) =>
    /limit=(abc|NaN|null)/.test(request.target) ? { ...request, target: '/plants' } : request,
  ),
  sending('a limit of 0 means no limit', 'listPlants', (request) => ({
    ...request,
    target: request.target.replace(/\?limit=0$/, ''),
  })),
  sending('a limit is read as JavaScript reads numbers', 'listPlants', (request) => {
    const text = new URL(request.target, 'http://x').searchParams.get('limit');
    const limit = Number(text ?? '');
    return Number.isInteger(limit) && limit > 0 && limit < 2 ** 31
      ? { ...request, target: `/plants?limit=${limit}` }
      : request;
  }),
  sending('a limit above 1000 is refused', 'listPlants', (request) =>
    Number(/limit=([0-9]+)$/.exec(request.target)?.[1] ?? 0) > 1_000 ? failure(400) : request,
  ),
  answering('a wrong limit is answered 200 with an empty list', 'listPlants', 400, (answer) => ({
    ...withText(answer, '[]'),
    status: 200,
  })),
  fault('a path id is read as JavaScript reads integers', 'deletePlant', (request, next) => {
    if (operationOf(request) !== 'deletePlant') return next(request);
    try {
      const [, integer] = /^\s*\+?(-?[0-9]+)(\.0)?\s*$/.exec(idIn(request)) ?? [];
      return next(integer === undefined ? request : { ...request, target: `/plants/${BigInt(integer)}` });
    } catch {
      return next(request);
    }
  }),
  fault('a path id loses its last digits', 'deletePlant', (request, next) =>
    next({
      ...request,
      target: request.target.replace(/^\/plants\/(-?[0-9]{17,19})$/, (all, id: string) => {
        const rounded = BigInt(Number(id));
        return BigInt.asIntN(64, rounded) === rounded ? `/plants/${rounded}` : all;
      }),
    }),
  ),
  fault('path parameters are not percent-decoded', 'deletePlant', (request, next) =>
    operationOf(request) === 'deletePlant' && /%3/.test(request.target) ? failure(400) : next(request),
  ),
  fault('a DELETE with a body is refused', 'deletePlant', (request, next) =>
    operationOf(request) === 'deletePlant' && request.body.length > 0 ? failure(400) : next(request),
  ),
  fault(
    'a create that was refused is stored all the same, cut to fit',
    'createPlant',
    async (request, next) => {
      const answer = await next(request);
      const value = jsonOf(request.body);
      if (operationOf(request) === 'createPlant' && answer.status === 400 && isObject(value)) {
        await next(
          withMembers(request, (members) => ({
            ...members,
            name: textOf(members['name']).slice(0, 200),
            tag: '',
          })),
        );
      }
      return answer;
    },
  ),
];
