import type { Answer } from '../answer-reader.js';
import { noAnswer } from '../attempt.js';
import type { Description, Operation } from '../description.js';
import { type Exchange, Silence } from '../exchange.js';
import { accepted, judge } from '../expectations.js';
import type { Breach, Step } from '../findings.js';
import { isArray, isObject, readJson, type Value } from '../json.js';
import { type Credential, type RequestValues, requestFor } from '../request.js';
import type { Content, Owner } from './own-plants.js';

/** The names by which the contract's operations are known here; all else about them is the YAML's. */
export interface PlantOperations {
  readonly create: Operation;
  readonly list: Operation;
  readonly remove: Operation;
}

/** @returns undefined where the contract is about something else */
export function plantOperations({ operations }: Description): PlantOperations | undefined {
  const [create, list, remove] = ['createPlant', 'listPlants', 'deletePlant'].map((id) =>
    operations.find((operation) => operation.id === id),
  );
  return create && list && remove && { create, list, remove };
}

export interface ClientOptions {
  readonly description: Description;
  readonly exchange: Exchange;
  readonly operations: PlantOperations;
  readonly tokens: Readonly<Record<Owner, Credential | undefined>>;
}

/** One call, and all in which its answer breaks the document. */
export interface Call extends Step {
  readonly status: number | undefined;
  readonly breaches: readonly Breach[];
}

export class PlantsClient {
  readonly operations: PlantOperations;
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.operations = options.operations;
    this.#options = options;
  }

  create(owner: Owner, id: bigint, content: Content, statuses: readonly number[]): Promise<Call> {
    return this.#call(owner, this.operations.create, { body: { id, ...content } }, statuses);
  }

  remove(owner: Owner, id: bigint, statuses: readonly number[]): Promise<Call> {
    return this.#call(owner, this.operations.remove, { path: { id: String(id) } }, statuses);
  }

  list(owner: Owner, limit?: number): Promise<Call> {
    const query = limit === undefined ? {} : { limit: String(limit) };
    return this.#call(owner, this.operations.list, { query }, [200]);
  }

  async #call(
    owner: Owner,
    operation: Operation,
    values: Partial<RequestValues>,
    statuses: readonly number[],
  ): Promise<Call> {
    const { description, exchange, tokens } = this.#options;
    const all = { path: {}, query: {}, headers: {}, body: undefined, ...values };
    const request = requestFor(operation, all, tokens[owner]);
    const outcome = await exchange.send(request);
    if (outcome instanceof Silence) {
      return { request, outcome, status: undefined, breaches: [noAnswer(operation, outcome.reason)] };
    }
    const breaches = judge(description, operation, accepted(operation, statuses), outcome);
    return { request, outcome, status: outcome.status, breaches };
  }
}

/** The plants of a list whose answer fits the document. */
export function plantsOf({ outcome }: Step): Content[] {
  if (outcome instanceof Silence) return [];
  const body = bodyOf(outcome);
  return isArray(body) ? body.flatMap((item) => contentOf(item) ?? []) : [];
}

export function bodyOf({ body }: Answer): Value {
  try {
    return readJson(body);
  } catch {
    // Whatever is no JSON was found by the document's check.
    return null;
  }
}

export function contentOf(value: Value | undefined): Content | undefined {
  if (!isObject(value)) return undefined;
  const { name, tag } = { name: value['name'], tag: value['tag'] };
  if (typeof name !== 'string') return undefined;
  return typeof tag === 'string' ? { name, tag } : { name };
}

export function sameContent(a: Content, b: Content): boolean {
  return a.name === b.name && a.tag === b.tag;
}
