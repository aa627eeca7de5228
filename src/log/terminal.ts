import type { DestinationStream } from 'pino';
import { prettyFactory } from 'pino-pretty';

const messageFormat =
  '{msg}{if req.url}: {req.method} {req.url}{end}{if res.statusCode} {res.statusCode}{end}{if milliseconds} ({milliseconds} ms){end}';

/** A terminal obeys these, and a URL can hold them. */
const controlCharacters = /(?![\n\t])\p{Cc}/gu;

/** Only a start at a terminal loads pino-pretty. */
export function forTerminal(output: DestinationStream): DestinationStream {
  const format = prettyFactory({
    messageFormat,
    ignore: 'pid,hostname,req,res,milliseconds,drainSeconds',
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
