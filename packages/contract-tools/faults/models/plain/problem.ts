/** Failures of the plain servers: RFC 9457. */
import { STATUS_CODES } from 'node:http';

/** The request is answered with this status and a body of `application/problem+json`. */
export class Problem extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.status = status;
    this.headers = headers;
  }

  toJSON(): object {
    return { title: STATUS_CODES[this.status], status: this.status, detail: this.message };
  }
}

/** @throws {Problem} with 422, if something is wrong with a body */
export function refuseIf(wrong: string | undefined): void {
  if (wrong !== undefined) throw new Problem(422, `The body does not fit: ${wrong}.`);
}
