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
   * Undefined where its texts are unclear: a name or a tag has what stands between two, or it has both empty tags and
   * plants without a tag.
   */
  plants(): Plant[] | undefined;
}

export interface ClearPage extends Page {
  plants(): Plant[];
}

/**
 * Plants. The first page is small, so that its first bytes come at once. Each statement that follows reads up to
 * four times as many as the one before, to be quick, in pages of up to 1,600 plants, or of about 64 Ki characters, going
 * by the page before. (With 1,000, a list took 8 % longer; with 2,000 it was as quick, and twice as much grew old.) Eight
 * pages with one statement take PostgreSQL three quarters of the time of eight statements; with four and with sixteen a
 * list was slower by 4 and 5 % (medians of 14 rounds). Several lists that are being read share the eight pages, since
 * each holds those of two statements for as long as its reader takes.
 */
const sizes = { first: 100, growth: 4, most: 1_600, characters: 2 ** 16, pages: 8 };

/**
 * PostgreSQL sends a page as one row, in which each column of the plants is one text. A million plants on two cores,
 * in PostgreSQL, and then in JSON.parse or split: JSON arrays 0.60 + 0.06 s, texts with separators 0.47 + 0.05 s,
 * JSON objects 0.85 s, and a row for each plant in node-postgres 0.9 s altogether; psql's COPY 0.3 to 0.4 s.
 */
const bounds = 'max(id) AS last, count(*)::int AS length, count(tag)::int AS tagged';
const arrays = `json_agg(name)::text AS names, json_agg(tag)::text AS tags, ${bounds}`;
/** Between the texts. An empty text is no tag, unless all plants have one: a sign before each tag took 7 % longer. */
const separator = '\u001f';
const texts = `string_agg(name, chr(31)) AS names, string_agg(coalesce(tag, ''), chr(31)) AS tags, ${bounds}`;

/** A list of up to `limit` plants. */
export interface List {
  readonly owner: Owner;
  readonly limit: number;
}

/** How many first pages share a statement: with the longest names and tags, 100 of them are some megabytes. */
export const firstPages = 32;

/**
 * SQL for the first plants, by id, of those that `which` picks, by two limits of the same value. They are read along the
 * key, whatever PostgreSQL believes of the table. By one limit alone, it sorts all of the owner's plants for every page
 * where it expects fewer of them than a page has: before the first ANALYZE, a million took 40 s in place of 0.7
 * (PostgreSQL 18). The inner limit tells it that few rows are wanted; the outer one must be a value that it cannot know
 * when it plans, so that it expects to stop after a tenth of them, and sorts nothing. By the outer one alone, it sorts
 * where the table is larger than effective_cache_size.
 */
const firstOf = (which: string, known: string, unknown: string) =>
  `SELECT * FROM (SELECT id, name, tag FROM plants WHERE ${which} ORDER BY id LIMIT ${known}) AS head LIMIT ${unknown}`;

/**
 * The first page of each list. A lone list has a plain statement: 0.28 ms, where the one for many takes 0.35 for it
 * (PostgreSQL 18).
 */
