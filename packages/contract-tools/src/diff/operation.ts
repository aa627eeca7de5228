/**
 * Compares an operation that both contracts have, part by part: its operationId, servers, security,
 * parameters, body, responses and callbacks.
 */

import { compareBodies } from './body.js';
import { compareCalls } from './call.js';
import type { FoundChange } from './change.js';
import { compareIds, type PathOperation } from './operations.js';
import { compareParameters } from './parameter.js';
import { compareResponses } from './response.js';
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
    ...compareCalls(base.operation, next.operation, 'callback'),
  ];
}
