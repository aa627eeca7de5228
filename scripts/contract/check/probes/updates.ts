/**
 * Tries what PUT and PATCH do to the members that they do not name, and who decides those that are `readOnly`.
 *
 * Each case makes an item with all its members, none of which has its default, changes it once, and reads it.
 *
 * - A PUT replaces the item (RFC 9110, section 9.3.4): what it leaves out does not keep its old value.
 * - A merge patch (RFC 7396) takes a member away by null, changes only those members of an object that it names,
 *   and replaces a list. What a PATCH is in other media types, the document does not tell.
 * - A request that is refused changes nothing (RFC 5789, section 2).
 * - The server decides a `readOnly` member. It may refuse one that is sent, or ignore it.
 * - A member that was not sent has its documented default, or is not shown.
 */
import fc from 'fast-check';
import type { Operation } from '../../document/operations.js';
import { succeeded, successesOf } from '../../document/statuses.js';
import { contentLayers, shownLayers } from '../../resources/shape.js';
import { typeOf } from '../../values/bounds.js';
import { isArray, isObject, sameValue, show, type Value, type ValueObject } from '../../values/json.js';
import { layersOf } from '../../values/layers.js';
import { type Member, membersOf } from '../../values/sites.js';
import { anyValue, fits } from '../../values/valid-values.js';
import { breachOf, type Step } from '../answers/findings.js';
import type { Run } from '../answers/run.js';
import type { RuleName } from '../document/rules.js';
import type { Call } from '../resources/call.js';
import type { ResourceClient } from '../resources/client.js';
import type { Content } from '../resources/content.js';
import type { Id } from '../resources/ids.js';
import { makeItem } from '../resources/make-item.js';
import { bodyFor, changedBody } from '../resources/updates.js';
import { defaultOf, fullValue } from '../values/full-value.js';

const title = 'changes what an update names, and nothing else';
const mergePatch = 'application/merge-patch+json';

export async function probeUpdates(run: Run, client: ResourceClient): Promise<void> {
  const { resource, rules, surroundings } = client;
  const { get, replace, modify } = resource;
  if (!rules.on.has('updates') || get === undefined) return;
  if (!client.identity.knowsOwn || surroundings.unreached !== undefined) return;
  const probe = new UpdateProbe(run, client, get);
  await probe.tryDefaults();
  await probe.tryReadOnly(resource.create);
  if (replace !== undefined) {
    await probe.tryReplacement(replace);
    await probe.tryReadOnly(replace);
    if (rules.on.has('sent-back')) await probe.trySentBack(replace);
  }
  if (modify?.body?.mediaType === mergePatch) await probe.tryMergePatch(modify);
  for (const operation of [replace, modify]) {
    if (operation !== undefined) await probe.tryHalfDone(operation);
  }
}

class UpdateProbe {
  readonly #run: Run;
  readonly #client: ResourceClient;
  readonly #get: Operation;

  constructor(run: Run, client: ResourceClient, get: Operation) {
    this.#run = run;
    this.#client = client;
    this.#get = get;
  }

