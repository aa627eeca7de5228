/** Knows by which ids the items of one collection are told apart, and where a text or a value has the id. */
import type { Resource } from '../../resources/shape.js';
import { memberOf, type Value } from '../../values/json.js';
import { readText } from '../values/parameter-text.js';
import { edgesOf, type Id, type Ids, idsFor, unguessableIds } from './ids.js';

/** This is why nothing of a resource is tried if `knowsOwn` is false. */
export const tooFewIds = 'there are so few ids that any may be somebody else’s';

export class Identity {
  /** The ids that are free; undefined if the server chooses ids, or if any of the few may be somebody's. */
  readonly ids: Ids | undefined;
  /** The least and the greatest ids; others may have items there. */
  readonly edges: readonly Id[];
  /** The names of the id's member in answers that show it. */
  readonly names: readonly string[];
  readonly #resource: Resource;

  constructor(resource: Resource) {
    const { id, parameter } = resource;
    this.#resource = resource;
    // A PUT would replace what somebody else has under a short name.
    this.ids =
      id.in === 'path'
        ? unguessableIds(parameter.schema)
        : id.in === 'request'
          ? idsFor(parameter.schema)
          : undefined;
    this.edges = edgesOf(parameter.schema);
    this.names = id.in === 'location' ? [parameter.name, 'id'] : [id.member];
  }

  /** Whether the checker can make items of its own and recognize them. */
  get knowsOwn(): boolean {
    const { in: place } = this.#resource.id;
    return (place !== 'request' && place !== 'path') || this.ids !== undefined;
  }

  /** The id that a text in the path means. */
  idOf(text: string): Id | undefined {
    const value = readText(this.#resource.parameter.schema, text);
    return text !== '' && (typeof value === 'bigint' || typeof value === 'string') ? value : undefined;
  }

  /** The id in an answer, which may show the integer of the path as a text, and the other way round. */
  idIn(value: Value | undefined, member: string): Id | undefined {
    const id = memberOf(value, member);
    return typeof id === 'bigint' || typeof id === 'string' ? this.idOf(String(id)) : undefined;
  }

  /** The id that an item shows under any of its names. */
  shownBy(item: Value): Id | undefined {
    return this.names.map((name) => this.idIn(item, name)).find((found) => found !== undefined);
  }
}
