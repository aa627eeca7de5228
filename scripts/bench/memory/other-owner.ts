import { setTimeout as pause } from 'node:timers/promises';
import { unusedIds } from '../load.js';
import { type Answer, Connection, createRequest } from '../shares/connection.js';

const pauseMs = 100;

export interface Service {
  /** The share of the creates that were carried out, in percent. */
  readonly answered: number;
  /** Milliseconds. */
  readonly longest: number;
}

/** An owner who creates one plant after the other, over one connection, until the signal. */
export async function createBeside(address: string, token: string, end: AbortSignal): Promise<Service> {
  const connection = await Connection.open(address);
  const { host } = new URL(address);
  const answers: Answer[] = [];
  for (let id = unusedIds(); !end.aborted; id++) {
    // A service that was ended does not answer: that counts, and does not end the benchmark.
    const answer = await connection.ask(createRequest(host, token, id)).catch(() => undefined);
    answers.push(answer ?? { status: 0, ms: 0 });
    await pause(pauseMs, undefined, { signal: end }).catch(() => {});
  }
  connection.close();
  const served = answers.filter(({ status }) => status === 200).length;
  return {
    answered: (served / answers.length) * 100,
    longest: Math.max(...answers.map(({ ms }) => ms)),
  };
}
