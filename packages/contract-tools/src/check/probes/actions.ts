/**
 * Tries what actions on an item do, such as `POST /orders/{id}/pay`. Each is called on a new item, and then on items that
 * other actions have changed, the same one included: so a walk reaches what no call on a new item does, such as `ship`
 * after `pay`. The owner looks at the item before and after.
 *
 * - An answer that shows the item agrees with the next GET.
 * - The tag of the item changes with its content.
 * - A state in which the sentence of a documented 409 refuses the action (refused-states.ts) is no success.
 * - It does not end in the state of a new item, or of another action, if the sentence about it names one that it ends in.
 *
 * An item may move on by itself, so that a GET shows more than the answer did. So a member counts that each of three items
 * shows otherwise, if none of them is in a third state by then, and what differs between two looks does not count.
 */
import type { Node } from '../../document/node.js';
import { isSafe, type Operation } from '../../document/operations.js';
import { documented, succeeded } from '../../document/statuses.js';
import { operationsOf, shownLayers } from '../../resources/shape.js';
import { isObject, show, type Value, type ValueObject } from '../../values/json.js';
import { allLayersOf } from '../../values/layers.js';
import { membersOf } from '../../values/sites.js';
import { choices } from '../../values/valid-values.js';
import type { Step } from '../answers/findings.js';
import { within } from '../resources/bodies.js';
import type { Call } from '../resources/call.js';
import type { ResourceClient } from '../resources/client.js';
import { tagOf } from '../resources/conditions.js';
import { namesNoOther } from '../resources/held-back.js';
import { nobodysPath } from '../resources/ids.js';
import { makeWhole } from '../resources/make-item.js';
import type { Owner, OwnItem } from '../resources/own-items.js';
import { changesBetween, type Look, lookAt } from '../resources/shown-item.js';
import { filledBody } from '../resources/updates.js';
import { compare } from '../values/compare.js';
import { isRefusedAgain, isRefusedIn, statesAfter, statesNamedIn } from './refused-states.js';
import { Trial } from './trial.js';

/** The number of items that must show the same before an answer is called wrong. */
const looksWanted = 3;
const maxActions = 8;
const maxWalks = 40;

/** Who takes the last step, and whose items the path names above the item. */
interface Caller {
  readonly owner: Owner;
  readonly parents: Owner;
}

/** What was seen of the last of some steps. */
interface Walk {
  readonly steps: readonly Operation[];
  readonly item: OwnItem;
  readonly call: Call;
  /** What the first owner saw before the last step, and after it; undefined if no GET showed the item. */
  readonly before: Look | undefined;
  readonly after: Look | undefined;
}

/** The operations below an item that are sent. */
export function belowItems({ client: { resource }, run: { description, meaning } }: Trial): Operation[] {
  const known = meaning.collections.flatMap((one) => operationsOf(one.client.resource).map(({ id }) => id));
  const below = description.operations
    .filter(({ id, path }) => path.startsWith(`${resource.itemPath}/`) && !known.includes(id))
    .filter((operation) => meaning.heldBack(operation) === undefined || namesNoOther(operation));
  // Descriptions that differ only in the media type of the body are one operation.
  return [...new Map(below.map((operation) => [operation.id, operation])).values()];
}

function allActionsOn(trial: Trial): Operation[] {
  return belowItems(trial).filter((operation) => !isSafe(operation));
}

/** The operations below an item that may change it; of many, the first ones. */
export function actionsOn(trial: Trial): Operation[] {
  return allActionsOn(trial).slice(0, maxActions);
}

/**
 * Makes an item, and takes steps with it.
 *
 * @returns undefined if no item was made, or if a step before the last one did not succeed
 */
export async function observe(
  trial: Trial,
  steps: readonly Operation[],
  caller: Caller = { owner: 'first', parents: 'first' },
): Promise<Walk | undefined> {
  const { client } = trial;
  const item = await makeWhole(client, 'of an action');
  const last = steps.at(-1);
  if (item === undefined || last === undefined) return undefined;
  client.own.doubt('first', item.id);
  for (const step of steps.slice(0, -1)) {
    if (!succeeded(step, await act(trial, step, item))) return undefined;
  }
  const before = await lookAt(client, item.id);
  const call = await act(trial, last, item, caller);
  return { steps, item, before, call, after: await lookAt(client, item.id) };
}

