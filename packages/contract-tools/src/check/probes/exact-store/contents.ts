/**
 * Makes contents of one item that differ as little as possible: in one member, by one value. A server that
 * compares or stores only some members shows it by taking one content for another. A plant's contents are
 * number 0 without a tag, number 1 with an empty tag, and number 2 with the tag "a".
 */

import type { Value } from '../../../values/json.js';
import { layersOf } from '../../../values/layers.js';
import type { ResourceClient } from '../../resources/client.js';
import type { Content } from '../../resources/content.js';
import { boundaryValues } from '../../values/boundary-values.js';
import { sameScalar } from '../../values/compare.js';

export class Contents {
  readonly #client: ResourceClient;
  readonly #plain: Content;
  /** Each content but the plainest one has a member that differs: its name and its value. */
  readonly #changes: readonly (readonly [name: string, value: Value])[];

  constructor(client: ResourceClient) {
    this.#client = client;
    this.#plain = client.plainContent('');
    const marker = client.markers.of(this.#plain) ?? '';
    const { members } = client.resource;
    const marked = members.find(({ name }) => this.#plain[name] === marker);
    const others = members.filter((member) => member !== marked);
    this.#changes = others.flatMap(({ name, schemas }) =>
      distinct(
        [this.#plain[name] ?? null, ...boundaryValues(schemas).map(({ value }) => value)],
        (one, other) => sameScalar(schemas.flatMap(layersOf), one, other),
      )
        .slice(1, 3)
        .map((value) => [name, value] as const),
    );
  }

  get count(): number {
    return 1 + this.#changes.length;
  }

  /** The content of this number, with this marker; the plainest is number 0. */
  of(number: number, marker: string): Content {
    const plain = this.#client.markers.put(this.#plain, marker);
    const change = this.#changes[number - 1];
    return change === undefined ? plain : { ...plain, [change[0]]: change[1] };
  }
}

function distinct(values: readonly Value[], same: (one: Value, other: Value) => boolean): Value[] {
  return values.filter((value, index) => values.findIndex((other) => same(other, value)) === index);
}
