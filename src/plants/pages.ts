/** A long list is read in pages, by its key, so that it holds no connection between two of them. */
import type { Owner } from '../access/bearer.js';
import type { Database } from '../postgres/database.js';
import { type Plant, toPlant } from './plant.js';

export interface Page {
  readonly length: number;
  /** The id that the next page begins with; undefined where there is none. */
  readonly next: bigint | undefined;
  /** Of names and tags, with what stands between them. */
  readonly characters: number;
  /** Its plants, by ascending id. Made when they are asked for, so that PostgreSQL has the next page to do meanwhile. */
  plants(): Plant[];
}

/** The first and the last of PostgreSQL's bigint. */
const leastId = -(2n ** 63n);
const greatestId = 2n ** 63n - 1n;
/**
 * Plants. The first page is small, so that its first bytes come at once. Each other one is up to four times as
 * large as the one before, to be quick; but no larger than about 256 Ki characters, going by the one before.
 */
const sizes = { first: 100, growth: 4, most: 2_000, characters: 2 ** 18 };

/**
 * PostgreSQL sends a page as one row, in which each column of the plants is one text. A million plants on two cores,
 * in PostgreSQL, and then in JSON.parse or split: JSON arrays 0.60 + 0.06 s, texts with separators 0.47 + 0.05 s,
 * JSON objects 0.85 s, and a row for each plant in node-postgres 0.9 s altogether; psql's COPY 0.3 to 0.4 s.
 */
const bounds = 'max(id) AS last, count(*)::int AS length';
const arrays = `json_agg(name)::text AS names, json_agg(tag)::text AS tags, ${bounds}`;
/** Between the texts. A plus stands before each tag, to tell an empty one from none. */
const separator = '\u001f';
const texts = `string_agg(name, chr(31)) AS names, string_agg(coalesce('+' || tag, ''), chr(31)) AS tags, ${bounds}`;

/** A list of up to `limit` plants. */
export interface List {
  readonly owner: Owner;
  readonly limit: number;
}

/** How many first pages share a statement: with the longest names and tags, 100 of them are some megabytes. */
export const firstPages = 32;

/*
 * Each page is read along the key, whatever PostgreSQL believes of the table. By one limit alone, it sorts all of the
 * owner's plants for every page where it expects fewer of them than a page has: before the first ANALYZE, a million
 * took 40 s in place of 0.7 (PostgreSQL 18). So there are two. The inner one tells it that few rows are wanted; the outer
 * one is a value that it cannot know when it plans, so it expects to stop after a tenth of them, and sorts nothing.
 * By the outer one alone, it sorts where the table is larger than effective_cache_size.
 */

/** The first page of each list. */
export async function readFirstPages(database: Database, lists: readonly List[]): Promise<Page[]> {
  const { rows } = await database.query<Row>({
    text: `SELECT first.*
           FROM unnest($1::text[], $2::int[]) WITH ORDINALITY AS list (owner, size, place)
           CROSS JOIN LATERAL (
             SELECT ${arrays} FROM (
               SELECT * FROM (
                 SELECT id, name, tag FROM plants WHERE plants.owner = list.owner ORDER BY id LIMIT ${sizes.first}
               ) AS head LIMIT list.size
             ) AS page
           ) AS first ORDER BY place`,
    values: [lists.map(({ owner }) => owner), lists.map(sizeOfFirst)],
    reads: true,
  });
  // A row for each list, in the order of the lists.
  return lists.map((list, index) => fromArrays(rows[index] as Row, sizeOfFirst(list)));
}

/** The same, with a statement for each: Citus does not do the other (13.2). */
export function readEachFirstPage(database: Database, lists: readonly List[]): Promise<Page[]> {
  return Promise.all(lists.map((list) => readPage(database, list.owner, leastId, sizeOfFirst(list))));
}

function sizeOfFirst({ limit }: List): number {
  return Math.min(sizes.first, limit);
}

/** Up to `limit` more plants from the id `next` on. */
export function readNextPage(
  database: Database,
  owner: Owner,
  { length, characters }: Page,
  next: bigint,
  limit: number,
): Promise<Page> {
  const expected = Math.min(sizes.growth * length, sizes.most, (sizes.characters * length) / characters);
  return readPage(database, owner, next, Math.min(Math.ceil(expected), limit));
}

async function readPage(database: Database, owner: Owner, from: bigint, size: number): Promise<Page> {
  const ask = async (columns: string): Promise<Row> => {
    const { rows } = await database.query<Row>({
      text: `SELECT ${columns}
             FROM (
               SELECT * FROM (
                 SELECT id, name, tag FROM plants WHERE owner = $1 AND id >= $2 ORDER BY id LIMIT $3::int
               ) AS head LIMIT (SELECT $3::int)
             ) AS page`,
      values: [owner, from, size],
      reads: true,
    });
    // An aggregate without GROUP BY is always one row.
    return rows[0] as Row;
  };
  const row = await ask(texts);
  const names = row.names?.split(separator) ?? [];
  const tags = row.tags?.split(separator) ?? [];
  // There is a plant with a separator in it.
  if (names.length !== row.length || tags.length !== row.length) return fromArrays(await ask(arrays), size);
  return toPage(row, size, () =>
    names.map((name, index) =>
      toPlant({ name, tag: tags[index]?.startsWith('+') ? tags[index].slice(1) : null }),
    ),
  );
}

/** Names and tags are null where there are no plants. */
interface Row {
  readonly names: string | null;
  readonly tags: string | null;
  readonly last: bigint;
  readonly length: number;
}

function fromArrays(row: Row, size: number): Page {
  return toPage(row, size, () => {
    const names: string[] = JSON.parse(row.names ?? '[]');
    const tags: (string | null)[] = JSON.parse(row.tags ?? '[]');
    return names.map((name, index) => toPlant({ name, tag: tags[index] ?? null }));
  });
}

function toPage({ names, tags, last, length }: Row, size: number, plants: () => Plant[]): Page {
  const isLast = length < size || last === greatestId;
  return {
    length,
    next: isLast ? undefined : last + 1n,
    characters: (names ?? '').length + (tags ?? '').length,
    plants,
  };
}