/** The shortest walks that were found. */
const knownWalks = new WeakMap<ResourceClient, ReadonlyMap<Operation, Walk>>();

/**
 * Takes each action as the next step on a new item, and behind each shortest walk that has succeeded.
 *
 * @param see is told of each walk whose last step was taken, and whether that succeeded
 * @returns the shortest walk to each action that ever succeeds
 */
export async function walksOn(
  trial: Trial,
  see?: (walk: Walk) => Promise<void>,
): Promise<ReadonlyMap<Operation, Walk>> {
  const known = knownWalks.get(trial.client);
  if (known !== undefined && see === undefined) return known;
  const actions = actionsOn(trial);
  const found = new Map<Operation, Walk>();
  const begun: (readonly Operation[])[] = [[]];
  let left = maxWalks;
  for (const before of begun) {
    for (const action of actions) {
      if (left-- <= 0) break;
      const steps = [...before, action];
      const seen = await observe(trial, steps);
      if (seen === undefined) continue;
      await see?.(seen);
      if (!succeeded(action, seen.call) || found.has(action)) continue;
      found.set(action, seen);
      begun.push(steps);
    }
  }
  knownWalks.set(trial.client, found);
  return found;
}

/**
 * Any documented status may come: the caller judges it. Another owner has learnt the tag of the item. What else the path
 * names, nobody has, because `POST /memos/{id}/merge/{other}` may remove the other memo.
 */
async function act(
  { client, run }: Trial,
  operation: Operation,
  { id }: OwnItem,
  { owner, parents }: Caller = { owner: 'first', parents: 'first' },
): Promise<Call> {
  const { query, body } = run.meaning.baseOf(operation);
  const content = filledBody(client, operation, within(client.resource, operation, body), owner);
  return client.item(owner, operation, id, documented(operation), {
    ...{
      query,
      path: { ...(isSafe(operation) ? {} : nobodysPath(operation)), ...client.pathTo(id, parents) },
    },
    headers: await client.conditionsFor('first', operation, id),
    ...(content !== undefined && { body: content }),
  });
}

export async function probeActions(trial: Trial): Promise<void> {
  const { client } = trial;
  const actionTrial = new ActionTrial(trial);
  const found = await walksOn(trial, (walk) => actionTrial.judgeWalk(walk));
  const others = actionsOn(trial).filter((action) => !found.has(action));
  if (others.length > 0)
    client.note(
      `Actions of ${client.resource.itemPath}: ${others.map(({ id }) => id).join(', ')} succeeded neither on a new item nor after other actions, so that nothing was compared.`,
    );
  const further = allActionsOn(trial).slice(maxActions);
  if (further.length > 0)
    client.note(
      `Actions of ${client.resource.itemPath}: ${further.map(({ id }) => id).join(', ')} were not compared, because there are more than ${maxActions}.`,
    );
}

class ActionTrial extends Trial {
  /** An item that was just made. */
  #atFirst: Look | undefined;
  /** Whether the tag of an item was seen to stay when its content changed. */
  #hasFixedTags = false;

  async judgeWalk(seen: Walk): Promise<void> {
    const { steps } = seen;
    const operation = steps.at(-1);
    if (operation === undefined) return;
    const { call, before, after } = seen;
    this.begin(operation);
    // A document need not name each status that refuses a later step.
    const status = call.status ?? 0;
    if (status < 400 || status >= 500) this.judge(operation, wordsFor(steps), call);
    if (steps.length === 1) this.#atFirst ??= before;
    if (!succeeded(operation, call) || status === 202 || before === undefined) return;
    this.#judgeState(steps, operation, before, call);
    this.#judgeEnd(steps, operation, seen);
    if (after === undefined) return;
    this.#judgeTag(steps, operation, before, call, after);
    let did = this.#disagreement(operation, seen);
    for (let looks = 1; did !== undefined && looks < looksWanted; looks++) {
      const again = await observe(this, steps);
      did = again && this.#disagreement(operation, again);
    }
    if (did !== undefined)
      this.#find(steps, [call, after.call], 'the answer of an action is not what a GET shows', did);
  }

