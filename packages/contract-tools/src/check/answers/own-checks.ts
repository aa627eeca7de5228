/**
 * Asks the checks of the user's own (../document/own-checks.ts) about an answer. One that throws, or does not end, ends the
 * run: what a mistake in it says of the server, nobody knows.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Operation } from '../../document/operations.js';
import { CannotCheckError } from '../document/cannot-check.js';
import type { CheckClient, CheckedAnswer, CheckedRequest } from '../document/own-checks.js';
import type { Rules } from '../document/rules.js';
import type { Exchange } from '../requests/exchange.js';
import { isSilence, type Reply } from '../requests/reply.js';
import type { Request } from '../requests/request.js';
import type { Breach, Step } from './findings.js';

const maxCheckMs = 60_000;

/** @throws {CannotCheckError} if a check throws, or does not end */
export async function breachesOfOwn(
  { checks = [] }: Rules,
  exchange: Exchange,
  operation: Operation,
  { request, outcome }: Step,
): Promise<Breach[]> {
  if (isSilence(outcome)) return [];
  const { id, method, path } = operation;
  let ended: unknown;
  const client: CheckClient = {
    send: async (verb, target, body) => {
      const reply = await exchange.send(requestOf(request, verb, target, body)).catch((error: unknown) => {
        ended = error;
        throw error;
      });
      return shownOf(reply);
    },
  };
  const breaches: Breach[] = [];
  for (const { name, file, check } of checks) {
    const asked = async () => check({ id, method, path }, askedOf(request), shownOf(outcome), client);
    const told: unknown = await inTime(asked).catch((error: unknown) => {
      // The run is over, or the server is gone.
      if (ended !== undefined) throw ended;
      const why = error instanceof Error ? error.message : String(error);
      throw new CannotCheckError(`The check "${name}" of ${file} failed at ${id} (${why}): mend it.`);
    });
    // What JavaScript makes of `condition && sentence` if all is well.
    if (told === undefined || told === null || told === false || told === '') continue;
    if (typeof told !== 'string')
      throw new CannotCheckError(
        `The check "${name}" of ${file} returned a ${typeof told} at ${id}: return a sentence, or nothing.`,
      );
    // A sentence of the user's is about all operations, so that its place is the whole document.
    breaches.push({
      ...{ rule: name, says: `"${name}" is a check of ${file}`, path: [], did: told },
      isHabit: true,
    });
  }
  return breaches;
}

function requestOf({ base, credentials }: Request, method: string, target: string, body: unknown): Request {
  const sent = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  return {
    ...{ method, target, credentials, body: sent },
    ...(base !== undefined && { base }),
    headers: [
      ['Accept', 'application/json, */*;q=0.5'],
      ...(sent ? [['Content-Type', 'application/json'] as const] : []),
    ],
  };
}

function askedOf({ method, target, headers, body }: Request): CheckedRequest {
  return { method, target, headers: byName(headers), body: parsed(body) };
}

function shownOf(reply: Reply): CheckedAnswer {
  if (isSilence(reply)) throw new Error(`no answer came: ${reply.reason}`);
  return { status: reply.status, headers: byName(reply.headers), body: parsed(reply.body) };
}

function byName(headers: Request['headers']): Readonly<Record<string, string>> {
  return Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));
}

function parsed(body: Buffer | undefined): unknown {
  try {
    return JSON.parse(body?.toString() ?? '');
  } catch {
    return undefined;
  }
}

async function inTime<Result>(work: () => Promise<Result>): Promise<Result> {
  const ends = new AbortController();
  const late = pause(maxCheckMs, undefined, { signal: ends.signal }).then(() => {
    throw new Error(`it did not end in ${maxCheckMs / 1_000} s`);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    ends.abort();
  }
}
