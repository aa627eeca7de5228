/**
 * Tries what PUT and PATCH do to the members that they do not name.
 *
 * Each case makes an item with all its members, none of which has its default, changes it once, and reads it.
 *
 * - A PUT replaces the item (RFC 9110, section 9.3.4): what it leaves out does not keep its old value.
 * - A merge patch (RFC 7396) changes only those members of an object that it names, and replaces a list. What a PATCH
 *   is in other media types, the document does not tell.
 * - A request that is refused changes nothing (RFC 5789, section 2).
 *
 * What the server decides of an item is tried beside it (decided-members.ts), and so are steps from one value of a member to
 * another (transitions.ts).
 */
import type { Operation } from '../../document/operations.js';
import { succeeded } from '../../document/statuses.js';
import { contentLayers } from '../../resources/shape.js';
import {
  isArray,
  isObject,
  memberOf,
  sameValue,
  show,
  type Value,
  type ValueObject,
} from '../../values/json.js';
import { layersOf } from '../../values/layers.js';
import { type Member, membersOf } from '../../values/sites.js';
import { fits, plainMembers, plainValue } from '../../values/valid-values.js';
import type { Step } from '../answers/findings.js';
import type { Content } from '../resources/content.js';
import type { Id } from '../resources/ids.js';
import { shownItem } from '../resources/shown-item.js';
import { changedBody } from '../resources/updates.js';
import { tryDefaults, tryReadOnly } from './decided-members.js';
import { tryTransitions } from './transitions.js';
import type { Trial } from './trial.js';
import { mergePatch, UpdateTrial } from './update-trial.js';

export async function probeUpdates(updates: Trial, get: Operation): Promise<void> {
  const { create, replace, modify } = updates.client.resource;
  const trial = new UpdateTrial(updates, get);
  await tryDefaults(trial);
  await tryReadOnly(trial, create);
  if (replace !== undefined) {
    await tryReplacement(trial, replace);
    await tryReadOnly(trial, replace);
    if (trial.isOn('sent-back')) await trySentBack(trial, replace);
  }
  if (modify !== undefined) await tryReadOnly(trial, modify);
  if (modify?.body?.mediaType === mergePatch) await tryMergePatch(trial, modify);
  for (const operation of [replace, modify]) {
    if (operation === undefined) continue;
    await tryHalfDone(trial, operation);
    await tryTransitions(trial, operation);
  }
}

/** RFC 9110, section 9.3.4: the item is what the body says. */
async function tryReplacement(trial: UpdateTrial, replace: Operation): Promise<void> {
  const full = trial.fullContent();
  const { id } = await trial.make(full);
  if (id === undefined) return;
  const body = trial.bodyOf(replace);
  const call = await trial.update(replace, id, body);
  const shown = succeeded(replace, call) ? await shownItem(trial.client, id) : undefined;
  if (shown === undefined) return;
  // What an item has that was made without it is a default, although the document may not say so.
  const fresh = await shownItem(trial.client, (await trial.make()).id);
  for (const { name } of membersOf(contentLayers(replace, trial.client.resource))) {
    const [before, after, usual] = [full[name], shown.value[name], fresh?.value[name]];
    if (Object.hasOwn(body, name) || before === undefined || after === undefined || after === null) continue;
    if (!sameValue(before, after) || (usual !== undefined && sameValue(usual, after))) continue;
    const did = `the body has no "${name}", and it still is ${show(after)}`;
    return trial.find(replace, `without "${name}"`, [call, shown.call], {
      rule: 'a replacement keeps what it leaves out',
      did,
    });
  }
}

/** What a GET answered comes back as the body of a PUT. */
async function trySentBack(trial: UpdateTrial, replace: Operation): Promise<void> {
  const { id } = await trial.make();
  const shown = await shownItem(trial.client, id);
  if (id === undefined || shown === undefined) return;
  const call = await trial.update(replace, id, shown.value);
  if (call.status === undefined || succeeded(replace, call)) return;
  const did = `the body of the GET was answered ${call.status}`;
  trial.find(replace, 'the body of a GET', [shown.call, call], {
    rule: 'what a GET answered is refused',
    did,
    by: 'sent-back',
  });
}

/** RFC 7396, section 2. */
async function tryMergePatch(trial: UpdateTrial, modify: Operation): Promise<void> {
  const full = trial.fullContent();
  for (const { name, schemas } of membersOf(contentLayers(modify, trial.client.resource))) {
    const before = full[name];
    if (trial.client.surroundings.refersAt(name)) continue;
    if (before === undefined) await tryTwoPatches(trial, modify, name, membersOf(schemas.flatMap(layersOf)));
    const [values] = schemas.flatMap(layersOf).flatMap((layer) => layer.at('additionalProperties') ?? []);
    if (isObject(before) && typeof values?.value === 'object') {
      const value = plainValue([values]);
      const map = { ...full, [name]: { ...before, kept: value, dropped: value } };
      await tryPatch(trial, modify, map, { [name]: { dropped: null } }, (after, was) => {
        if (!isObject(after) || !isObject(was) || was['kept'] === undefined) return undefined;
        if (after['dropped'] !== undefined)
          return `"dropped" of "${name}" was sent as null, and it still is there`;
        return after['kept'] === undefined
          ? `only "dropped" of "${name}" was sent, and "kept" is gone`
          : undefined;
      });
    }
    const [kept, dropped] = isObject(before) ? Object.keys(before) : [];
    if (isObject(before) && kept !== undefined && dropped !== undefined) {
      await tryPatch(trial, modify, full, { [name]: { [kept]: before[kept] ?? null } }, (after, was) =>
        isObject(after) && isObject(was) && was[dropped] !== undefined && after[dropped] === undefined
          ? `only "${kept}" of "${name}" was sent, and "${dropped}" is gone`
          : undefined,
      );
    }
    if (isArray(before) && before.length > 0) {
      await tryPatch(trial, modify, full, { [name]: before }, (after) =>
        isArray(after) && trial.differs(name, before, after)
          ? `${show(before)} was sent for "${name}", and it is ${show(after)}`
          : undefined,
      );
    }
  }
}