  /** The sentence of a documented 409 says in which states the action is refused. */
  #judgeState(steps: readonly Operation[], operation: Operation, before: Look, call: Call): void {
    const refusal = operation.responses.get(409);
    const own = saidOf(operation.node);
    const success = saidOf(operation.responses.get(call.status ?? 0)?.node);
    const isRepeated = steps.slice(0, -1).includes(operation);
    const mayRepeat =
      isRepeated && (/\b(?:again|twice|idempotent)\b/i.test(own) || /\balready\b/i.test(success));
    const { get, collectionPath } = this.client.resource;
    if (get === undefined || refusal?.key !== '409' || mayRepeat) return;
    const sentences = `${saidOf(refusal.node)}. ${own.includes('409') ? own : ''}`;
    const last = collectionPath.split('/').findLast((part) => /[a-z]$/i.test(part)) ?? 'item';
    const noun = last.replace(/^.*[^a-z]/i, '').replace(/(?:ies|es|s)$/, '');
    const members = membersOf(shownLayers(get, this.client.resource)).map(({ name, schemas }) => ({
      name,
      all: textChoices(schemas),
    }));
    for (const { name, all } of members) {
      const [now, atFirst] = [before, this.#atFirst].map((look) => look?.value[name]);
      // "The order is not open" may be about its payment or about its delivery.
      const others = members.filter((one) => one.name !== name).flatMap((one) => one.all);
      if (statesNamedIn(sentences, all).some((state) => others.includes(state))) continue;
      if (typeof now !== 'string' || typeof atFirst !== 'string' || before.restless.includes(name)) continue;
      const isChanged = all.includes(now) && now !== atFirst;
      const isAgain = isChanged && steps.at(-2) === operation && isRefusedAgain(sentences);
      if (!isAgain && !isRefusedIn(sentences, noun, { now, atFirst, all })) continue;
      const did = `"${name}" was ${show(now)}, for which a 409 is documented, and it was answered ${call.status}`;
      this.#find(steps, [before.call, call], 'an action succeeds in a state in which it is refused', did);
      return;
    }
  }

