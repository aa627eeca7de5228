/** Finds the operations of a contract. */
import type { Path } from '../../../exact-json/index.js';
import { fixedMethods } from '../document/grammar.js';
import type { Node } from '../document/node.js';
import { writtenOperations } from '../document/operations.js';
import type { FoundChange } from './change.js';
import { eitherAt } from './values.js';

/** An operation of one contract, with its path. */
export interface PathOperation {
  readonly path: string;
  /** In upper case, unless the contract names it itself (OpenAPI 3.2, "additionalOperations"). */
  readonly method: string;
  readonly item: Node;
  readonly operation: Node;
}

/**
 * Returns the operations by method and path, whatever the names of the path's parameters: `GET /plants/{}`.
 */
export function operationsOf(root: Node): Map<string, PathOperation> {
  return new Map(
    writtenOperations(root).map(({ path, method, item, node: operation }) => [
      `${method} ${path.replaceAll(/\{[^{}]*\}/g, '{}')}`,
      { path, method, item, operation },
    ]),
  );
}

/** A new operationId is breaking, though nothing on the wire changes: generators name functions after it. */
export function compareIds(base: Node, next: Node): FoundChange[] {
  const before = base.text('operationId');
  const after = next.text('operationId');
  if (before === after) return [];
  const what = `operationId ${before ?? 'none'} → ${after ?? 'none'}`;
  // If there was none, no client can rely on it.
  const how = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  return [{ part: '', id: `operation-id-${how}`, at: eitherAt(base, next, 'operationId'), what }];
}

/** @returns `GET /plants` for each path into that operation; undefined for any other */
export function operationAt([root, path, method, other]: Path): string | undefined {
  if (root !== 'paths' || method === undefined) return undefined;
  if (method === 'additionalOperations') return other === undefined ? undefined : `${other} ${path}`;
  const isFixed = fixedMethods.some((one) => one === method);
  return isFixed ? `${String(method).toUpperCase()} ${path}` : undefined;
}
