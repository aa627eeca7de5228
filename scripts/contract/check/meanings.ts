/** The meanings of all operations of a contract: of its resources, and of operations outside any. */
import type { Operation } from './description.js';
import { exactStoreMeaning } from './exact-store/meaning.js';
import { isObject, sameValue, type Value } from './json.js';
import type { Focus, Meaning, OwnTarget, Prepared, Purpose } from './meaning.js';
import { plainRequest } from './plain-request.js';
import { reachOperation } from './reach-operation.js';
import type { RequestValues } from './request.js';
import { type ClientOptions, ResourceClient, tooFewIds } from './resources/client.js';
import { idsFor } from './resources/ids.js';
import { ResourceMeaning } from './resources/meaning.js';
import type { Owner } from './resources/own-items.js';
import { relationsOf } from './resources/relations.js';
import { resourcesOf } from './resources/shape.js';
import { isSafe } from './run.js';

export function meaningOf(options: ClientOptions): Meaning {
  const owners = (['first', 'second'] as const).filter((owner) => options.tokens[owner] !== undefined);
  // Without security, all requests come from one owner.
  const known: readonly Owner[] = owners.length === 0 ? ['first'] : owners;
  const resources = resourcesOf(options.description);
  const parts = resources.map(
    (resource) =>
      exactStoreMeaning(resource, resources, options, known) ??
      new ResourceMeaning(
        new ResourceClient(resource, options),
        known.slice(0, 1),
        resource.create.secured ? known : known.slice(0, 1),
      ),
  );
  for (const { client } of parts) {
    const needs = relationsOf(client.resource, resources).flatMap((relation) => {
      const target = parts.find((part) => part.client.resource === relation.target)?.client.surroundings;
      return target === undefined ? [] : [{ relation, target }];
    });
    client.surroundings.relate(needs);
  }
  return new Meanings(needsFirst(parts), options);
}

/** Each resource after those that it refers to; where two refer to each other, in the document's order. */
function needsFirst(parts: readonly ResourceMeaning[]): ResourceMeaning[] {
  const sorted: ResourceMeaning[] = [];
  let waiting = [...parts];
  while (waiting.length > 0) {
    const isReady = ({ client }: ResourceMeaning): boolean =>
      client.surroundings.needs.every(({ target }) =>
        sorted.some((part) => part.client.surroundings === target),
      );
    const next = waiting.find(isReady) ?? waiting[0];
    sorted.push(...waiting.filter((part) => part === next));
    waiting = waiting.filter((part) => part !== next);
  }
  return sorted;
}

/** A random id out of this many belongs to nobody. */
const unguessable = 2n ** 53n;

class Meanings implements Meaning {
  readonly #parts: readonly ResourceMeaning[];
  readonly #options: ClientOptions;
  /** Requests of operations outside any collection that succeed where the plainest one does not. */
  readonly #bases = new Map<Operation, RequestValues>();

  constructor(parts: readonly ResourceMeaning[], options: ClientOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  get clients(): ResourceClient[] {
    return this.#parts.map(({ client }) => client);
  }

  get trials(): Meaning['trials'] {
    return this.#parts.flatMap(({ trials }) => trials);
  }

  get earlyProbes(): Meaning['earlyProbes'] {
    return this.#parts.flatMap(({ earlyProbes }) => earlyProbes);
  }

  get probes(): Meaning['probes'] {
    return this.#parts.flatMap(({ probes }) => probes);
  }

  async ready(): Promise<void> {
    for (const part of this.#parts) await part.ready();
    const { description, exchange, recorder, tokens } = this.#options;
    if (description.rules.on.has('valid-requests-succeed')) return;
    const prepare: Parameters<typeof reachOperation>[0]['prepare'] = (operation, values) =>
      this.prepare(operation, values, 'accepted');
    for (const operation of description.operations) {
      if (this.#partOf(operation) !== undefined) continue;
      const values = await reachOperation({ exchange, recorder, token: tokens.first, prepare }, operation);
      if (values === undefined) continue;
      this.#bases.set(operation, values);
      recorder.note(
        `${operation.id} was tried with the document's examples, because it did not take the plainest request.`,
      );
    }
  }

  baseOf(operation: Operation): RequestValues {
    return this.#bases.get(operation) ?? plainRequest(operation);
  }

  isChoosy(operation: Operation, focus: Focus): boolean {
    const known = this.#partOf(operation);
    if (known !== undefined) return known.isChoosy(operation, focus);
    const { part, where } = focus;
    const member = where.split('/')[1] ?? '';
    const [tried, plain] = [this.baseOf(operation), plainRequest(operation)];
    const valueIn = ({ body }: RequestValues): Value => (isObject(body) ? (body[member] ?? null) : null);
    return part === 'body' && !sameValue(valueIn(tried), valueIn(plain));
  }

  async prepare(
    operation: Operation,
    values: RequestValues,
    purpose: Purpose,
    focus?: Focus,
  ): Promise<Prepared | undefined> {
    const part = this.#partOf(operation);
    if (part !== undefined) return part.prepare(operation, values, purpose, focus);
    if (purpose === 'accepted' && this.obstacle(operation) !== undefined) return undefined;
    const own = await this.ownItem(operation.path);
    const tried = focus?.part === 'path' ? { [focus.where]: values.path[focus.where] ?? '' } : {};
    // Reading changes nothing, whoever has what is there.
    const path = isSafe(operation)
      ? { ...values.path, ...own?.path, ...tried }
      : { ...values.path, ...nobodysPath(operation), ...own?.path };
    return { values: { ...values, path } };
  }

  async ownItem(path: string): Promise<OwnTarget | undefined> {
    for (const part of this.#parts) {
      const target = await part.ownItem(path);
      if (target !== undefined) return target;
    }
    return undefined;
  }

  obstacle(operation: Operation): string | undefined {
    const part = this.#partOf(operation);
    if (part !== undefined) {
      return part.client.knowsOwn ? part.obstacle() : tooFewIds;
    }
    const { path, method } = operation;
    if (isSafe(operation) || (method === 'POST' && !path.includes('{'))) return undefined;
    const belowOwn = this.#parts.some(({ client }) => path.startsWith(`${client.resource.itemPath}/`));
    if (belowOwn || Object.keys(nobodysPath(operation, unguessable)).length > 0) return undefined;
    return 'it may change what somebody else has: the document does not say how to make, and know again, what it works on';
  }

  async cleanUp(): Promise<readonly string[]> {
    const left: string[] = [];
    // What refers to others goes first: some servers keep what is referred to.
    for (const part of this.#parts.toReversed()) left.push(...(await part.cleanUp()));
    return left;
  }

  #partOf(operation: Operation): ResourceMeaning | undefined {
    return this.#parts.find(({ operations }) => operations.some(({ id }) => id === operation.id));
  }
}

/** Random values for parameters of the path, except if there are so few that somebody may have any. */
function nobodysPath({ parameters }: Operation, room?: bigint): RequestValues['path'] {
  const values = parameters
    .filter((parameter) => parameter.in === 'path')
    .flatMap(({ name, schema }) => {
      const ids = idsFor(schema, room);
      return ids === undefined ? [] : [[name, String(ids.fresh())] as const];
    });
  return Object.fromEntries(values);
}