  /** Looks at the members of a new item, and of the objects in it, that were not sent. */
  async tryDefaults(): Promise<void> {
    const { create } = this.#client.resource;
    for (const optional of ['without', 'with'] as const) {
      const content = this.#client.plainContent('with defaults', optional);
      const { call, id } = await this.#make(content);
      const shown = id === undefined ? undefined : await this.#read(id);
      if (shown === undefined) continue;
      const wrong = this.#client.resource.members.flatMap((member) =>
        wrongDefault(member, content, shown.value, ''),
      )[0];
      if (wrong !== undefined)
        this.#find(create, 'a default', [call, shown.call], 'a default is not the documented one', wrong);
    }
  }

  /** Sends a value of its own for each member that only the server decides. */
  async tryReadOnly(operation: Operation): Promise<void> {
    const client = this.#client;
    const { create } = client.resource;
    for (const { name, schemas } of this.#readOnlyMembers()) {
      const [sent] = fc.sample(anyValue(schemas), { numRuns: 1, seed: this.#run.seed });
      if (sent === undefined || sent === null) continue;
      const made = await this.#make(
        operation === create ? { ...client.plainContent('of the client'), [name]: sent } : undefined,
      );
      if (made.id === undefined) continue;
      const changed =
        operation === create
          ? made.call
          : await this.#update(operation, made.id, { ...this.#bodyOf(operation), [name]: sent });
      if (!succeeded(operation, changed)) continue;
      const shown = await this.#read(made.id);
      const part = isObject(shown?.value) ? shown.value[name] : undefined;
      if (shown === undefined || part === undefined || !sameValue(part, sent)) continue;
      const did = `"${name}" was sent as ${show(sent)}, and is ${show(part)} now`;
      this.#find(
        operation,
        `"${name}" is sent`,
        [changed, shown.call],
        'a readOnly member is taken from the client',
        did,
      );
    }
  }

  /** Members in which a random value would be none of the server's: others may coincide. */
  #readOnlyMembers(): Member[] {
    const { resource, identity } = this.#client;
    return membersOf(shownLayers(this.#get, resource)).filter(({ name, schemas }) => {
      const layers = schemas.flatMap(layersOf);
      const isReadOnly = layers.some((layer) => layer.flag('readOnly'));
      const isWide =
        ['integer', 'string'].includes(typeOf(layers) ?? '') && !layers.some((layer) => layer.at('enum'));
      return isReadOnly && isWide && !identity.names.includes(name);
    });
  }

  /** RFC 9110, section 9.3.4: the item is what the body says. */
  async tryReplacement(replace: Operation): Promise<void> {
    const full = this.#fullContent();
    const { id } = await this.#make(full);
    if (id === undefined) return;
    const body = this.#bodyOf(replace);
    const call = await this.#update(replace, id, body);
    const shown = succeeded(replace, call) ? await this.#read(id) : undefined;
    if (shown === undefined || !isObject(shown.value)) return;
    for (const { name, schemas } of membersOf(contentLayers(replace, this.#client.resource))) {
      const [before, after, usual] = [full[name], shown.value[name], defaultOf(schemas)];
      if (Object.hasOwn(body, name) || before === undefined || after === undefined || after === null)
        continue;
      if (!sameValue(before, after) || (usual !== undefined && sameValue(usual, after))) continue;
      const did = `the body has no "${name}", and it still is ${show(after)}`;
      return this.#find(
        replace,
        `without "${name}"`,
        [call, shown.call],
        'a replacement keeps what it leaves out',
        did,
      );
    }
  }

  /** What a GET answered comes back as the body of a PUT. */
  async trySentBack(replace: Operation): Promise<void> {
    const { id } = await this.#make();
    const shown = id === undefined ? undefined : await this.#read(id);
    if (id === undefined || shown === undefined || !isObject(shown.value)) return;
    const call = await this.#update(replace, id, shown.value);
    if (call.status === undefined || succeeded(replace, call)) return;
    const did = `the body of the GET was answered ${call.status}`;
    this.#find(
      replace,
      'the body of a GET',
      [shown.call, call],
      'what a GET answered is refused',
      did,
      'sent-back',
    );
  }

  /** RFC 7396, section 2. */
  async tryMergePatch(modify: Operation): Promise<void> {
    const full = this.#fullContent();
    for (const { name, schemas } of membersOf(contentLayers(modify, this.#client.resource))) {
      const before = full[name];
      if (before === undefined || this.#client.surroundings.refersAt(name)) continue;
      if (fits(schemas, null)) {
        await this.#tryPatch(modify, full, { [name]: null }, (after) =>
          after !== undefined && after !== null && sameValue(after, before)
            ? `null was sent for "${name}", and it still is ${show(after)}`
            : undefined,
        );
      }
      const [kept, dropped] = isObject(before) && !isArray(before) ? Object.keys(before) : [];
      if (isObject(before) && kept !== undefined && dropped !== undefined) {
        await this.#tryPatch(modify, full, { [name]: { [kept]: before[kept] ?? null } }, (after) =>
          isObject(after) && after[dropped] === undefined
            ? `only "${kept}" of "${name}" was sent, and "${dropped}" is gone`
            : undefined,
        );
      }
      if (isArray(before) && before.length > 0) {
        await this.#tryPatch(modify, full, { [name]: before }, (after) =>
          isArray(after) && !sameValue(after, before)
            ? `${show(before)} was sent for "${name}", and it is ${show(after)}`
            : undefined,
        );
      }
    }
  }

  async #tryPatch(
    modify: Operation,
    full: Content,
    patch: ValueObject,
    wrongIn: (after: Value | undefined) => string | undefined,
  ): Promise<void> {
    const [name = ''] = Object.keys(patch);
    if (modify.body === undefined || !fits([modify.body.schema], patch)) return;
    const { id } = await this.#make(full);
    if (id === undefined) return;
    const call = await this.#update(modify, id, patch);
    const shown = succeeded(modify, call) ? await this.#read(id) : undefined;
    if (shown === undefined || !isObject(shown.value)) return;
    const did = wrongIn(shown.value[name]);
    if (did !== undefined)
      this.#find(
        modify,
        show(patch),
        [call, shown.call],
        'a merge patch does not do what RFC 7396 says',
        did,
      );
  }

  /** A member that fits is sent beside one that does not. */
  async tryHalfDone(operation: Operation): Promise<void> {
    const { marks } = this.#client;
    const members = membersOf(contentLayers(operation, this.#client.resource));
    const made = await this.#make();
    const before = made.id === undefined ? undefined : await this.#read(made.id);
    if (made.id === undefined || before === undefined || !isObject(before.value)) return;
    const fit = changedBody(this.#client, operation, 'first');
    if (!isObject(fit)) return;
    const carrier = Object.keys(fit).find((name) => marks.of({ [name]: fit[name] ?? null }) !== undefined);
    const wrong = members.find(({ name, schemas }) => name !== carrier && !fits(schemas, [[]]));
    if (carrier === undefined || wrong === undefined) return;
    const call = await this.#update(operation, made.id, { ...fit, [wrong.name]: [[]] });
    if (succeeded(operation, call)) {
      const did = `"${wrong.name}" was [[]], and it was answered ${call.status}`;
      return this.#find(
        operation,
        `"${wrong.name}" is [[]]`,
        [call],
        'a value that does not fit is taken',
        did,
      );
    }
    if (call.status === undefined || call.status < 400) return;
    const after = await this.#read(made.id);
    const part = isObject(after?.value) ? after.value[carrier] : undefined;
    if (after === undefined || part === undefined || sameValue(part, before.value[carrier] ?? null)) return;
    const did = `it was answered ${call.status}, and "${carrier}" is ${show(part)} now`;
    this.#find(
      operation,
      `"${wrong.name}" is [[]]`,
      [call, after.call],
      'a request that is refused is half done',
      did,
    );
  }

  #fullContent(): Content {
    const { marks, resource, surroundings } = this.#client;
    const members = resource.members.filter(
      ({ name }) => !surroundings.refersAt(name) && !surroundings.choosy.has(name),
    );
    const full = Object.fromEntries(members.map(({ name, schemas }) => [name, fullValue(schemas)] as const));
    const required = this.#client.plainContent('with all members');
    return marks.put({ ...required, ...full }, marks.fresh());
  }

  async #make(content?: Content): Promise<{ call: Call; id: Id | undefined }> {
    const { marks } = this.#client;
    const made = await makeItem(this.#client, content && marks.put(content, marks.fresh()));
    // Other probes ask whether the item is as it was created.
    if (made.id !== undefined) this.#client.own.doubt('first', made.id);
    return made;
  }

  #bodyOf(operation: Operation): ValueObject {
    const body = changedBody(this.#client, operation, 'first');
    if (!isObject(body)) return {};
    const required = membersOf(contentLayers(operation, this.#client.resource)).filter((one) => one.required);
    return Object.fromEntries(
      required.flatMap(({ name }) => (name in body ? [[name, body[name] ?? null] as const] : [])),
    );
  }

  async #update(operation: Operation, id: Id, body: ValueObject): Promise<Call> {
    const { recorder } = this.#run;
    recorder.case(operation.id, title);
    const statuses = [...operation.responses.keys()].filter((status) => status < 500);
    const call = await this.#client.item('first', operation, id, statuses, {
      body: bodyFor(this.#client, operation, body, id),
    });
    // A wrong update may be refused by a status that the document does not have.
    if ((call.status ?? 0) < 400) recorder.find(operation.id, title, 'an update', [call], ...call.breaches);
    return call;
  }

  async #read(id: Id): Promise<{ call: Call; value: Value } | undefined> {
    const call = await this.#client.item('first', this.#get, id, successesOf(this.#get));
    if (!succeeded(this.#get, call)) return undefined;
    return { call, value: this.#client.reader.shownBy(this.#get, call.outcome) };
  }

  #find(
    operation: Operation,
    description: string,
    steps: readonly Step[],
    rule: string,
    did: string,
    by: RuleName = 'updates',
  ): void {
    this.#run.recorder.find(operation.id, title, description, steps, {
      ...breachOf(operation, rule, did),
      by,
    });
  }
}

/** Finds a member that was not sent, and is shown with another value than its documented default. */
function wrongDefault({ name, schemas }: Member, sent: Value, shown: Value, place: string): string[] {
  if (!isObject(sent) || !isObject(shown)) return [];
  const [given, part] = [sent[name], shown[name]];
  const where = `${place}${name}`;
  if (given !== undefined) {
    return membersOf(schemas.flatMap(layersOf)).flatMap((below) =>
      wrongDefault(below, given, part ?? null, `${where}/`),
    );
  }
  const usual = defaultOf(schemas);
  if (usual === undefined || part === undefined || sameValue(part, usual)) return [];
  return [`"${where}" was not sent, its default is ${show(usual)}, and it is ${show(part)}`];
}
