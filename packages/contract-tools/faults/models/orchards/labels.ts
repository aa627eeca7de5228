/** Labels are sent and shown in a member "data" (../../../resources/wrapper.ts). */

import type { Value } from '../../../src/values/json.js';
import { type Answered, type Asked, Collection, type Handler } from './collection.js';
import { isText, known, knownQuery, require } from './values.js';

type Content = Readonly<Record<string, Value>>;

export class Labels extends Collection {
  readonly handlers: Readonly<Record<string, Handler>> = {
    'POST labels 1': (asked) => this.#addLabel(asked),
    'GET labels 1': (asked) => this.#listLabels(asked),
    'GET labels 2': (asked) => this.#getLabel(asked),
    'PATCH labels 2': (asked) => this.#changeLabel(asked),
    'DELETE labels 2': (asked) => this.#removeLabel(asked),
  };

  #addLabel({ owner, body }: Asked): Answered {
    const content = this.#contentOf(body);
    require(content['text'] !== undefined);
    const gid = this.grounds.nextId();
    const { ink, ...others } = content;
    const kept = this.grounds.has('a label forgets its ink') || ink === undefined ? others : content;
    const value: Content = { ...kept, gid };
    if (!this.grounds.has('a label is lost')) this.items.set(gid, { owner, value });
    const { text, ...untold } = value;
    const isUntold = this.grounds.has('a new label is shown without its text');
    return { status: 201, body: { data: isUntold ? untold : value } };
  }

  #contentOf(body: Value): Content {
    const { data = null } = known(body, ['data']);
    const content = known(data, ['text', 'ink']);
    const longest = this.grounds.has('a label takes one character more') ? 31 : 30;
    if (content['text'] !== undefined) require(isText(content['text'], 1, longest));
    if (content['ink'] !== undefined) require(content['ink'] === 'black' || content['ink'] === 'blue');
    return content;
  }

  #listLabels({ owner, query }: Asked): Answered {
    knownQuery(query, []);
    const own = [...this.items.values()].filter((item) => item.owner === owner);
    return { status: 200, body: { data: own.map(({ value }) => value) } };
  }

  #getLabel(asked: Asked): Answered {
    return {
      status: 200,
      body: { data: this.itemOf(asked.owner, asked.path[1], 'another owner reads a label').value },
    };
  }

  #changeLabel(asked: Asked): Answered {
    const content = this.#contentOf(asked.body);
    const { value } = this.itemOf(asked.owner, asked.path[1]);
    const gid = String(value['gid']);
    if (!this.grounds.has('a change of a label changes nothing')) {
      this.items.set(gid, { owner: asked.owner, value: { ...value, ...content } });
    }
    return { status: 200, body: { data: { ...value, ...content } } };
  }

  #removeLabel(asked: Asked): Answered {
    const { value } = this.itemOf(asked.owner, asked.path[1]);
    if (!this.grounds.has('a removed label stays')) this.items.delete(String(value['gid']));
    return { status: 204 };
  }
}