  /** While an action goes on, its item may be in a state that no sentence names. */
  #judgeEnd(steps: readonly Operation[], operation: Operation, seen: Walk): void {
    const { before, call } = seen;
    const answered = this.#itemIn(operation, seen);
    const ends = membersOf(shownLayers(operation, this.client.resource, call.status)).flatMap(
      ({ name, schemas }) => {
        const all = textChoices(schemas);
        const wanted = statesAfter(saidOf(operation.node), all);
        return wanted.length === 0 ? [] : [{ name, all, wanted }];
      },
    );
    const [end] = ends;
    if (answered === undefined || end === undefined || ends.length > 1) return;
    const [was, told, atFirst] = [before?.value, answered, this.#atFirst?.value].map(
      (item) => item?.[end.name],
    );
    const others = actionsOn(this).flatMap(({ node }) => statesAfter(saidOf(node), end.all));
    if (typeof told !== 'string' || told === was || end.wanted.includes(told)) return;
    if (told !== atFirst && !others.includes(told)) return;
    const did = `it says that it takes an item to ${end.wanted.map((state) => show(state)).join(' or ')}, and "${end.name}" is ${show(told)}`;
    this.#find(steps, [call], 'an action ends in another state than it says', did);
  }

  /** RFC 9110, section 8.8.3. */
  #judgeTag(steps: readonly Operation[], operation: Operation, before: Look, call: Call, after: Look): void {
    const [tag, now] = [before, after].map((look) => tagOf(look.call.outcome));
    const [changed] = changesBetween(before, after);
    if (!this.isOn('conditions') || this.#hasFixedTags) return;
    if (tag === undefined || tag !== now || changed === undefined) return;
    // Section 8.8.1: a weak tag may stay if the server takes a change, such as one more like, for none.
    if (tag.startsWith('W/')) return;
    this.#hasFixedTags = true;
    const did = `${operation.id} has changed "${changed}", and the tag still is ${tag}`;
    this.#find(
      steps,
      [before.call, call, after.call],
      'the tag stays when an action changes the content',
      did,
      'conditions',
    );
  }

  /** @returns what the answer shows otherwise than the GET behind it; undefined if it does not show the item */
  #disagreement(operation: Operation, walk: Walk): string | undefined {
    const { before, call, after } = walk;
    const { resource } = this.client;
    const { get } = resource;
    const answered = this.#itemIn(operation, walk);
    if (get === undefined || answered === undefined || !before || !after) return undefined;
    const [mine, theirs] = [shownLayers(operation, resource, call.status), shownLayers(get, resource)];
    const shown = new Map(membersOf(theirs).map(({ name, schemas }) => [name, schemas]));
    const wrong: string[] = [];
    for (const { name, schemas } of membersOf(mine)) {
      const [was, told, is] = [before.value[name], answered[name], after.value[name]];
      const given = shown.get(name);
      if (given === undefined || told === undefined || is === undefined) continue;
      if (after.restless.includes(name) || isSoonAfter(told, is)) continue;
      const sides = [
        { schemas, value: told },
        { schemas: given, value: is },
      ] as const;
      if (!compare(...sides, { judgesUnsent: false }, name).differs) continue;
      const isState = allLayersOf(given).some((layer) => layer.at('enum') !== undefined);
      // It moves on by itself, and what else it shows may have done so, too.
      if (isState && show(was) !== show(told) && show(was) !== show(is)) return undefined;
      if (isState && isPassing(told)) {
        this.client.note(
          `What ${operation.id} answers was not compared with a GET if "${name}" is ${show(told)}, because that may be over by then.`,
        );
        return undefined;
      }
      wrong.push(`it was answered "${name}" ${show(told)}, and ${get.id} shows ${show(is)}`);
    }
    return wrong[0];
  }

  /** @returns the item as the answer shows it; undefined if it does not */
  #itemIn(operation: Operation, { item, call }: Walk): ValueObject | undefined {
    const { identity, markers, reader, resource } = this.client;
    const { get } = resource;
    const answered = reader.shownBy(operation, call.outcome);
    if (get === undefined || !isObject(answered)) return undefined;
    const [mine] = shownLayers(operation, resource, call.status);
    const [theirs] = shownLayers(get, resource);
    // What an action makes, such as a refund, may have the same id by chance.
    const marker = markers.of(item.content);
    const isItem = mine?.key === theirs?.key || (marker !== undefined && markers.of(answered) === marker);
    return isItem && identity.shownBy(answered) === item.id ? answered : undefined;
  }

  #find(
    steps: readonly Operation[],
    shown: readonly Step[],
    rule: string,
    did: string,
    by: 'actions' | 'conditions' = 'actions',
  ): void {
    const operation = steps.at(-1);
    if (operation !== undefined) this.find(operation, wordsFor(steps), shown, { rule, did, by });
  }
}

function wordsFor(steps: readonly Operation[]): string {
  const before = steps.slice(0, -1).map(({ id }) => id);
  return before.length === 0 ? 'on a new item' : `after ${before.join(', ')}`;
}

function textChoices(schemas: readonly Node[]): string[] {
  return allLayersOf(schemas)
    .flatMap(choices)
    .filter((state) => typeof state === 'string');
}

function saidOf(node: Node | undefined): string {
  return node?.text('description') ?? '';
}

/** The words for what a server does for a moment, from "running" back to "running". What is "pending" waits for somebody. */
const passing =
  /^(?:re|un)?(?:start|stopp|boot|load|build|deploy|provision|configur|creat|updat|upgrad|migrat|resiz|sync|import|export|process|delet|remov|cancell?|terminat|shutt)ing(?:[ _-]?down)?$/i;

function isPassing(state: Value): boolean {
  return typeof state === 'string' && passing.test(state);
}

/** A server may keep fewer digits of a time than it answers at once. */
function isSoonAfter(told: Value, is: Value): boolean {
  const [one = Number.NaN, other = Number.NaN] = [told, is].map((time) =>
    typeof time === 'string' && /^\d{4}-\d\d-\d\d./.test(time) ? Date.parse(time) : Number.NaN,
  );
  return Math.abs(one - other) < 1_000;
}
