/** Makes the keys that the server chooses. Node.js 20 makes UUIDs of version 4 only. */
import { randomBytes } from 'node:crypto';

/**
 * Makes a UUID of version 7 (RFC 9562, section 5.7): the time, and then 74 random bits. So new rows are
 * beside each other in the index of the key, and a list in the order of keys is in the order of time, as far
 * as the clocks of all replicas agree. Keys of the same millisecond are in any order.
 *
 * It is made here instead of in PostgreSQL, because a create whose reply is lost must know which item to look
 * for.
 *
 * @param nowMs milliseconds since 1970
 */
export function newUuid(nowMs = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
