/**
 * Sends the requests of one client over one connection, and says what came back, and whether the contract has
 * such an answer. It never rejects: a request without a whole answer is an outcome like any other here.
 */

import type { Answer } from '../../../contract-tools/base.js';
import {
  brief,
  checkAnswer,
  type Description,
  type Request,
  written,
} from '../../../contract-tools/check.js';
import { bearer, type Credential, type Operation, present } from '../../../contract-tools/index.js';
import { Client as HttpClient } from '../../../kit/index.js';
import type { Item } from './items.js';
import type { Subject } from './subject.js';

/** What became of a request. */
export interface Reply {
  readonly method: string;
  /** The times of the request and of its end in milliseconds, by `performance.now()`. */
  readonly begin: number;
  readonly end: number;
  /** It is missing if none came whole: nobody knows whether the request was carried out. */
  readonly answer?: Answer;
  /** A sentence for each way in which the answer breaks the contract. */
  readonly breaches: readonly string[];
}

export class Client {
  readonly subject: Subject;
  readonly #http: HttpClient;
  readonly #description: Description;

  constructor(url: URL, description: Description, subject: Subject) {
    this.subject = subject;
    this.#http = new HttpClient(url);
    this.#description = description;
  }

  create(token: Credential, id: bigint, item: Item): Promise<Reply> {
    const { operations, path, json } = this.subject;
    const body = Buffer.from(json(id, item));
    return this.#send(operations.create, {
      ...{ method: 'POST', target: path, body, credentials: [present(bearer, token)] },
      headers: [['Content-Type', 'application/json']],
    });
  }

  delete(token: Credential, id: bigint): Promise<Reply> {
    const { operations, path } = this.subject;
    return this.#send(operations.delete, {
      ...{ method: 'DELETE', target: `${path}/${id}`, headers: [], credentials: [present(bearer, token)] },
    });
  }

  list(token: Credential, limit?: number): Promise<Reply> {
    const { operations, path } = this.subject;
    const target = limit === undefined ? path : `${path}?limit=${limit}`;
    return this.#send(operations.list, {
      method: 'GET',
      target,
      headers: [],
      credentials: [present(bearer, token)],
    });
  }

  close(): void {
    this.#http.close();
  }

  async #send(id: string, request: Request): Promise<Reply> {
    const { method } = request;
    const begin = performance.now();
    try {
      const answer = await this.#http.ask(written(request));
      const end = performance.now();
      const breaches = checkAnswer(this.#description, this.#operation(id), answer);
      return {
        method,
        begin,
        end,
        answer,
        breaches: breaches.map(({ rule }) => `${id}: ${rule}: ${brief(answer)}`),
      };
    } catch {
      // The connection was refused, reset, cut in the middle, or silent for too long.
      return { method, begin, end: performance.now(), breaches: [] };
    }
  }

  #operation(id: string): Operation {
    const operation = this.#description.operations.find((one) => one.id === id);
    if (operation === undefined) throw new Error(`The contract has no operation ${id}.`);
    return operation;
  }
}
