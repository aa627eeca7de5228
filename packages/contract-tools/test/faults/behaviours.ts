/**
 * Tries a plain server of packages/contract-tools/faults/models/: without a fault it behaves as the document and the
 * RFCs say, and with each of its faults it does not. So no fault is a name that changes nothing.
 */
import { AssertionError, fail } from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { type CallOptions, call } from '../../../kit/testing.js';
import type { Scope } from '../../src/base/scope.js';

// A run takes seconds on an idle machine.
t.setTimeout(600_000);

export interface Answer<Body> {
  readonly status: number;
  readonly headers: Headers;
  /** Nothing has compared it with its type: a test reads members, and its assertions say what is wrong. */
  readonly body: Body;
}

/**
 * Asks a server. The headers hold the credentials.
 *
 * @throws {SyntaxError} if the body is not JSON
 */
export async function ask<Body>(
  origin: string,
  method: string,
  path: string,
  options: CallOptions,
): Promise<Answer<Body>> {
  const { status, headers, text } = await call(origin, method, path, options);
  return { status, headers, body: text === '' ? undefined : JSON.parse(text) };
}

/** Sends the lines of a request without a body, and returns every byte of the answer until the connection ends. */
export async function askBytes(origin: string, lines: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  socket.write(`${[...lines, `Host: ${hostname}`, 'Connection: close'].join('\r\n')}\r\n\r\n`);
  return text(socket);
}

/** Throws an AssertionError if a server does not behave as its name says. */
export type Behaviours = Readonly<Record<string, (origin: string) => Promise<void>>>;

/** @param start starts the server, with one of its faults or none */
export function tryBehaviours(
  behaviours: Behaviours,
  faults: readonly string[],
  start: (scope: Scope, fault: string | undefined) => Promise<URL>,
): void {
  t.test('without a fault, the server behaves as the document and the RFCs say', async (t) => {
    const { origin } = await start(t, undefined);
    for (const [name, tryIt] of Object.entries(behaviours)) await t.test(name, () => tryIt(origin));
  });
  for (const fault of faults) {
    t.test(`with a fault it does not: ${fault}`, async (t) => {
      const { origin } = await start(t, fault);
      for (const tryIt of Object.values(behaviours)) {
        const error = await tryIt(origin).then(
          () => undefined,
          (error: unknown) => error,
        );
        if (error instanceof AssertionError) return;
        if (error !== undefined) throw error;
      }
      fail('every behaviour is as without the fault');
    });
  }
}
