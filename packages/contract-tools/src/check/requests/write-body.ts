/** Writes the body of a request: as JSON, as plain bytes, or as the parts of a form (RFC 7578). */
import type { RequestBody } from '../../document/operations.js';
import type { Part } from '../../document/uploads.js';
import { isArray, isObject, sameValue, type Value, writeJson } from '../../values/json.js';
import { readText, writeText } from '../values/parameter-text.js';

const boundary = 'boundary-of-the-check-6f1c2a9d';
/** A file of odd bytes has an odd name, which RFC 7578, section 5.1, writes as UTF-8. */
export const fileNames = { usual: 'file.bin', odd: 'fichier-é.bin' } as const;
const oddBytes = /[^\n\r\x20-\x7e]/;

interface Written {
  readonly bytes: Buffer;
  readonly contentType: string;
}

export function writeBody({ mediaType, parts }: RequestBody, value: Value): Written {
  if (parts === undefined) return { bytes: Buffer.from(writeJson(value)), contentType: mediaType };
  const members = isObject(value) ? value : {};
  if (parts.has('')) return { bytes: bytesOf(members[''] ?? ''), contentType: mediaType };
  const written = Object.entries(members).flatMap(([name, member]) => {
    const part = parts.get(name) ?? { kind: 'text', types: [] };
    const all = isArray(member) && part.kind !== 'json' ? member : [member];
    return all.flatMap((one) => (one === null && part.kind === 'text' ? [] : writePart(name, part, one)));
  });
  return {
    bytes: Buffer.concat([...written, Buffer.from(`--${boundary}--\r\n`)]),
    contentType: `${mediaType}; boundary=${boundary}`,
  };
}

function writePart(name: string, { kind, types: [type] }: Part, value: Value): Buffer {
  const isOdd = kind === 'file' && typeof value === 'string' && oddBytes.test(value);
  const fileName = kind === 'file' ? `; filename="${isOdd ? fileNames.odd : fileNames.usual}"` : '';
  const media = kind === 'json' ? 'application/json' : type;
  const head = [
    `--${boundary}`,
    `Content-Disposition: form-data; name="${name.replaceAll('"', '%22')}"${fileName}`,
    ...(media === undefined ? [] : [`Content-Type: ${media}`]),
  ];
  const written = {
    file: () => bytesOf(value),
    json: () => writeJson(value),
    text: () => String(writeText(value)),
  };
  return Buffer.concat([
    Buffer.from(`${head.join('\r\n')}\r\n\r\n`),
    Buffer.from(written[kind]()),
    Buffer.from('\r\n'),
  ]);
}

function bytesOf(file: Value): Buffer {
  return Buffer.from(typeof file === 'string' ? file : '', 'latin1');
}

/**
 * Whether a body can say what the value is: a part that is a text has no number, a file has nothing but bytes, and plain
 * bytes are always there.
 */
export function carries({ parts, schema }: RequestBody, value: Value): boolean {
  if (parts === undefined) return true;
  if (!isObject(value) || (parts.has('') && value[''] === undefined)) return false;
  return Object.entries(value).every(([name, member]) => {
    const { kind } = parts.get(name) ?? { kind: 'text' };
    if (kind === 'json') return true;
    const ofPart = schema.at('properties', name);
    const isMany = ofPart?.text('type') === 'array';
    if (isMany !== isArray(member)) return false;
    const ofOne = isMany ? ofPart.at('items') : ofPart;
    return [member].flat().every((one) => {
      const text = writeText(one);
      if (typeof text !== 'string' || (kind === 'file' && /[^\0-\xff]/.test(text))) return false;
      return sameValue(ofOne === undefined ? text : readText(ofOne, text), one);
    });
  });
}