export async function readFirstPages(database: Database, lists: readonly List[]): Promise<ClearPage[]> {
  if (lists.length === 1) return readEachFirstPage(database, lists);
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

/** The same, with a statement for each: Citus does not do the one for many (13.2). */
export function readEachFirstPage(database: Database, lists: readonly List[]): Promise<ClearPage[]> {
  return Promise.all(
    lists.map(async (list) => {
      const { rows } = await database.query<Row>({
        text: `SELECT ${arrays} FROM (${firstOf('owner = $1', `${sizes.first}`, '(SELECT $2::int)')}) AS page`,
        values: [list.owner, sizeOfFirst(list)],
        reads: true,
      });
      // An aggregate without GROUP BY is always one row.
      return fromArrays(rows[0] as Row, sizeOfFirst(list));
    }),
  );
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
  let form = asTexts;
  const readBehind = (page: Page, length: number, remaining: number) =>
    readNextPages(database, { owner, limit: remaining }, page, form, {
      plants: sizes.growth * length,
      pages: Math.ceil(sizes.pages / lists()),
    });
  let remaining = limit;
  let before: Page = first;
  let pages: Page[] = [first];
  for (let last = pages.at(-1); last !== undefined; last = pages.at(-1)) {
    const length = pages.reduce((sum, page) => sum + page.length, 0);
    // PostgreSQL reads the next pages while these are on their way to the client.
    let next = readBehind(last, length, remaining - length);
    // Whoever stops reading before they are here does not hear of their failure.
    next.catch(() => {});
    // Most are let go once they are sent: kept until the last of them is, more of their texts grew old.
    for (let page = pages.shift(); page !== undefined; page = pages.shift()) {
      // The query leaves before the thread is busy with these pages, and what others ask for is done between two of them.
      await turnOfTheLoop();
      const plants = page.plants();
      if (plants === undefined) {
        // It is read again, and with it what is behind, since it may end elsewhere by now. It happens once in a list.
        form = asArrays;
        next = readBehind(before, before.length, remaining);
        break;
      }
      yield plants;
      remaining -= page.length;
      before = page;
    }
    pages = await next;
  }
}

/** The pages of up to `limit` plants behind a page, as many as one statement reads. */
async function readNextPages(
  database: Database,
  { owner, limit }: List,
  { full, last, length, characters }: Page,
  { columns, toPage }: Form,
  most: { readonly plants: number; readonly pages: number },
): Promise<Page[]> {
  if (!full || limit === 0) return [];
  const plants = Math.min(most.plants, limit);
  const size = Math.min(sizes.most, plants, Math.ceil((sizes.characters * length) / characters));
  const { rows } = await database.query<Row & { place: number }>({
    // Behind a page that is not full there is none. Behind one that is much larger than expected, others would be, too.
    text: `WITH RECURSIVE page AS (
             SELECT 0 AS place, NULL AS names, NULL AS tags, $2::bigint AS last, $3::int AS length, 0 AS tagged
             UNION ALL
             SELECT place + 1, next.*
             FROM page CROSS JOIN LATERAL (
               SELECT ${columns} FROM (${firstOf('owner = $1 AND id > page.last', '$3::int', '(SELECT $3::int)')}) AS plant
             ) AS next
             WHERE page.length = $3::int AND place < $4::int
               AND coalesce(octet_length(page.names) + octet_length(page.tags), 0) < ${4 * sizes.characters}
           )
           SELECT * FROM page WHERE place > 0`,
    values: [owner, last, size, Math.min(most.pages, Math.floor(plants / size))],
    reads: true,
  });
  // PostgreSQL hands them out as it finds them, and does not promise to. ORDER BY would have it keep them all.
  return rows.sort((one, other) => one.place - other.place).map((row) => toPage(row, size));
}

/** Of a page. All but length and tagged are null where there are no plants. */
interface Row {
  readonly names: string | null;
  readonly tags: string | null;
  readonly last: bigint | null;
  readonly length: number;
  /** How many have a tag. */
  readonly tagged: number;
}

function fromArrays(row: Row, size: number): ClearPage {
  return {
    ...measuresOf(row, size),
    plants() {
      const names: string[] = JSON.parse(row.names ?? '[]');
      const tags: (string | null)[] = JSON.parse(row.tags ?? '[]');
      return names.map((name, index) => toPlant({ name, tag: tags[index] ?? null }));
    },
  };
}

function fromTexts(row: Row, size: number): Page {
  return {
    ...measuresOf(row, size),
    plants() {
      const names = row.names?.split(separator) ?? [];
      const tags = row.tags?.split(separator) ?? [];
      if (names.length !== row.length || tags.length !== row.length) return undefined;
      const untagged = row.length - row.tagged;
      if (untagged > 0 && tags.filter((tag) => tag === '').length > untagged) return undefined;
      const empty = untagged > 0 ? null : '';
      return names.map((name, index) => toPlant({ name, tag: tags[index] || empty }));
    },
  };
}

function measuresOf({ names, tags, last, length }: Row, size: number): Omit<Page, 'plants'> {
  return { length, full: length === size, last, characters: (names ?? '').length + (tags ?? '').length };
}

/** How PostgreSQL sends the plants of a page, and how they are read. */
interface Form {
  readonly columns: string;
  readonly toPage: (row: Row, size: number) => Page;
}
const asTexts: Form = { columns: texts, toPage: fromTexts };
const asArrays: Form = { columns: arrays, toPage: fromArrays };
