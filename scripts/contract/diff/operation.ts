/**
 * Compares an operation that both contracts have, part by part: its operationId, servers, security,
 * parameters, body, responses and callbacks.
 */
import { compareBodies } from './body.js';
import type { FoundChange } from './change.js';
import { compareEntries } from './entries.js';
import { eitherAt, type Node } from './node.js';
import { compareParameters, type PathOperation } from './parameter.js';
import { compareResponses } from './response.js';
import { fingerprint } from './schema/fingerprint.js';
import { compareSecurity } from './security.js';
import { compareServers } from './server.js';

export function compareOperations(base: PathOperation, next: PathOperation): FoundChange[] {
  return [
    ...compareIds(base.operation, next.operation),
    ...compareServers(base, next),
    ...compareSecurity(base.operation, next.operation),
    ...compareParameters(base, next),
    ...compareBodies(base.operation, next.operation),
    ...compareResponses(base.operation, next.operation),
    ...compareCallbacks(base.operation, next.operation),
  ];
}

/** A new operationId is breaking, though nothing on the wire changes: generators name functions after it. */
function compareIds(base: Node, next: Node): FoundChange[] {
  const before = base.text('operationId');
  const after = next.text('operationId');
  if (before === after) return [];
  const what = `operationId ${before ?? 'none'} → ${after ?? 'none'}`;
  // If there was none, no client can rely on it.
  return [{ part: '', breaking: before !== undefined, at: eitherAt(base, next, 'operationId'), what }];
}

/** Callbacks are compared as a whole: any change counts as breaking. */
function compareCallbacks(base: Node, next: Node): FoundChange[] {
  const before = base.get('callbacks')?.members() ?? new Map<string, Node>();
  const after = next.get('callbacks')?.members() ?? new Map<string, Node>();
  const partOf = (name: string) => `callback \`${name}\``;
  return compareEntries<Node, FoundChange>(before, after, {
    both: (old, now, name) =>
      fingerprint(old, 12) === fingerprint(now, 12)
        ? []
        : [{ part: partOf(name), breaking: true, at: now.use, what: 'changed' }],
    removed: (old, name) => [{ part: partOf(name), breaking: true, at: old.use, what: 'removed' }],
    added: (now, name) => [{ part: partOf(name), breaking: false, adds: true, at: now.use, what: 'added' }],
  });
}
