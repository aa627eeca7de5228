/** Whether a load of the memory measure is what its title says. */
import { FailedLoadError } from '../load.js';
import type { Answer } from '../shares/connection.js';

/** What became of a load; NaN if it does not wait for answers, or reads no long lists. */
export interface Outcome {
  /** With the status that the load shall get. */
  readonly answers: number;
  /** By a 503. */
  readonly refused: number;
  /** Lists that the service was still sending at the end. */
  readonly longLists: number;
}

export const unknown: Outcome = { answers: Number.NaN, refused: Number.NaN, longLists: Number.NaN };

/** @throws {FailedLoadError} if there is none of this status, or one that has neither this status nor 503 */
export function countAnswers(answers: readonly Answer[], wanted: number): Outcome {
  const having = (status: number) => answers.filter((one) => one.status === status).length;
  const [right, refused] = [having(wanted), having(503)];
  if (right === 0 || right + refused < answers.length) {
    throw new FailedLoadError(
      `Of ${answers.length} answers, ${right} had the status ${wanted}, and ${refused} were refused.`,
    );
  }
  return { ...unknown, answers: right, refused };
}

/** @throws {FailedLoadError} if the list has another number of plants */
export async function checkList(url: string, token: string, plants: number): Promise<void> {
  const { status, text } = await get(url, { Authorization: `Bearer ${token}` });
  const list: unknown = status === 200 ? JSON.parse(text) : undefined;
  if (Array.isArray(list) && list.length === plants) return;
  throw new FailedLoadError(
    `A list of ${plants} plants was answered by ${status} and ${text.length} characters.`,
  );
}

/** @throws {FailedLoadError} if no list is under way: the service then holds nothing of them */
export async function countLongLists(adminAddress: string): Promise<Outcome> {
  const { text } = await get(`${adminAddress}/metrics`);
  const longLists = Number(/^plant_store_long_lists ([0-9]+)$/m.exec(text)?.[1]);
  if (longLists > 0) return { ...unknown, longLists };
  throw new FailedLoadError('No long list was still being read at the end: make the lists longer.');
}

/** @throws {FailedLoadError} also if the service was ended */
async function get(url: string, headers: Record<string, string> = {}) {
  try {
    const response = await fetch(url, { headers });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    throw new FailedLoadError(`${url} was not answered: ${error instanceof Error ? error.message : error}`);
  }
}
