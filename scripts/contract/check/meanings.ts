/** The meanings of all operations of a contract: of its resources, and of operations outside any. */
import type { Operation } from './description.js';
import type { Focus, Meaning, OwnTarget, Prepared, Purpose } from './meaning.js';
import { plantsMeaning } from './plants/meaning.js';
import type { RequestValues } from './request.js';
import { type ClientOptions, ResourceClient } from './resources/client.js';
import { idsFor } from './resources/ids.js';
import { ResourceMeaning } from './resources/meaning.js';
import type { Owner } from './resources/own-items.js';
import { resourcesOf } from './resources/shape.js';
import { isSafe } from './run.js';

export function meaningOf(options: ClientOptions): Meaning {
  const owners = (['first', 'second'] as const).filter((owner) => options.tokens[owner] !== undefined);
  // Without security, all requests come from one owner.
  const known: readonly Owner[] = owners.length === 0 ? ['first'] : owners;
  const parts = resourcesOf(options.description).map(
    (resource) =>
      plantsMeaning(resource, options, known) ??
      new ResourceMeaning(new ResourceClient(resource, options), known.slice(0, 1)),
  );
  return new Meanings(parts);
}

/** A random id out of this many belongs to nobody. */
const unguessable = 2n ** 53n;

class Meanings implements Meaning {
  readonly #parts: readonly ResourceMeaning[];

  constructor(parts: readonly ResourceMeaning[]) {
    this.#parts = parts;
  }

  get strictJson(): boolean {
    return this.#parts.some(({ strictJson }) => strictJson);
  }

  get trials(): Meaning['trials'] {
    return this.#parts.flatMap(({ trials }) => trials);
  }

  get probes(): Meaning['probes'] {
    return this.#parts.flatMap(({ probes }) => probes);
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
    return { values: { ...values, path: { ...values.path, ...nobodysPath(operation), ...own?.path } } };
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
      return part.client.knowsOwn ? undefined : 'there are so few ids that any may be somebody else’s';
    }
    const { path, method } = operation;
    if (isSafe(operation) || (method === 'POST' && !path.includes('{'))) return undefined;
    const belowOwn = this.#parts.some(({ client }) => path.startsWith(`${client.resource.itemPath}/`));
    if (belowOwn || Object.keys(nobodysPath(operation, unguessable)).length > 0) return undefined;
    return 'it may change what somebody else has: the document does not say how to make, and know again, what it works on';
  }

  async cleanUp(): Promise<readonly string[]> {
    const left = await Promise.all(this.#parts.map((part) => part.cleanUp()));
    return left.flat();
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
