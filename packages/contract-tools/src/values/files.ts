/**
 * The files that are uploaded, by their media type. A file is a text with one character for each byte (Latin-1), so that
 * it can stand in a value. Most servers that damage files do it to what is no text: to bytes above 0x7F, to a byte 0, to
 * line ends, or to a line that looks like the end of a part.
 */
import { crc32, deflateSync } from 'node:zlib';
import type { Node } from '../document/node.js';
import { fileFormat } from '../document/uploads.js';

const small = 'a small file';
const first = 'a small file that no other upload has';
const everyByte = String.fromCharCode(...Array(256).keys());
const text = latin1(Buffer.from('é, 中 and 🌵\nin two lines'));
/** A byte order mark, every byte, and lines that begin with dashes. */
const bytes = `\u00ef\u00bb\u00bf${everyByte}\r\n--\r\n--a--\r\n\r\nlast\n`;
/** It comes in several pieces, and a server may refuse it. */
const long = `${bytes}${'a'.repeat(70_000)}\u00ff`;

const files: ReadonlyMap<string, readonly string[]> = new Map([
  [`${fileFormat}application/octet-stream`, [small, bytes, '']],
  // A server may change the line ends of a text, or take away white space around it.
  [`${fileFormat}text/plain`, [small, text, '']],
  [`${fileFormat}image/png`, [png(small), png(bytes)]],
]);

/** Files of a format, the plainest first; undefined if it is not one of files. */
export function filesOf(format: string): readonly string[] | undefined {
  return files.get(format);
}

/** Files of a media type that are compared with their downloads. The first one is small, ASCII, and no plainest file. */
export function comparedFiles(type: string): readonly string[] {
  const [, ...others] = filesOf(`${fileFormat}${type}`) ?? [];
  return [
    type === 'image/png' ? png(first) : first,
    ...others,
    ...(type === 'application/octet-stream' ? [long] : []),
  ];
}

/** Whether these are the bytes of a plainest file, which each item has that was made with one. */
export function isPlainFile(content: Buffer): boolean {
  return [...files.values()].some(([plain]) => plain === latin1(content));
}

export function isFile(schemas: readonly Node[]): boolean {
  return schemas.some((schema) => schema.text('format')?.startsWith(fileFormat));
}

/** A picture of one pixel, with further bytes in a chunk that readers skip (RFC 2083, section 3.4). */
function png(comment: string): string {
  const chunk = (type: string, data: Buffer): Buffer => {
    const checked = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(checked));
    return Buffer.concat([length, checked, sum]);
  };
  return latin1(
    Buffer.concat([
      Buffer.from('89504e470d0a1a0a', 'hex'),
      chunk('IHDR', Buffer.from('00000001000000010800000000', 'hex')),
      chunk('byTe', Buffer.from(comment, 'latin1')),
      chunk('IDAT', deflateSync(Buffer.alloc(2))),
      chunk('IEND', Buffer.alloc(0)),
    ]),
  );
}

function latin1(buffer: Buffer): string {
  return buffer.toString('latin1');
}
