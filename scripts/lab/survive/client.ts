/** One keep-alive connection: what each request was answered, and whether the contract has such an answer. */
import type { Answer } from '../../contract/check/answer-reader.js';
import { brief, checkAnswer } from '../../contract/check/answers.js';
import { Connection } from '../../contract/check/connection.js';
import type { Description, Operation } from '../../contract/check/description.js';
import { bearer, type Credential, type Request } from '../../contract/check/request.js';
import { newPlantText } from '../../kit/plants.js';
import type { Plant } from './plants.js';

/** `answer` is missing if none came whole: nobody knows whether the request was carried out. */
export interface Reply {
  readonly method: string;
  readonly begin: number;
  readonly end: number;
  readonly answer?: Answer;
  /** In which ways the answer breaks the contract. */
  readonly breaches: readonly string[];
}

export class Client {
  readonly #url: URL;
  readonly #description: Description;
  #connection: Connection | undefined;

  constructor(url: URL, description: Description) {
    this.#url = url;
    this.#description = description;
  }

  create(token: Credential, id: bigint, { name, tag }: Plant): Promise<Reply> {
    const body = Buffer.from(newPlantText({ id, name, tag }));
    return this.#send('createPlant', {
      ...{ method: 'POST', target: '/plants', body, authorization: bearer(token) },
      headers: [['Content-Type', 'application/json']],
    });
  }

  delete(token: Credential, id: bigint): Promise<Reply> {
    return this.#send('deletePlant', {
      ...{ method: 'DELETE', target: `/plants/${id}`, headers: [], authorization: bearer(token) },
    });
  }

  list(token: Credential, limit?: number): Promise<Reply> {
    const target = limit === undefined ? '/plants' : `/plants?limit=${limit}`;
    return this.#send('listPlants', { method: 'GET', target, headers: [], authorization: bearer(token) });
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  async #send(id: string, request: Request): Promise<Reply> {
    const { method } = request;
    const begin = performance.now();
    try {
      if (this.#connection?.open !== true) {
        this.close();
        this.#connection = await Connection.open(this.#url);
      }
      const answer = await this.#connection.exchange(request, this.#url);
      const end = performance.now();
      if (!answer.reusable) this.close();
      const breaches = checkAnswer(this.#description, this.#operation(id), answer);
      return {
        method,
        begin,
        end,
        answer,
        breaches: breaches.map(({ rule }) => `${id}: ${rule}: ${brief(answer)}`),
      };
    } catch {
      // Refused, reset, cut in the middle, or silent for too long.
      this.close();
      return { method, begin, end: performance.now(), breaches: [] };
    }
  }

  #operation(id: string): Operation {
    const operation = this.#description.operations.find((one) => one.id === id);
    if (operation === undefined) throw new Error(`The contract has no operation ${id}.`);
    return operation;
  }
}
