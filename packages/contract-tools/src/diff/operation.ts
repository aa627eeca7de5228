/**
 * Compares an operation that both contracts have, part by part: its operationId, servers, security,
 * parameters, body, responses and callbacks.
 */

import type { Node } from '../document/node.js';
import { compareBodies } from './body.js';
import type { FoundChange } from './change.js';
import { compareEntries } from './entries.js';
import type { PathOperation } from './operations.js';
import { compareParameters } from './parameter.js';
import { compareResponses } from './response.js';
import { fingerprint } from './schema/fingerprint.js';
import { compareSecurity } from './security.js';
import { compareServers } from './server.js';
import { eitherAt, namedAt } from './values.js';

export function compareOperations(base: PathOperation, next: PathOperation): FoundChange[] {
  return [
    ...compareIds(base.operation, next.operation),
    ...compareServers(base, next),
    ...compareSecurity(base.operation, next.operation),
    ...compareParameters(base, next),
    ...compareBodies(base.operation, next.operation),
    ...compareResponses(base.operation, next.operation),
    ...compareWholes(base.operation, next.operation, 'callbacks', 'callback'),
  ];
}

/** A new operationId is breaking, though nothing on the wire changes: generators name functions after it. */
function compareIds(base: Node, next: Node): FoundChange[] {
  const before = base.text('operationId');
  const after = next.text('operationId');
  if (before === after) return [];
  const what = `operationId ${before ?? 'none'} → ${after ?? 'none'}`;
  // If there was none, no client can rely on it.
  const how = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  return [{ part: '', id: `operation-id-${how}`, at: eitherAt(base, next, 'operationId'), what }];
}

/**
 * Compares what the service sends to its consumers: callbacks and webhooks. Each is compared as a whole, and
 * any change counts as breaking.
 */
export function compareWholes(
  base: Node,
  next: Node,
  key: string,
  word: 'callback' | 'webhook',
): FoundChange[] {
  const partOf = (name: string) => `${word} \`${name}\``;
  return compareEntries<Node, FoundChange>(namedAt(base, key), namedAt(next, key), {
    both: (old, now, name) =>
      fingerprint(old) === fingerprint(now)
        ? []
        : [{ part: partOf(name), id: `${word}-changed`, at: now.use, what: 'changed' }],
    removed: (old, name) => [{ part: partOf(name), id: `${word}-removed`, at: old.use, what: 'removed' }],
    added: (now, name) => [
      { part: partOf(name), id: `${word}-added`, adds: true, at: now.use, what: 'added' },
    ],
  });
}
