/**
 * Turns the JSON lines of the log into lines for a person. Only a start at a terminal loads this file, and
 * pino-pretty with it.
 */
import type { DestinationStream } from 'pino';
import { prettyFactory } from 'pino-pretty';

const messageFormat =
  '{msg}{if req.route}: {req.method} {req.route}{end}{if req.pathLength}: {req.method} unknown path of {req.pathLength} characters{end}{if res.statusCode} {res.statusCode}{end}{if milliseconds} ({milliseconds} ms){end}';

/** Characters that a terminal obeys. The message of an error can hold them. */
const controlCharacters = /(?![\n\t])\p{Cc}/gu;

/** The number that pino gives the level `error`. Worse levels have higher ones. */
const errorLevel = 50;
/** A warning that has not come for this long is shown again. */
const repeatMs = 10_000;

/** The members of a line of log.ts that this file reads. */
interface Line {
  readonly level: number;
  readonly msg?: string;
  readonly err?: string | { readonly name: string; readonly message: string; readonly code?: string };
}

/**
 * @param output gets the lines for a person
 * @returns an output for lines of JSON
 */
export function forTerminal(output: DestinationStream): DestinationStream {
  const format = prettyFactory({
    messageFormat,
    ignore: 'pid,hostname,req,res,milliseconds,drainSeconds,leftOut',
    singleLine: true,
  });
  const isRepeated = watchRepeats();
  const readable = (text: string): string => {
    const line: Line = JSON.parse(text, harmless);
    if (line.err === undefined || line.level >= errorLevel) return format(line);
    const warning = inOneLine(line);
    return isRepeated(warning.msg) ? '' : format(warning);
  };
  return {
    write(lines) {
      output.write(lines.trimEnd().split('\n').map(readable).join(''));
    },
  };
}

/**
 * Puts the reason of a warning into its line, and leaves the stack of the error out. A stack is for whoever
 * mends the code, and a warning is about something else, such as a lost database.
 */
function inOneLine({ err, ...line }: Line): Line & { readonly msg: string } {
  // Several addresses that refuse a connection are an error without a message.
  const reason = typeof err === 'object' ? err.message || err.code || err.name : err;
  return { ...line, msg: `${line.msg}: ${reason}` };
}

/**
 * An outage fails every request, and the log has a line of it each second. At a terminal, these lines would
 * push away what a person wants to read, so a warning is shown once, until it has not come for a while.
 *
 * @returns whether the same warning came within `repeatMs`
 */
function watchRepeats(): (warning: string) => boolean {
  const lastSeen = new Map<string, number>();
  return (warning) => {
    const now = performance.now();
    for (const [one, seen] of lastSeen) if (now - seen > repeatMs) lastSeen.delete(one);
    const isRepeated = lastSeen.has(warning);
    lastSeen.set(warning, now);
    return isRepeated;
  };
}

function harmless(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replace(controlCharacters, '\ufffd') : value;
}
