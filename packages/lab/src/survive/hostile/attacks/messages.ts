/** Attacks with messages that are not HTTP/1.1, or whose end cannot be found or trusted. */
import { sendBytes } from '../../../../../kit/index.js';
import type { Attack } from '../attack.js';
import { headOf, statusesOf, toWords } from '../exchange.js';
import { urlOf } from '../request.js';
import type { Attacker } from '../target.js';

const patienceMs = 40_000;
/** The service promises one of these answers before it closes the connection. */
interface Promised {
  readonly status: number;
  readonly withinMs: number;
}

const badRequest = { status: 400, withinMs: 2_000 };
/** The beginning of the preface of HTTP/2 counts as that of a header, which must arrive within 10 s. */
const lateHeader = { status: 408, withinMs: 15_000 };

export const messageAttacks: readonly Attack[] = [
  message('`PLAY /x RTSP/1.0`', badRequest, () => 'PLAY /x RTSP/1.0\r\nCSeq: 1\r\n\r\n'),
  message('`PRI /x HTTP/2.0`', lateHeader, () => 'PRI /x HTTP/2.0\r\n\r\n'),
  message('the preface of HTTP/2', badRequest, () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0'),
  message('a broken chunk', badRequest, (owner) => {
    const body = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
    return `${headOf('POST /plants HTTP/1.1', owner, ...body)}\r\nzz\r\n`;
  }),
  message('HTTP/1.0, kept alive, with `Transfer-Encoding`', { status: 200, withinMs: 2_000 }, (owner) => {
    const headers = ['Connection: keep-alive', 'Transfer-Encoding: chunked'];
    return `${headOf('GET /plants HTTP/1.0', owner, ...headers)}\r\n0\r\n\r\n`;
  }),
];

function message(name: string, { status, withinMs }: Promised, bytesOf: (owner: Attacker) => string): Attack {
  return {
    name,
    promise: `${status}, and the end of the connection, within ${withinMs / 1_000} s`,
    async carryOut({ port, attacker }) {
      const ending = await sendBytes(urlOf(port), [bytesOf(attacker)], { finish: 'wait', patienceMs });
      const isAsPromised =
        statusesOf(ending).join() === String(status) &&
        ending.end === 'closed' &&
        ending.durationMs < withinMs;
      return { saw: toWords(ending), isAsPromised };
    },
  };
}
