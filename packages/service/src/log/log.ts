/**
 * Opens the log, and decides which members of answers and errors are in it. A line must never hold a
 * token or the content of a plant, so only members that are named here, and in describe-request.ts, get into
 * a line.
 */
import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { FastifyReply } from 'fastify';
import { type DestinationStream, type Logger, pino } from 'pino';
import { describeRequest } from './describe-request.js';
import { standardOutput } from './output.js';

/**
 * Switches the log between its own level and `debug`, and logs that it did.
 *
 * @param level its own level, as in LOG_LEVEL
 */
export function toggleDebug(log: Log, level: string): void {
  const isOn = log.level === 'debug';
  if (isOn) log.info(`the level of the log is ${level} again`);
  log.level = isOn ? level : 'debug';
  if (!isOn) log.info('the level of the log is debug, until the next SIGUSR2');
}

/**
 * Opens the log on stdout: JSON lines, or readable lines if stdout is a terminal.
 *
 * @param level as in LOG_LEVEL
 */
export async function openLog(level: string): Promise<Log> {
  // `process.stdout.isTTY` would do the same, but reading process.stdout makes a pipe non-blocking, for pino,
  // too.
  if (!isatty(1)) return makeLog(level);
  const { forTerminal } = await import('./terminal.js');
  return makeLog(level, forTerminal(terminalOn(1)));
}

/**
 * Makes an output that writes to a terminal in the foreground. If the terminal was closed, a write in the
 * background would end the process before it has stopped its PostgreSQL.
 *
 * @param descriptor the file descriptor of the terminal
 */
export function terminalOn(descriptor: number): DestinationStream {
  return {
    write(lines) {
      try {
        writeSync(descriptor, lines);
      } catch {
        // The terminal was closed, so nobody reads the lines.
      }
    },
  };
}

export type Log = Logger;

/** @param level as in LOG_LEVEL */
export function makeLog(level: string, output: DestinationStream = standardOutput): Log {
  const serializers = { err: describeError, req: describeRequest, res: describeReply };
  return pino({ level, serializers }, output);
}

function describeReply(reply: FastifyReply): object {
  return {
    statusCode: reply.statusCode,
    bytes: Number(reply.getHeader('content-length') ?? reply.streamedBytes),
  };
}

/** Leaves out what PostgreSQL adds to its errors, because its `detail` and `where` can quote rows. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack, cause } = error;
  const code = 'code' in error ? error.code : undefined;
  return { name, message, code, stack, ...(cause !== undefined && { cause: describeError(cause) }) };
}
