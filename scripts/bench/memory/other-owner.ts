import { unusedIds } from '../load.js';
import { type Answer, createRequest, sendOnNewConnection } from '../shares/connection.js';
import { atSteadyRate } from '../shares/steady-rate.js';

const perSecond = 10;
/** The status of a create whose connection broke, or was silent for too long. */
const unanswered = 0;

/** What another owner got, as shares in percent. */
export interface Service {
  readonly carriedOut: number;
  /** Carried out, or refused by a 503. */
  readonly answered: number;
  /** Milliseconds from the connect to an answer, or to a failure. */
  readonly longest: number;
}

/** An owner who creates plants at a steady rate until the signal, each over a connection of its own. */
export async function createBeside(address: string, token: string, end: AbortSignal): Promise<Service> {
  const { host } = new URL(address);
  const firstId = unusedIds();
  const create = async (number: number): Promise<Answer> => {
    const begin = performance.now();
    // A service that was ended does not answer: that counts, and does not end the benchmark.
    const status = await sendOnNewConnection(address, createRequest(host, token, firstId + number)).then(
      (answer) => answer.status,
      () => unanswered,
    );
    return { status, ms: performance.now() - begin };
  };
  const answers = await atSteadyRate({ perSecond, seconds: Number.POSITIVE_INFINITY, end }, create);
  const share = (...wanted: readonly number[]) =>
    (answers.filter(({ status }) => wanted.includes(status)).length / answers.length) * 100;
  return {
    ...{ carriedOut: share(200), answered: share(200, 503) },
    longest: Math.max(...answers.map(({ ms }) => ms)),
  };
}