/** Sends two members of an object that no create takes, one after the other: the second patch keeps the first member. */
async function tryTwoPatches(
  trial: UpdateTrial,
  modify: Operation,
  name: string,
  members: readonly Member[],
): Promise<void> {
  const [kept, other] = members;
  const schema = modify.body?.schema;
  if (kept === undefined || other === undefined || schema === undefined) return;
  const [first, second] = [kept, other].map((member) => ({ [name]: plainMembers([member]) }));
  const { id } = await trial.make();
  if (id === undefined || first === undefined || second === undefined) return;
  if (!fits([schema], first) || !fits([schema], second)) return;
  const sent = first[name]?.[kept.name];
  const before = await shownAfter(trial, modify, id, first);
  const was = memberOf(before?.value[name], kept.name);
  // What is not shown as it was sent is no matter of this.
  if (sent === undefined || was === undefined || !sameValue(was, sent)) return;
  const after = await shownAfter(trial, modify, id, second);
  const part = after?.value[name];
  if (after === undefined || !isObject(part) || sameValue(part[kept.name] ?? null, was)) return;
  trial.find(modify, show(second), after.steps, {
    rule: 'a merge patch does not do what RFC 7396 says',
    did: `only "${other.name}" of "${name}" was sent, and "${kept.name}" is ${show(part[kept.name] ?? null)} instead of ${show(was)}`,
  });
}

async function shownAfter(
  trial: UpdateTrial,
  modify: Operation,
  id: Id,
  patch: ValueObject,
): Promise<{ readonly value: ValueObject; readonly steps: readonly Step[] } | undefined> {
  const call = await trial.update(modify, id, patch);
  const shown = succeeded(modify, call) ? await shownItem(trial.client, id) : undefined;
  return shown && { value: shown.value, steps: [call, shown.call] };
}

async function tryPatch(
  trial: UpdateTrial,
  modify: Operation,
  full: Content,
  patch: ValueObject,
  wrongIn: (after: Value | undefined, was: Value | undefined) => string | undefined,
): Promise<void> {
  const [name = ''] = Object.keys(patch);
  if (modify.body === undefined || !fits([modify.body.schema], patch)) return;
  const { id } = await trial.make(full);
  // A GET need not show all of it, such as a part that is writeOnly.
  const before = await shownItem(trial.client, id);
  if (id === undefined || before === undefined) return;
  const call = await trial.update(modify, id, patch);
  const shown = succeeded(modify, call) ? await shownItem(trial.client, id) : undefined;
  if (shown === undefined) return;
  const did = wrongIn(shown.value[name], before.value[name]);
  if (did !== undefined)
    trial.find(modify, show(patch), [call, shown.call], {
      rule: 'a merge patch does not do what RFC 7396 says',
      did,
    });
}

/** A member that fits is sent beside one that does not. */
async function tryHalfDone(trial: UpdateTrial, operation: Operation): Promise<void> {
  const { identity, markers } = trial.client;
  const members = membersOf(contentLayers(operation, trial.client.resource));
  const { id } = await trial.make();
  const before = await shownItem(trial.client, id);
  if (id === undefined || before === undefined) return;
  const fit = changedBody(trial.client, operation, 'first');
  if (!isObject(fit)) return;
  const carrier = Object.keys(fit).find((name) => markers.of({ [name]: fit[name] ?? null }) !== undefined);
  const wrong = members.find(
    ({ name, schemas }) => name !== carrier && !identity.names.includes(name) && !fits(schemas, [[]]),
  );
  if (carrier === undefined || wrong === undefined) return;
  const what = `"${wrong.name}" is [[]]`;
  const call = await trial.update(operation, id, { ...fit, [wrong.name]: [[]] });
  if (succeeded(operation, call)) {
    const did = `"${wrong.name}" was [[]], and it was answered ${call.status}`;
    return trial.find(operation, what, [call], { rule: 'a value that does not fit is taken', did });
  }
  if (call.status === undefined || call.status < 400) return;
  const after = await shownItem(trial.client, id);
  const part = after?.value[carrier];
  if (after === undefined || part === undefined || sameValue(part, before.value[carrier] ?? null)) return;
  const did = `it was answered ${call.status}, and "${carrier}" is ${show(part)} now`;
  trial.find(operation, what, [call, after.call], { rule: 'a request that is refused is half done', did });
}
