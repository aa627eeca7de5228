/** A long list is read in pages, by its key, so that it holds no connection between two statements. */
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { Owner } from '../access/bearer.js';
import type { Database } from '../postgres/database.js';
import { type Plant, toPlant } from './plant.js';

interface Page {
  readonly length: number;
  /** Whether it has as many plants as were asked for; where it has fewer, the list ends with it. */
  readonly full: boolean;
  /** The id of the last plant; null where there is none. */
  readonly last: bigint | null;
  /** Of names and tags, with what stands between them. */
  readonly characters: number;
  /**
   * Its plants, by ascending id. Made when they are asked for, so that PostgreSQL has the next pages to do meanwhile.
   * Undefined where a name or a tag has what stands between two of them.
   */
  plants(): Plant[] | undefined;
}

export interface ClearPage extends Page {
  plants(): Plant[];
}

/** The first of PostgreSQL's bigint. */
const leastId = -(2n ** 63n);
/**
 * Plants. The first page is small, so that its first bytes come at once. Each statement that follows reads up to
 * four times as many as the one before, to be quick, in pages of up to 2,000 plants, or of about 64 Ki characters, going
 * by the page before. Eight pages with one statement take PostgreSQL three quarters of the time of eight statements; with
 * four and with sixteen a list was slower by 4 and 5 % (medians of 14 rounds). Several lists that are being read share
 * the eight pages, since each holds those of two statements for as long as its reader takes.
 */
const sizes = { first: 100, growth: 4, most: 2_000, characters: 2 ** 16, pages: 8 };

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

/**
 * The first plants of some, by id, read along the key, whatever PostgreSQL believes of the table. By one limit alone, it
 * sorts all of the owner's plants for every page where it expects fewer of them than a page has: before the first
 * ANALYZE, a million took 40 s in place of 0.7 (PostgreSQL 18). So there are two. The inner one tells it that few rows
 * are wanted; the outer one must be a value that it cannot know when it plans, so it expects to stop after a tenth of
 * them, and sorts nothing. By the outer one alone, it sorts where the table is larger than effective_cache_size.
 */
const firstOf = (which: string, known: string, unknown: string) =>
  `SELECT * FROM (SELECT id, name, tag FROM plants WHERE ${which} ORDER BY id LIMIT ${known}) AS head LIMIT ${unknown}`;

/** The first page of each list. */
export async function readFirstPages(database: Database, lists: readonly List[]): Promise<ClearPage[]> {
  const { rows } = await database.query<Row>({
    text: `SELECT first.*
           FROM unnest($1::text[], $2::int[]) WITH ORDINALITY AS list (owner, size, place)
           CROSS JOIN LATERAL (
             SELECT ${arrays} FROM (${firstOf('plants.owner = list.owner', `${sizes.first}`, 'list.size')}) AS page
           ) AS first ORDER BY place`,
    values: [lists.map(({ owner }) => owner), lists.map(sizeOfFirst)],
    reads: true,
  });
  // A row for each list, in the order of the lists.
  return lists.map((list, index) => fromArrays(rows[index] as Row, sizeOfFirst(list)));
}

/** The same, with a statement for each: Citus does not do the other (13.2). */
export function readEachFirstPage(database: Database, lists: readonly List[]): Promise<ClearPage[]> {
  return Promise.all(lists.map((list) => readPage(database, list.owner, leastId, sizeOfFirst(list))));
}

function sizeOfFirst({ limit }: List): number {
  return Math.min(sizes.first, limit);
}

/**
 * All plants of a list, beginning with those of its first page.
 *
 * @param lists how many are being read now
 */
export async function* readPages(
  database: Database,
  { owner, limit }: List,
  first: ClearPage,
  lists: () => number,
): AsyncGenerator<Plant[]> {
  let remaining = limit;
  let from = leastId;
  let pages: readonly Page[] = [first];
  while (pages.length > 0) {
    // PostgreSQL reads them while these are on their way to the client.
    let next = readNextPages(database, { owner, limit: remaining }, pages, Math.ceil(sizes.pages / lists()));
    // Whoever stops reading before they are here does not hear of their failure.
    next.catch(() => {});
    for (const page of pages) {
      // The query leaves with this turn of the event loop, before the thread is busy with this page.
      await turnOfTheLoop();
      const plants = page.plants();
      if (plants === undefined) {
        // What was read behind it may not fit to what is there now.
        next = readPage(database, owner, from, page.length).then((clear) => [clear]);
        break;
      }
      yield plants;
      remaining -= page.length;
      if (page.last !== null) from = page.last + 1n;
    }
    pages = await next;
  }
}

/** Up to `most` pages behind some pages of a list, which has up to `limit` plants from the first of these on. */
async function readNextPages(
  database: Database,
  { owner, limit }: List,
  pages: readonly Page[],
  most: number,
): Promise<Page[]> {
  const length = pages.reduce((sum, page) => sum + page.length, 0);
  const page = pages.at(-1);
  if (!page?.full || length === limit) return [];
  const plants = Math.min(sizes.growth * length, limit - length);
  const size = Math.min(sizes.most, plants, Math.ceil((sizes.characters * page.length) / page.characters));
  const { rows } = await database.query<Row & { place: number }>({
    text: `WITH RECURSIVE page AS (
             SELECT 0 AS place, NULL AS names, NULL AS tags, $2::bigint AS last, $3::int AS length
             UNION ALL
             SELECT place + 1, next.*
             FROM page CROSS JOIN LATERAL (
               SELECT ${texts} FROM (${firstOf('owner = $1 AND id > page.last', '$3::int', '(SELECT $3::int)')}) AS plant
             ) AS next
             WHERE page.length = $3::int AND place < $4::int
           )
           SELECT * FROM page WHERE place > 0`,
    values: [owner, page.last, size, Math.min(most, Math.floor(plants / size))],
    reads: true,
  });
  return rows.sort((one, other) => one.place - other.place).map((row) => fromTexts(row, size));
}

/** One page, whatever is in it. */
async function readPage(database: Database, owner: Owner, from: bigint, size: number): Promise<ClearPage> {
  const { rows } = await database.query<Row>({
    text: `SELECT ${arrays} FROM (${firstOf('owner = $1 AND id >= $2', '$3::int', '(SELECT $3::int)')}) AS page`,
    values: [owner, from, size],
    reads: true,
  });
  // An aggregate without GROUP BY is always one row.
  return fromArrays(rows[0] as Row, size);
}

/** Of a page. All but the length are null where there are no plants. */
interface Row {
  readonly names: string | null;
  readonly tags: string | null;
  readonly last: bigint | null;
  readonly length: number;
}

function fromArrays(row: Row, size: number): ClearPage {
  return {
    ...toPage(row, size),
    plants() {
      const names: string[] = JSON.parse(row.names ?? '[]');
      const tags: (string | null)[] = JSON.parse(row.tags ?? '[]');
      return names.map((name, index) => toPlant({ name, tag: tags[index] ?? null }));
    },
  };
}

function fromTexts(row: Row, size: number): Page {
  return {
    ...toPage(row, size),
    plants() {
      const names = row.names?.split(separator) ?? [];
      const tags = row.tags?.split(separator) ?? [];
      if (names.length !== row.length || tags.length !== row.length) return undefined;
      return names.map((name, index) =>
        toPlant({ name, tag: tags[index]?.startsWith('+') ? tags[index].slice(1) : null }),
      );
    },
  };
}

function toPage({ names, tags, last, length }: Row, size: number) {
  return { length, full: length === size, last, characters: (names ?? '').length + (tags ?? '').length };
}
