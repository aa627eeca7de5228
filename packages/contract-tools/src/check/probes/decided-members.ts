/**
 * Tries who decides the members of an item that the client does not: those with a documented default, and those
 * that are `readOnly`.
 *
 * - A member that was not sent has its documented default, or is not shown.
 * - The server decides a `readOnly` member. It may refuse one that is sent, or ignore it.
 */
import fc from 'fast-check';
import type { Operation } from '../../document/operations.js';
import { succeeded } from '../../document/statuses.js';
import { shownLayers } from '../../resources/shape.js';
import { typeOf } from '../../values/bounds.js';
import { isObject, sameValue, show, type Value, type ValueObject } from '../../values/json.js';
import { layersOf } from '../../values/layers.js';
import { type Member, membersOf } from '../../values/sites.js';
import { anyValue } from '../../values/valid-values.js';
import { shownItem } from '../resources/shown-item.js';
import { defaultOf } from '../values/full-value.js';
import type { UpdateTrial } from './update-trial.js';

/** Looks at the members of a new item, and of the objects in it, that were not sent. */
export async function tryDefaults(trial: UpdateTrial): Promise<void> {
  const { create } = trial.client.resource;
  for (const optional of ['without', 'with'] as const) {
    const content = trial.client.plainContent('with defaults', optional);
    const { call, id } = await trial.make(content);
    const shown = await shownItem(trial.client, id);
    if (shown === undefined) continue;
    const wrong = trial.client.resource.members.flatMap((member) =>
      wrongDefault(member, content, shown.value, ''),
    )[0];
    if (wrong !== undefined)
      trial.find(create, 'a default', [call, shown.call], {
        rule: 'a default is not the documented one',
        did: wrong,
      });
  }
}

/** Sends a value of its own for each member that only the server decides. */
export async function tryReadOnly(trial: UpdateTrial, operation: Operation): Promise<void> {
  const client = trial.client;
  const { create } = client.resource;
  for (const { name, schemas } of readOnlyMembers(trial)) {
    const before = await decidedItem(trial, operation);
    if (before === undefined) continue;
    const usual = before[name];
    const sent = fc
      .sample(anyValue(schemas), { numRuns: 20, seed: trial.run.seed })
      .find((value) => value !== null && (usual === undefined || !sameValue(value, usual)));
    if (sent === undefined) continue;
    const made = await trial.make(
      operation === create ? { ...client.plainContent('of the client'), [name]: sent } : undefined,
    );
    if (operation === create && made.call.status !== undefined)
      trial.run.recorder.tried(create.id, `the member ${name}`);
    if (made.id === undefined) continue;
    const changed =
      operation === create
        ? made.call
        : await trial.update(operation, made.id, { ...trial.bodyOf(operation), [name]: sent });
    if (changed.status !== undefined) trial.run.recorder.tried(operation.id, `the member ${name}`);
    if (!succeeded(operation, changed)) continue;
    const shown = await shownItem(trial.client, made.id);
    const part = shown?.value[name];
    if (shown === undefined || part === undefined || !sameValue(part, sent)) continue;
    // What the server decides may have become that by itself.
    const later = await decidedItem(trial, operation);
    if (later === undefined || sameValue(later[name] ?? null, sent)) continue;
    const did = `"${name}" was sent as ${show(sent)}, and is ${show(part)} now`;
    trial.find(operation, `"${name}" is sent`, [changed, shown.call], {
      rule: 'a readOnly member is taken from the client',
      did,
    });
  }
}

/**
 * A plain item, and what the server decides of it by itself after the operation: many a server raises a `version`
 * with each update.
 *
 * @returns undefined if the operation does not succeed
 */
async function decidedItem(trial: UpdateTrial, operation: Operation): Promise<ValueObject | undefined> {
  const { id } = await trial.make();
  if (id === undefined) return undefined;
  if (operation !== trial.client.resource.create) {
    const changed = await trial.update(operation, id, trial.bodyOf(operation));
    if (!succeeded(operation, changed)) return undefined;
  }
  return (await shownItem(trial.client, id))?.value;
}

function readOnlyMembers(trial: UpdateTrial): Member[] {
  const { resource, identity } = trial.client;
  return membersOf(shownLayers(trial.get, resource)).filter(({ name, schemas }) => {
    const layers = schemas.flatMap(layersOf);
    const isReadOnly = layers.some((layer) => layer.flag('readOnly'));
    const isScalar = ['integer', 'string', 'boolean'].includes(typeOf(layers) ?? '');
    return isReadOnly && isScalar && !identity.names.includes(name);
  });
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
