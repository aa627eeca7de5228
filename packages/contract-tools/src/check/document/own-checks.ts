/**
 * Checks of the user's own: functions that a module exports, which the line `checks` of the file of rules names. Each is
 * asked about every answer to a request of an operation, and says in a sentence what is wrong with it. What it says is a
 * finding, whose rule is the name of the function: `totalIsTheSum` becomes "total is the sum".
 *
 * A module runs as the user who starts the check (../answers/own-checks.ts).
 */
import { dirname, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { memberAt } from '../../../../exact-json/index.js';
import { CannotCheckError } from './cannot-check.js';

/** What was called. */
export interface CheckedOperation {
  readonly id: string;
  readonly method: string;
  /** The path as the document has it: `/orders/{order}`. */
  readonly path: string;
}

export interface CheckedRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** The last value of each header, by its name in small letters. The credentials are not among them. */
  readonly headers: Readonly<Record<string, string>>;
  /** What `JSON.parse` makes of the body; undefined if it is not JSON. */
  readonly body: unknown;
}

export interface CheckedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Sends further requests to the server, with the credentials of the request that was answered. */
export interface CheckClient {
  /** @param body is sent as JSON */
  send(method: string, target: string, body?: unknown): Promise<CheckedAnswer>;
}

/** @returns what is wrong, as a sentence; nothing if all is well */
export type OwnCheck = (
  operation: CheckedOperation,
  request: CheckedRequest,
  answer: CheckedAnswer,
  client: CheckClient,
) => string | undefined | Promise<string | undefined>;

export interface NamedCheck {
  readonly name: string;
  /** The module, as a message names it. */
  readonly file: string;
  readonly check: OwnCheck;
}

/**
 * Loads the checks of a module.
 *
 * @param name as the file of rules has it
 * @throws {CannotCheckError} if it cannot be loaded, or exports something that is not a function
 */
export async function loadChecks(name: string, rulesFile: string): Promise<readonly NamedCheck[]> {
  const path = resolve(dirname(rulesFile), name);
  const file = relative(process.cwd(), path);
  const refuse = (error: unknown): never => {
    throw new CannotCheckError(
      `${file}, the checks of ${relative(process.cwd(), rulesFile)}, ${wordsFor(error)}.`,
    );
  };
  const module: unknown = await import(pathToFileURL(path).href).catch(refuse);
  const exported = Object.entries(typeof module === 'object' && module !== null ? module : {});
  const other = exported.find(([, value]) => typeof value !== 'function');
  if (exported.length === 0 || other !== undefined) {
    const what = other === undefined ? 'nothing' : `"${other[0]}", which is not a function`;
    return refuse(new Error(`it exports ${what}: export functions of (operation, request, answer, client)`));
  }
  return exported.map(([exportedAs, check]) => ({ name: inWords(exportedAs), file, check }));
}

function wordsFor(error: unknown): string {
  if (memberAt(error, 'code') === 'ERR_UNKNOWN_FILE_EXTENSION')
    return 'cannot be loaded, because this version of Node.js does not read TypeScript: write a module of JavaScript, or use Node.js 22.18 or later';
  return `cannot be loaded (${error instanceof Error ? error.message : String(error)})`;
}

/** `totalIsTheSum` becomes "total is the sum". */
function inWords(name: string): string {
  return name.replaceAll(/_|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, ' ').toLowerCase();
}
