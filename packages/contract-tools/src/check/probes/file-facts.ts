/**
 * What an item tells of its file: a number such as `size`, or a checksum such as `sha256`. No document says which members
 * these are. So a member that has the right value for one file must have it for the next one.
 */
import { createHash } from 'node:crypto';
import type { Value, ValueObject } from '../../values/json.js';

export interface FileFact {
  readonly member: string;
  readonly what: 'length' | 'checksum';
  of(bytes: Buffer): Value;
}

const digests = ['sha256', 'sha1', 'sha512', 'md5'].flatMap((algorithm) =>
  (['hex', 'base64'] as const).map(
    (encoding) =>
      (bytes: Buffer): string =>
        createHash(algorithm).update(bytes).digest(encoding),
  ),
);

function lengthOf(bytes: Buffer): bigint {
  return BigInt(bytes.length);
}

/** The members of an item that tell something of a file. */
export function factsIn(item: ValueObject, bytes: Buffer): FileFact[] {
  return Object.entries(item).flatMap(([member, value]): FileFact[] => {
    if (/size|length|bytes/i.test(member) && value === lengthOf(bytes))
      return [{ member, what: 'length', of: lengthOf }];
    const digest = digests.find((one) => value === one(bytes));
    return digest === undefined ? [] : [{ member, what: 'checksum', of: digest }];
  });
}
