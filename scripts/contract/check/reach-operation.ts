/**
 * Finds a request that an operation outside any collection answers with success: the plainest one, or one
 * from the document's examples. A login takes one name of all that its schema allows, and only an example may
 * tell it.
 */
import type { Credential } from './credentials.js';
import type { Operation } from './description.js';
import { type Exchange, Silence } from './exchange.js';
import type { Recorder } from './findings.js';
import type { Prepared } from './meaning.js';
import { exampleRequests, plainRequest } from './plain-request.js';
import { type RequestValues, requestFor } from './request.js';
import { successesOf } from './resources/shape.js';

interface Parts {
  readonly exchange: Exchange;
  readonly recorder: Recorder;
  readonly token: Credential | undefined;
  /** @returns undefined if the request must not be sent */
  readonly prepare: (operation: Operation, values: RequestValues) => Promise<Prepared | undefined>;
}

/** @returns the values of a request that succeeded; undefined if that is the plainest one, or none */
export async function reachOperation(
  { exchange, recorder, token, prepare }: Parts,
  operation: Operation,
): Promise<RequestValues | undefined> {
  for (const values of [undefined, ...exampleRequests(operation)]) {
    const prepared = await prepare(operation, values ?? plainRequest(operation));
    if (prepared === undefined) return undefined;
    const outcome = await exchange.send(requestFor(operation, prepared.values, token));
    if (outcome instanceof Silence) return undefined;
    const { status } = outcome;
    const isSuccess = successesOf(operation).includes(status);
    recorder.answered(operation.id, status, isSuccess);
    if (isSuccess) return values;
  }
  return undefined;
}
