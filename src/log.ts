import type { FastifyReply, FastifyRequest } from 'fastify';
import { type DestinationStream, type Logger, pino } from 'pino';
import { tokenLike } from './access/token.js';

/** JSON lines. What may hold a secret is left out by naming what is kept. */
export function makeLog(level: string, output: DestinationStream = pino.destination(1)): Logger {
  return pino(
    { level, serializers: { err: describeError, req: describeRequest, res: describeReply } },
    output,
  );
}

/** Neither headers nor a token that somebody put into a URL. */
function describeRequest({ id, method, url, ip }: FastifyRequest): object {
  return { id, method, url: url.replaceAll(tokenLike, 'plant_…'), ip };
}

function describeReply({ statusCode }: FastifyReply): object {
  return { statusCode };
}

/** Without the other members of a PostgreSQL error: `detail` and `where` can quote rows. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack, cause } = error;
  const code = 'code' in error ? error.code : undefined;
  return { name, message, code, stack, ...(cause !== undefined && { cause: describeError(cause) }) };
}
