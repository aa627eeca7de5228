import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type DestinationStream, type Logger, pino } from 'pino';
import { standardOutput } from './output.js';
import { callersId } from './request-id.js';
import { textForLog } from './text.js';

export function toggleDebug(log: Log, level: string): void {
  const isOn = log.level === 'debug';
  if (isOn) log.info(`the level of the log is ${level} again`);
  log.level = isOn ? level : 'debug';
  if (!isOn) log.info('the level of the log is debug, until the next SIGUSR2');
}

/** JSON lines, or readable lines on a terminal. */
export async function openLog(level: string): Promise<Log> {
  // process.stdout.isTTY would make a pipe non-blocking for pino.
  if (!isatty(1)) return makeLog(level);
  const { forTerminal } = await import('./terminal.js');
  return makeLog(level, forTerminal(terminalOn(1)));
}

/** A background write to a closed terminal ends the process before PostgreSQL is stopped. */
export function terminalOn(descriptor: number): DestinationStream {
  return {
    write(lines) {
      try {
        writeSync(descriptor, lines);
      } catch {
        // Nobody reads any more.
      }
    },
  };
}

export type Log = Logger;

/** Serializers log only named members, so no secrets. */
export function makeLog(level: string, output: DestinationStream = standardOutput): Log {
  const serializers = { err: describeError, req: describeRequest, res: describeReply };
  return pino({ level, serializers }, output);
}

function describeRequest({ id, method, url, ip, caller, headers }: FastifyRequest): object {
  // A proxy that passes a client's X-Forwarded-For on lets it choose the address. Fastify's type does not say that there
  // is none if the client has gone already.
  const address = textForLog(ip ?? '');
  return { id, method, url: textForLog(url), ip: address, owner: caller, ...describeCallersIds(headers) };
}

/** https://www.w3.org/TR/trace-context/#traceparent-header */
const traceparentForm = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/;

/** The ids in the caller's own log. */
function describeCallersIds(headers: FastifyRequest['headers']): object {
  const { traceparent } = headers;
  const [, traceId] = traceparentForm.exec(String(traceparent)) ?? [];
  return { traceId, requestId: callersId(headers) };
}

function describeReply(reply: FastifyReply): object {
  return {
    statusCode: reply.statusCode,
    bytes: Number(reply.getHeader('content-length') ?? reply.streamedBytes),
  };
}

/** PostgreSQL's `detail` and `where` can quote rows. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack, cause } = error;
  const code = 'code' in error ? error.code : undefined;
  return { name, message, code, stack, ...(cause !== undefined && { cause: describeError(cause) }) };
}
