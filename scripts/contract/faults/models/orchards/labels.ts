/** Labels are sent and shown in a member "data". */
import type { Value } from '../../../check/json.js';
import {
  type Answered,
  type Asked,
  type Grounds,
  type Handler,
  type Item,
  isText,
  known,
  knownQuery,
  Refusal,
  require,
} from './values.js';

type Content = Readonly<Record<string, Value>>;

export class Labels {
  readonly #labels = new Map<string, Item>();
  readonly #grounds: Grounds;

  readonly handlers: Readonly<Record<string, Handler>> = {
    'POST labels 1': (asked) => this.#addLabel(asked),
    'GET labels 1': (asked) => this.#listLabels(asked),
    'GET labels 2': (asked) => this.#getLabel(asked),
    'PATCH labels 2': (asked) => this.#changeLabel(asked),
    'DELETE labels 2': (asked) => this.#removeLabel(asked),
  };

  constructor(grounds: Grounds) {
    this.#grounds = grounds;
  }

  #addLabel({ owner, body }: Asked): Answered {
    const content = this.#contentOf(body);
    require(content['text'] !== undefined);
    const gid = this.#grounds.nextId();
    const { ink, ...others } = content;
    const kept = this.#grounds.has('a label forgets its ink') || ink === undefined ? others : content;
    this.#labels.set(gid, { owner, value: { ...kept, gid } });
    return this.#shown(201, gid);
  }

  #contentOf(body: Value): Content {
    const { data = null } = known(body, ['data']);
    const content = known(data, ['text', 'ink']);
    const longest = this.#grounds.has('a label takes one character more') ? 31 : 30;
    if (content['text'] !== undefined) require(isText(content['text'], 1, longest));
    if (content['ink'] !== undefined) require(content['ink'] === 'black' || content['ink'] === 'blue');
    return content;
  }

  #shown(status: number, gid: string): Answered {
    const { value = {} } = this.#labels.get(gid) ?? {};
    const { text, ...untold } = value;
    const isUntold = status === 201 && this.#grounds.has('a new label is shown without its text');
    return { status, body: { data: isUntold ? untold : value } };
  }

  #label({ owner, path: [, gid = ''] }: Asked): Item {
    const found = this.#labels.get(gid);
    const isLeak = this.#grounds.has('another owner reads a label');
    if (found === undefined || (found.owner !== owner && !isLeak)) throw new Refusal(404);
    return found;
  }

  #listLabels({ owner, query }: Asked): Answered {
    knownQuery(query, []);
    const own = [...this.#labels.values()].filter((item) => item.owner === owner);
    return { status: 200, body: { data: own.map(({ value }) => value) } };
  }

  #getLabel(asked: Asked): Answered {
    return { status: 200, body: { data: this.#label(asked).value } };
  }

  #changeLabel(asked: Asked): Answered {
    const content = this.#contentOf(asked.body);
    const { owner, value } = this.#label(asked);
    if (owner !== asked.owner) throw new Refusal(404);
    const gid = String(value['gid']);
    if (!this.#grounds.has('a change of a label changes nothing')) {
      this.#labels.set(gid, { owner, value: { ...value, ...content } });
    }
    return { status: 200, body: { data: { ...value, ...content } } };
  }

  #removeLabel(asked: Asked): Answered {
    const { owner, value } = this.#label(asked);
    if (owner !== asked.owner) throw new Refusal(404);
    if (!this.#grounds.has('a removed label stays')) this.#labels.delete(String(value['gid']));
    return { status: 204 };
  }
}
