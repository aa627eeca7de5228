/**
 * Tries updates from one small value of a member to another: true to false, a number to 0, a text to the empty one, a list
 * to the empty one, one word of an enum to another, and a value to null and back.
 *
 * Without this, no update would send `false` to an item that has `true`: other cases begin with the plainest item, whose
 * values are the small ones. A server that writes `body.projector || room.projector` keeps the old value then.
 *
 * Only the old value after a success is a finding. A server may refuse a step that the document allows, because
 * a state may have rules that no schema can say.
 */
import type { Node } from '../../document/node.js';
import type { Operation } from '../../document/operations.js';
import { succeeded } from '../../document/statuses.js';
import { contentLayers } from '../../resources/shape.js';
import { typeOf } from '../../values/bounds.js';
import { isArray, isObject, sameValue, show, type Value } from '../../values/json.js';
import { allLayersOf } from '../../values/layers.js';
import { type Member, membersOf } from '../../values/sites.js';
import { choices, fits } from '../../values/valid-values.js';
import type { Call } from '../resources/call.js';
import type { Id } from '../resources/ids.js';
import { shownItem } from '../resources/shown-item.js';
import { fullValue } from '../values/full-value.js';
import { mergePatch, type UpdateTrial } from './update-trial.js';

export async function tryTransitions(trial: UpdateTrial, operation: Operation): Promise<void> {
  const { identity, resource, surroundings } = trial.client;
  const tried: string[] = [];
  for (const member of membersOf(contentLayers(operation, resource))) {
    const { name, schemas } = member;
    const isOwn = !surroundings.refersAt(name) && !surroundings.choosy.has(name);
    if (!isOwn || identity.names.includes(name) || isReadOnly(member)) continue;
    for (const values of chainsOf(schemas, mayBeNull(trial, operation))) {
      const count = await tryChain(trial, operation, member, values);
      if (count > 0)
        tried.push(
          `${name} ${values
            .slice(0, count + 1)
            .map((value) => show(value, 20))
            .join(' → ')}`,
        );
    }
  }
  if (tried.length > 0) trial.client.note(`What ${operation.id} was asked to change: ${tried.join('; ')}.`);
}

/** What null means in a PATCH, only the media type of a merge patch says. */
function mayBeNull({ client }: UpdateTrial, { body, id }: Operation): boolean {
  return id === client.resource.replace?.id || body?.mediaType === mergePatch;
}

function isReadOnly({ schemas }: Member): boolean {
  return allLayersOf(schemas).some((layer) => layer.flag('readOnly'));
}

/** @returns how many of the steps were carried out */
async function tryChain(
  trial: UpdateTrial,
  operation: Operation,
  { name, schemas }: Member,
  [first = null, ...others]: readonly Value[],
): Promise<number> {
  const made = await itemWith(trial, operation, name, first);
  if (made === undefined) return 0;
  let before = await shownIn(trial, made, name);
  // The member may have the marker of the item instead.
  const isMarked = before !== undefined && trial.client.markers.of({ [name]: before.part }) !== undefined;
  if (before === undefined || !(isMarked || sameValue(before.part, first))) return 0;
  for (const [index, value] of others.entries()) {
    const call = await trial.update(operation, made, { ...trial.bodyOf(operation), [name]: value });
    // A 202 promises nothing yet.
    if (!succeeded(operation, call) || call.status === 202) return index;
    const after = await shownIn(trial, made, name);
    if (after === undefined && value !== null) return index + 1;
    if (after !== undefined && sameValue(after.part, before.part)) {
      const isState = allLayersOf(schemas).some((layer) => layer.at('enum') !== undefined);
      // The item may have moved on to its old state by itself before it was read.
      if (isState && showsIn(trial, operation, call, name, value)) return index;
      const did = `"${name}" was ${show(before.part)}, ${show(value)} was sent, and it still is ${show(after.part)}`;
      trial.find(operation, `"${name}" becomes ${show(value)}`, [before.call, call, after.call], {
        rule: 'an update leaves a member as it was',
        did,
      });
      return index + 1;
    }
    before = after ?? { ...before, part: null };
  }
  return others.length;
}

function showsIn(
  { client }: UpdateTrial,
  operation: Operation,
  call: Call,
  name: string,
  value: Value,
): boolean {
  const answered = client.reader.shownBy(operation, call.outcome);
  return isObject(answered) && sameValue(answered[name] ?? null, value);
}

/** Makes an item whose member has a value, by an update if no create takes the member. */
async function itemWith(
  trial: UpdateTrial,
  operation: Operation,
  name: string,
  value: Value,
): Promise<Id | undefined> {
  const isCreated = trial.client.resource.members.some((member) => member.name === name);
  const content = trial.client.plainContent('to be changed');
  const { id } = await trial.make(isCreated ? { ...content, [name]: value } : content);
  if (id === undefined || isCreated) return id;
  const call = await trial.update(operation, id, { ...trial.bodyOf(operation), [name]: value });
  return succeeded(operation, call) ? id : undefined;
}

/** @returns undefined if the item is not shown, or not with this member */
async function shownIn(
  trial: UpdateTrial,
  id: Id,
  name: string,
): Promise<{ readonly call: Call; readonly part: Value } | undefined> {
  const shown = await shownItem(trial.client, id);
  const part = shown?.value[name];
  return shown === undefined || part === undefined ? undefined : { call: shown.call, part };
}

/** Values that follow each other, all of which fit, and no two of which are the same. */
function chainsOf(schemas: readonly Node[], withNull: boolean): Value[][] {
  const full = fullValue(schemas);
  // What is null may be shown as what is empty.
  const isEmpty = full === '' || ((isArray(full) || isObject(full)) && Object.keys(full).length === 0);
  const chains = [smallerThan(schemas, full), ...(withNull && !isEmpty ? [[full, null, full]] : [])];
  return chains.filter(
    (values) =>
      values.length > 1 &&
      values.every((value) => fits(schemas, value)) &&
      values.every((value, index) => index === 0 || !sameValue(value, values[index - 1] ?? null)),
  );
}

/** A value, and the smaller one that it becomes; nothing if there is no such value. */
function smallerThan(schemas: readonly Node[], full: Value): Value[] {
  const layers = allLayersOf(schemas);
  const listed = layers.flatMap(choices).filter((value) => value !== null);
  if (listed.length > 0) return listed.slice(0, 2).reverse();
  switch (typeOf(layers)) {
    case 'boolean':
      return [true, false];
    case 'integer':
    case 'number':
      return [[1n, 2n, 10n].find((value) => fits(schemas, value)) ?? full, 0n];
    case 'string':
      return [full, ''];
    case 'array':
      return [full, []];
    default:
      return [];
  }
}
