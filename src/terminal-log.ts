import type { DestinationStream } from 'pino';
import { prettyFactory } from 'pino-pretty';

/** A request's line begins as in an access log, before its other members. */
const messageFormat =
  '{msg}{if req.url}: {req.method} {req.url}{end}{if res.statusCode} {res.statusCode}{end}{if milliseconds} ({milliseconds} ms){end}';

/** A terminal obeys control characters, and a client can send them in a URL. */
const controlCharacters = /(?![\n\t])\p{Cc}/gu;

/**
 * Turns JSON lines into lines for a person. Only a start at a terminal loads this file, and pino-pretty with
 * it.
 */
export function forTerminal(output: DestinationStream): DestinationStream {
  const format = prettyFactory({
    messageFormat,
    ignore: 'pid,hostname,req,res,milliseconds',
    singleLine: true,
  });
  const readable = (line: string): string => format(JSON.parse(line, harmless));
  return {
    write(lines) {
      output.write(lines.trimEnd().split('\n').map(readable).join(''));
    },
  };
}

function harmless(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replace(controlCharacters, '\ufffd') : value;
}
