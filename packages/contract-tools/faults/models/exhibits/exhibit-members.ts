/** The members of an exhibit: what fits, what is shown of it, and what a patch makes of it. */
import { mergePatch } from '../plain/merge-patch.js';
import {
  boolean,
  type Check,
  integer,
  isMembers,
  listOf,
  type Members,
  nullable,
  object,
  oneOf,
  text,
} from '../plain/values.js';
import type { Store } from './store.js';

export const inventoryNumber = text(1, 32, /^[A-Za-z0-9][A-Za-z0-9 ._-]*$/);
export const hallName = text(1, 20, /^[a-z][a-z-]*$/);
export const materials = oneOf('stone', 'wood', 'metal', 'paper', 'other');
const millimetres = integer(1, 2 ** 31 - 1);
const number: Check = (value) => (typeof value === 'number' ? undefined : 'must be a number');
const known = [
  'inventoryNumber',
  'title',
  'material',
  'onDisplay',
  'year',
  'artist',
  'tags',
  'dimensions',
  'hall',
];
const sizes = ['height', 'width', 'depth'];

/** The checks of the members that a create and a patch have in common. */
function membersOf(store: Store): Readonly<Record<string, Check>> {
  const anyText = text(0, 100_000);
  return {
    title: store.has('a title may have any length') ? anyText : text(1, 200),
    material: store.has('a material may be any text') ? anyText : materials,
    onDisplay: boolean,
    year: nullable(store.has('a year may be a fraction') ? number : integer(-5000, 2100)),
    hall: nullable(hallName),
  };
}

export function newExhibitCheck(store: Store): Check {
  return object({
    required: ['inventoryNumber', 'title', 'material'],
    isClosed: store.has('unknown members are refused'),
    members: {
      ...membersOf(store),
      inventoryNumber,
      artist: text(1, 100),
      tags: tagsCheck(store),
      dimensions: object({ members: Object.fromEntries(sizes.map((name) => [name, millimetres])) }),
    },
  });
}

export function bulkCheck(store: Store): Check {
  const exhibit = store.has('a bulk is not validated')
    ? object({ required: ['inventoryNumber'], members: { inventoryNumber } })
    : newExhibitCheck(store);
  return listOf(exhibit, 1, store.has('a bulk may have any length') ? 1_000 : 8);
}

export function patchCheck(store: Store): Check {
  const { title, ...members } = membersOf(store);
  return object({
    members: {
      ...members,
      title: title && store.has('a null for a title is taken') ? nullable(title) : (title ?? text(1, 200)),
      artist: nullable(text(1, 100)),
      tags: nullable(tagsCheck(store)),
      dimensions: nullable(
        object({ members: Object.fromEntries(sizes.map((name) => [name, nullable(millimetres)])) }),
      ),
    },
  });
}

function tagsCheck(store: Store): Check {
  return listOf(text(1, 30), 0, store.has('there may be any number of tags') ? 10_000 : 10);
}

/** Returns what is stored of a body: the members that the document names, and the defaults. */
export function storedOf(body: Members, store: Store): Members {
  const { dimensions } = body;
  const kept = store.has('unknown members are stored and shown') ? body : only(body, known);
  return {
    onDisplay: false,
    ...(!store.has('an unknown year is absent instead of null') && { year: null }),
    hall: null,
    ...kept,
    ...(isMembers(dimensions) && { dimensions: only(dimensions, sizes) }),
  };
}

/** Returns the exhibit after a patch that fits. Its number stays: a patch cannot name it. */
export function patched(exhibit: Members, patch: Members, store: Store): Members {
  const named = only(
    patch,
    known.filter((name) => name !== 'inventoryNumber'),
  );
  if (store.has('a patch drops what it does not name')) {
    const { inventoryNumber, title, material } = exhibit;
    return storedOf({ inventoryNumber, title, material, ...withoutNulls(named) }, store);
  }
  if (store.has('a null takes nothing away')) return merged(exhibit, withoutNulls(named), store);
  if (store.has('a null is stored as null')) return { ...merged(exhibit, named, store), ...nullsOf(named) };
  if (store.has('a null for a title is taken') && named['title'] === null)
    return { ...merged(exhibit, withoutNulls(named), store), title: '' };
  if (store.has('a patch of an object replaces it') && isMembers(named['dimensions'])) {
    const dimensions = withoutNulls(named['dimensions']);
    return { ...merged(exhibit, named, store), dimensions };
  }
  if (store.has('a patch of a list adds to it') && Array.isArray(named['tags'])) {
    const before = Array.isArray(exhibit['tags']) ? exhibit['tags'] : [];
    return { ...merged(exhibit, named, store), tags: [...before, ...named['tags']] };
  }
  return merged(exhibit, named, store);
}

function merged(exhibit: Members, patch: Members, store: Store): Members {
  const after = mergePatch(exhibit, patch);
  return storedOf(isMembers(after) ? after : {}, store);
}

function only(members: Members, names: readonly string[]): Members {
  return Object.fromEntries(Object.entries(members).filter(([name]) => names.includes(name)));
}

function withoutNulls(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

function nullsOf(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value === null));
}
