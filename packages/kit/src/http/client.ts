/** Sends one request after the other, on one connection until that ends, and then on the next one. */
import { type Answer, Connection, type Request } from '../../../contract-tools/base.js';

export class Client {
  readonly #url: URL;
  #connection: Connection | undefined;

  constructor(url: URL) {
    this.#url = url;
  }

  /**
   * @throws {UnreachableError} if it cannot connect
   * @throws {Error} if no whole answer comes; the message says why
   */
  async ask(request: Request): Promise<Answer> {
    try {
      if (this.#connection?.open !== true) {
        this.close();
        this.#connection = await Connection.open(this.#url);
      }
      const answer = await this.#connection.exchange(request, this.#url);
      if (!answer.reusable) this.close();
      return answer;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}
