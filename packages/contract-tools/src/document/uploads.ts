/**
 * Reads request bodies that hold files: those of `multipart/form-data`, and plain bytes. Each becomes an object with a
 * member for each part, so that it is made, broken and prepared as a body of JSON is. Plain bytes are one part without a
 * name. A file is a text with one character for each byte, of a format that only this form has (../values/files.ts).
 */
import type { JsonObject } from '../../../exact-json/index.js';
import { covers, isJson, withoutParameters } from './media-types.js';
import type { Node } from './node.js';

/** The media types of which files can be made. A server may refuse a file that is not what its type says. */
const fileTypes = ['application/octet-stream', 'text/plain', 'image/png'] as const;
/** The format of a file begins with this, and ends with its media type. */
export const fileFormat = 'file of ';

/** One part of a body; an array has a part for each item, unless it is JSON. */
export interface Part {
  readonly kind: 'file' | 'json' | 'text';
  /** The media types of a file that the document names and that can be made; it is sent as the first one. */
  readonly types: readonly string[];
}

export interface Upload {
  readonly mediaType: string;
  readonly schema: Node;
  readonly parts: ReadonlyMap<string, Part>;
}

/** The keywords of a schema that allows any file, but for its length. */
const ofFiles =
  /^(?:type|format|minLength|maxLength|contentMediaType|title|description|default|deprecated|examples)$/;

/**
 * @param content the media types of a request body, none of which is JSON
 * @returns the bodies of one kind that can be made: forms if there is one, or else plain bytes
 */
export function uploadsOf(content: readonly (readonly [type: string, media: Node])[]): Upload[] {
  const form = content.find(([type]) => withoutParameters(type) === 'multipart/form-data');
  if (form !== undefined) return formOf(form[1]);
  const byType = new Map(
    content.flatMap(([key, media]) => {
      const type = fileTypes.find((one) => covers(key, one));
      return type === undefined || !isFile(media.at('schema')) ? [] : [[type, media] as const];
    }),
  );
  return Array.from(byType, ([type, media]) => {
    const schema = media.at('schema') ?? media;
    const properties = { '': fileSchema(media.at('schema'), type) };
    return {
      mediaType: type,
      schema: schema.standIn({ type: 'object', required: [''], properties }),
      parts: new Map([['', { kind: 'file', types: [type] }]]),
    };
  });
}

/** @returns none if there is a part that must be there, and cannot be made */
function formOf(media: Node): Upload[] {
  const schema = media.at('schema');
  const [whole, written] = [schema?.value, schema?.at('properties')?.value];
  if (schema === undefined || !isObject(whole) || !isObject(written)) return [];
  const required = schema.list('required').map(({ value }) => value);
  const properties: JsonObject = { ...written };
  const parts = new Map<string, Part>();
  for (const [name, node] of schema.at('properties')?.members() ?? []) {
    const part = partOf(node, media.at('encoding', name)?.text('contentType'));
    if (part === undefined && required.includes(name)) return [];
    if (part === undefined) {
      delete properties[name];
      continue;
    }
    parts.set(name, part);
    const [type] = part.types;
    const items = node.at('items');
    if (type !== undefined && items === undefined) properties[name] = fileSchema(node, type);
    else if (type !== undefined && isObject(node.value))
      properties[name] = { ...node.value, items: fileSchema(items, type) };
  }
  return [{ mediaType: 'multipart/form-data', schema: schema.standIn({ ...whole, properties }), parts }];
}

/**
 * @param encoding the media types that the document names for the part
 * @returns undefined if no such part can be made
 */
function partOf(schema: Node, encoding: string | undefined): Part | undefined {
  const type = [schema.at('type')?.value].flat().find((one) => one !== 'null');
  const items = type === 'array' ? schema.at('items') : undefined;
  if (encoding !== undefined && isJson(encoding)) return { kind: 'json', types: [] };
  if (items !== undefined) {
    const part = partOf(items, encoding);
    return part?.kind === 'json' ? undefined : part;
  }
  const isText = encoding === undefined || withoutParameters(encoding) === 'text/plain';
  const saysFile = type === undefined || schema.text('format') === 'binary' || !isText;
  const content = schema.text('contentMediaType');
  if (isFile(schema) && (saysFile || content !== undefined)) {
    const named = (encoding ?? content ?? 'application/octet-stream').split(',');
    const types = fileTypes.filter((one) => named.some((other) => covers(other, one)));
    return types.length === 0 ? undefined : { kind: 'file', types };
  }
  if (type === 'object' && encoding === undefined) return { kind: 'json', types: [] };
  const isScalar = typeof type === 'string' && ['string', 'integer', 'number', 'boolean'].includes(type);
  return isScalar && isText ? { kind: 'text', types: [] } : undefined;
}

function isFile(schema: Node | undefined): boolean {
  const format = schema?.text('format') ?? 'binary';
  const type = schema?.at('type')?.value ?? 'string';
  return (
    type === 'string' &&
    format === 'binary' &&
    (schema?.members() ?? []).every(([keyword]) => ofFiles.test(keyword))
  );
}

function fileSchema(schema: Node | undefined, type: string): JsonObject {
  const bounds = ['minLength', 'maxLength'].flatMap((keyword) => {
    const bound = schema?.number(keyword);
    return bound === undefined ? [] : [[keyword, bound] as const];
  });
  return { type: 'string', format: `${fileFormat}${type}`, ...Object.fromEntries(bounds) };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
