/**
 * What the probes of updates have in common: to make an item with known members, change it once, and read it.
 */
import type { Operation } from '../../document/operations.js';
import { documented, succeeded } from '../../document/statuses.js';
import { contentLayers } from '../../resources/shape.js';
import { isObject, type Value, type ValueObject } from '../../values/json.js';
import { membersOf } from '../../values/sites.js';
import { fits } from '../../values/valid-values.js';
import { wrapped } from '../resources/bodies.js';
import type { Call } from '../resources/call.js';
import type { Content } from '../resources/content.js';
import type { Id } from '../resources/ids.js';
import { makeItem } from '../resources/make-item.js';
import { bodyFor, changedBody, contentAfter, filledBody } from '../resources/updates.js';
import { fullValue } from '../values/full-value.js';
import { Trial } from './trial.js';

/** RFC 7396. */
export const mergePatch = 'application/merge-patch+json';

export class UpdateTrial extends Trial {
  /** The operation that reads an item. */
  readonly get: Operation;

  constructor(trial: Trial, get: Operation) {
    super(trial);
    this.get = get;
  }

  /** Content with all members but references, none of which has its default. */
  fullContent(): Content {
    const { markers, resource, surroundings } = this.client;
    const members = resource.members.filter(
      ({ name }) => !surroundings.refersAt(name) && !surroundings.choosy.has(name),
    );
    const full = Object.fromEntries(members.map(({ name, schemas }) => [name, fullValue(schemas)] as const));
    const required = this.client.plainContent('with all members');
    return markers.put({ ...required, ...full }, markers.fresh());
  }

  /** @param content by default, the plainest one */
  async make(content?: Content): Promise<{ call: Call; id: Id | undefined }> {
    const { markers } = this.client;
    const made = await makeItem(this.client, content && markers.put(content, markers.fresh()));
    // Other probes ask whether the item is as it was created.
    if (made.id !== undefined) this.client.own.doubt('first', made.id);
    return made;
  }

  /** Content of an update that names the required members only, unless it must have more of them. */
  bodyOf(operation: Operation): ValueObject {
    const body = filledBody(this.client, operation, changedBody(this.client, operation, 'first'));
    if (!isObject(body)) return {};
    const required = membersOf(contentLayers(operation, this.client.resource)).filter((one) => one.required);
    const least = Object.fromEntries(
      required.flatMap(({ name }) => (name in body ? [[name, body[name] ?? null] as const] : [])),
    );
    const written = wrapped(this.client.resource, operation, least) ?? null;
    return operation.body && fits([operation.body.schema], written) ? least : body;
  }

  /** Sends an update. Any documented status may come: the caller judges it. */
  async update(operation: Operation, id: Id, body: ValueObject): Promise<Call> {
    this.begin(operation);
    const call = await this.client.item('first', operation, id, documented(operation), {
      body: bodyFor(this.client, operation, body, id),
    });
    // A wrong update may be refused by a status that the document does not have.
    if ((call.status ?? 0) < 400) this.judge(operation, 'an update', call);
    const item = this.client.own.find('first', id);
    // The update may have taken the marker away, by which the item would be known in the end.
    if (item !== undefined && succeeded(operation, call))
      this.client.own.add({ ...item, content: contentAfter(this.client, operation, body, item.content) });
    return call;
  }

  /** Whether a GET shows a member otherwise than it was sent; what only the server decides may be shown beside that. */
  differs(name: string, sent: Value, shown: Value): boolean {
    return this.client.reader.difference(this.get, { [name]: sent }, { [name]: shown }) === name;
  }
}
