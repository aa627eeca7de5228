/**
 * The parts of which faults are made: they tell the operation of a request, and change one thing of an
 * answer.
 */

import type {
  Fault,
  Handler,
  Next,
  ProxyAnswer,
  ProxyRequest,
  World,
} from '../../../packages/contract-tools/faults.js';
import {
  isArray,
  isObject,
  readJson,
  type Value,
  type ValueObject,
  writeJson,
} from '../../../packages/contract-tools/index.js';

type OperationId = 'createPlant' | 'listPlants' | 'deletePlant';

/** @returns the operation of the plant store that a request calls; undefined if it is none */
export function operationOf({ method, target }: ProxyRequest): OperationId | undefined {
  if (/^\/plants(\?|$)/.test(target)) {
    return method === 'POST' ? 'createPlant' : method === 'GET' ? 'listPlants' : undefined;
  }
  return method === 'DELETE' && /^\/plants\/[^/?]+(\?|$)/.test(target) ? 'deletePlant' : undefined;
}

/** Makes a fault with state of its own, or one that uses tokens. */
export function stateful(name: string, operation: string, start: (world: World) => Handler): Fault {
  return { name, operation, start };
}

/** Makes a fault without state. */
export function fault(name: string, operation: string, handler: Handler): Fault {
  return stateful(name, operation, () => handler);
}

/**
 * Makes a fault that changes the answers of one operation.
 *
 * @param status the status of the answers to change; undefined for all of them
 */
export function answering(
  name: string,
  operation: OperationId,
  status: number | undefined,
  change: (answer: ProxyAnswer, request: ProxyRequest, next: Next) => ProxyAnswer | Promise<ProxyAnswer>,
): Fault {
  return fault(name, operation, async (request, next) => {
    const answer = await next(request);
    const concerned = operationOf(request) === operation && (status ?? answer.status) === answer.status;
    return concerned ? change(answer, request, next) : answer;
  });
}

/**
 * Makes a fault that changes the requests of one operation before the server sees them.
 *
 * @param change returns another request, or an answer instead of the server's
 */
export function sending(
  name: string,
  operation: OperationId,
  change: (request: ProxyRequest) => ProxyRequest | ProxyAnswer,
): Fault {
  return fault(name, operation, async (request, next) => {
    if (operationOf(request) !== operation) return next(request);
    const changed = change(request);
    return 'status' in changed ? changed : next(changed);
  });
}

/**
 * The contract asks for this header in every answer: without it, an answer that a fault makes up breaks it
 * twice.
 */
const requestId = ['X-Request-Id', 'fault-1'] as const;

export const noContent: ProxyAnswer = { status: 204, headers: [requestId], body: Buffer.alloc(0) };

export function json(status: number, value: Value, headers: ProxyAnswer['headers'] = []): ProxyAnswer {
  return withBody(
    { status, headers: [['Content-Type', 'application/json'], requestId, ...headers], body: Buffer.alloc(0) },
    writeJson(value),
  );
}

/** Makes an error as the contract has it. */
export function failure(status: number, headers: ProxyAnswer['headers'] = []): ProxyAnswer {
  return json(status, { error: BigInt(status), message: 'Something is wrong.' }, headers);
}

export function withBody(answer: ProxyAnswer, body: string | Buffer): ProxyAnswer {
  const bytes = Buffer.from(body);
  return { ...withHeader(answer, 'Content-Length', String(bytes.length)), body: bytes };
}

/** Returns the message with another value of a header, or without the header. */
export function withHeader<Message extends Pick<ProxyRequest, 'headers'>>(
  message: Message,
  name: string,
  value: string | undefined,
): Message {
  const others = message.headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase());
  return { ...message, headers: value === undefined ? others : [...others, [name, value]] };
}

/** Returns the request with another token. */
export function bearer(request: ProxyRequest, token: string): ProxyRequest {
  return withHeader(request, 'Authorization', `Bearer ${token}`);
}

/** @returns the first value of a header; "" if there is none */
export function header({ headers }: Pick<ProxyRequest, 'headers'>, name: string): string {
  return headers.find(([other]) => other.toLowerCase() === name.toLowerCase())?.[1] ?? '';
}

/** Changes a JSON body; any other body stays as it is. */
function withJson<Message extends Pick<ProxyRequest, 'body' | 'headers'>>(
  message: Message,
  change: (value: Value) => Value,
): Message {
  const value = jsonOf(message.body);
  return value === undefined ? message : withText(message, writeJson(change(value)));
}

/** Changes the members of a JSON object; any other body stays as it is. */
export function withMembers<Message extends Pick<ProxyRequest, 'body' | 'headers'>>(
  message: Message,
  change: (members: ValueObject) => ValueObject,
): Message {
  return withJson(message, (value) => (isObject(value) ? change(value) : value));
}

/** Changes the items of a JSON array; any other body stays as it is. */
export function withItems(
  answer: ProxyAnswer,
  change: (items: readonly Value[]) => readonly Value[],
): ProxyAnswer {
  return withJson(answer, (value) => (isArray(value) ? change(value) : value));
}

export function withText<Message extends Pick<ProxyRequest, 'body' | 'headers'>>(
  message: Message,
  text: string,
): Message {
  const body = Buffer.from(text);
  return { ...withHeader(message, 'Content-Length', String(body.length)), body };
}

/** @returns undefined if the body is not JSON */
export function jsonOf(body: Buffer): Value | undefined {
  try {
    return readJson(body);
  } catch {
    return undefined;
  }
}

/** @returns no members if the body is not a JSON object */
export function membersOf(body: Buffer): ValueObject {
  const value = jsonOf(body);
  return isObject(value) ? value : {};
}

export function without({ ...members }: Record<string, Value>, name: string): ValueObject {
  delete members[name];
  return members;
}

/** @returns "" if the value is not a text */
export function textOf(value: Value | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Returns the request with another method, target and body, without the headers of the old body. */
export function another(request: ProxyRequest, method: string, target: string, body?: Value): ProxyRequest {
  const headers = request.headers.filter(([name]) => !/^content-|^transfer-encoding$/i.test(name));
  const bare = { method, target, headers, body: Buffer.alloc(0) };
  if (body === undefined) return bare;
  return withText(withHeader(bare, 'Content-Type', 'application/json'), writeJson(body));
}

/** Writes the bytes of an answer, for faults in the framing. */
export function rawAnswer({ status, headers }: ProxyAnswer, body: string | Buffer): Buffer {
  const lines = [
    `HTTP/1.1 ${status} Status`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), Buffer.from(body)]);
}

/** Returns the id in the path of a plant, decoded if possible. */
export function idIn({ target }: ProxyRequest): string {
  const id = target.replace(/^\/plants\//, '').replace(/\?.*$/, '');
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
