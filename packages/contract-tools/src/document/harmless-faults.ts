/**
 * Mends a copy of a document where a fault changes no meaning. Public documents have such faults, and nobody
 * can use a tool that refuses the document of somebody else for them. So they are told, and the rest is read.
 *
 * | fault | in the copy |
 * |---|---|
 * | `required: [a, b, a]`: items of a list that must differ are the same | each of them once |
 * | `description: null`, and a summary or a title | an empty text |
 * | `examples: { a: 1 }` in a schema, whose examples are a list | no examples |
 *
 * The published schemas say where such a fault is, because data may have members of these names, too. Their
 * errors are looked at one by one, and the copy is then compared with them again: an error that only seemed to
 * be such a fault is refused there. The cost is a second comparison, for documents that are not valid.
 */
import {
  isMap,
  type JsonObject,
  type JsonValue,
  type Path,
  pathOf,
  pointerOf,
  valueAt,
} from '../../../exact-json/index.js';
import { type SchemaError, sentenceOf } from './fault-sentences.js';
import type { Version } from './form.js';
import { errorsIn } from './validity.js';

interface Mended {
  readonly document: JsonObject;
  /** A sentence for each fault that was mended, with its place. */
  readonly faults: readonly string[];
  /** @returns where the author wrote what stands at a path of the copy: a list can have lost items */
  pathBefore(path: Path): Path;
}

/**
 * @param written the document with its integers as bigints. It stays as it is
 * @param doubles the same with doubles
 */
export function withoutHarmlessFaults(
  written: JsonObject,
  doubles: unknown,
  version: Version,
  place: (path: Path) => string,
): Mended {
  const harmless = new Map<string, Harmless>();
  for (const { errors, value, path: above } of errorsIn(doubles, version)) {
    for (const error of errors) {
      const below = pathOf(error.instancePath);
      const faulty = valueAt(value, below);
      const mend = mendOf(error, faulty);
      if (mend === undefined) continue;
      const path = [...above, ...below];
      const { sentence } = sentenceOf(error, faulty);
      // Several forms of one object can have the same error.
      harmless.set(pointerOf(path), { path, mend, sentence: `${place(path)}: ${sentence}` });
    }
  }
  const document = structuredClone(written);
  const left = new Map<string, readonly number[]>();
  // What is within a list comes before the list, whose indexes change.
  for (const { path, mend } of [...harmless.values()].toSorted((a, b) => b.path.length - a.path.length)) {
    const indexes = mendAt(document, path, mend);
    if (indexes !== undefined) left.set(pointerOf(path), indexes);
  }
  return {
    document,
    faults: Array.from(harmless.values(), ({ sentence }) => sentence),
    pathBefore: (path) => {
      const found: (string | number)[] = [];
      for (const key of path) found.push(left.get(pointerOf(found))?.[Number(key)] ?? key);
      return found;
    },
  };
}

type Mend = 'each item once' | 'an empty text' | 'nothing';

interface Harmless {
  readonly path: Path;
  readonly mend: Mend;
  readonly sentence: string;
}

/** @returns what to write instead; undefined if the error is not harmless */
function mendOf({ keyword, params, schemaPath = '' }: SchemaError, value: unknown): Mend | undefined {
  if (keyword === 'uniqueItems') return 'each item once';
  if (keyword !== 'type') return undefined;
  // Only people read these texts.
  const isText = /\/properties\/(?:description|summary|title)\/type$/.test(schemaPath);
  if (isText && params['type'] === 'string' && value === null) return 'an empty text';
  // The examples of a media type are a map, and those of a schema are not.
  const areExamples = /\/properties\/examples\/type$/.test(schemaPath);
  return areExamples && params['type'] === 'array' && isMap(value) ? 'nothing' : undefined;
}

/** @returns the indexes of the items that are left of a list */
function mendAt(document: JsonObject, path: Path, mend: Mend): readonly number[] | undefined {
  const parent = valueAt(document, path.slice(0, -1));
  const key = String(path.at(-1));
  if (!isMap(parent)) return undefined;
  // The parent belongs to the copy, which nobody else has yet.
  const members = parent as Record<string, JsonValue>;
  const { [key]: list } = members;
  if (mend === 'nothing') delete members[key];
  if (mend === 'an empty text') members[key] = '';
  if (mend !== 'each item once' || !Array.isArray(list)) return undefined;
  const indexes = firstOfEach(list);
  members[key] = indexes.flatMap((index) => list.slice(index, index + 1));
  return indexes;
}

/** @returns the index of the first of all items that are the same */
function firstOfEach(list: readonly JsonValue[]): number[] {
  const seen = new Set<string>();
  return [...list.keys()].filter((index) => {
    const text = JSON.stringify(list[index], (_, value) =>
      typeof value === 'bigint' ? Number(value) : value,
    );
    const isFirst = !seen.has(text);
    seen.add(text);
    return isFirst;
  });
}
