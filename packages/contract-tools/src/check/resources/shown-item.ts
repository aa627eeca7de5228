/** Reads an item of the checker's own as its owner sees it, and compares two looks at it. */
import { succeeded, successesOrAbsencesOf } from '../../document/statuses.js';
import { isObject, sameValue, type ValueObject } from '../../values/json.js';
import type { Call } from './call.js';
import type { ResourceClient } from './client.js';
import type { Id } from './ids.js';
import type { Owner } from './own-items.js';

interface Shown {
  readonly call: Call;
  readonly value: ValueObject;
}

/** What a second look showed. */
export interface Look extends Shown {
  /** The members that differ from look to look by themselves, such as a counter of reads. */
  readonly restless: readonly string[];
}

/** @returns undefined if the item is not shown, or another one in its place, which other probes report */
export async function shownItem(
  client: ResourceClient,
  id: Id | undefined,
  owner: Owner = 'first',
): Promise<Shown | undefined> {
  const { get } = client.resource;
  if (get === undefined || id === undefined) return undefined;
  const call = await client.item(owner, get, id, successesOrAbsencesOf(get));
  if (!succeeded(get, call)) return undefined;
  const value = client.reader.shownBy(get, call.outcome);
  return isObject(value) && (client.identity.shownBy(value) ?? id) === id ? { call, value } : undefined;
}

export async function lookAt(
  client: ResourceClient,
  id: Id,
  owner: Owner = 'first',
): Promise<Look | undefined> {
  const first = await shownItem(client, id, owner);
  const second = first && (await shownItem(client, id, owner));
  return second && { ...second, restless: changedMembers(first.value, second.value) };
}

/** The names of the members that have changed between two looks, and not by themselves. */
export function changesBetween(before: Look, after: Look): string[] {
  const restless = [...before.restless, ...after.restless];
  return changedMembers(before.value, after.value).filter((name) => !restless.includes(name));
}

function changedMembers(before: ValueObject, after: ValueObject): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !sameValue(before[name] ?? null, after[name] ?? null));
}
