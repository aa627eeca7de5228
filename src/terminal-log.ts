import type { DestinationStream } from 'pino';
import { prettyFactory } from 'pino-pretty';

/** What a line says of a request stands before its other members, as an access log has it. */
const messageFormat =
  '{msg}{if req.url}: {req.method} {req.url}{end}{if res.statusCode} {res.statusCode}{end}{if milliseconds} ({milliseconds} ms){end}';

/** Control characters, which a terminal obeys: some arrive in the URL of a request. */
const obeyed = /(?![\n\t])\p{Cc}/gu;

/**
 * Lines for a person. Only a start at a terminal loads this file, and with it pino-pretty.
 *
 * @param output where they go
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
  return typeof value === 'string' ? value.replace(obeyed, '\ufffd') : value;
}
