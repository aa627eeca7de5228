/** Whether a list holds the checker's own plants: each once, in order, as they were created, and no others. */
import type { Breach, Step } from '../findings.js';
import { printable, show } from '../json.js';
import { type Call, type PlantsClient, plantsOf, sameContent } from './client.js';
import type { Content, Owner, OwnPlant, OwnPlants } from './own-plants.js';

/** What is wrong with a list, and the requests that show whose fault it is. */
export interface ListFault {
  readonly steps: readonly Step[];
  readonly breach: Breach;
}

export interface ListingOptions {
  readonly client: PlantsClient;
  readonly own: OwnPlants;
  readonly owner: Owner;
  /** What should be there, by ascending id. */
  readonly expected: readonly OwnPlant[];
  /** Whether a marked plant is one that `expected` would have to have; the others are some other check's. */
  readonly concerns: (mark: string) => boolean;
}

/** @returns the first fault of a whole list, or of one that a limit cut */
export async function checkListing(
  options: ListingOptions,
  call: Call,
  limit = Number.POSITIVE_INFINITY,
): Promise<ListFault | undefined> {
  const { own, expected, concerns } = options;
  const all = plantsOf(call);
  const listed = all.flatMap((content) => {
    const mark = own.markOf(content);
    return mark !== undefined && concerns(mark) ? [{ mark, content }] : [];
  });
  const marks = listed.map(({ mark }) => mark);
  const wanted = expected.map((plant) => ({ plant, mark: own.markOf(plant.content) ?? '' }));
  if (all.length > limit)
    return listFault(options, call, `it has ${all.length} plants, and limit is ${limit}`);

  const extra = listed.find(({ mark }) => !wanted.some((plant) => plant.mark === mark));
  if (extra !== undefined) return explainExtra(options, call, extra.mark, extra.content);
  const twice = listed.find(({ mark }, index) => marks.indexOf(mark) < index);
  if (twice !== undefined) return listFault(options, call, `${show({ ...twice.content })} is listed twice`);
  // A list that is shorter than its limit is whole.
  const complete = all.length < limit ? wanted : wanted.slice(0, listed.length);
  const missing = complete.find(({ mark }) => !marks.includes(mark));
  if (missing !== undefined) return explainMissing(options, call, missing.plant);
  const misplaced = complete.findIndex(({ mark }, index) => mark !== marks[index]);
  if (misplaced >= 0) {
    return listFault(
      options,
      call,
      `${show({ ...listed[misplaced]?.content })} is not in the order of the ids`,
    );
  }
  const changed = complete.find(
    ({ plant }, index) => !sameContent(plant.content, listed[index]?.content ?? plant.content),
  );
  return changed && explainChange(options, call, changed.plant);
}

export function listFault({ client }: Pick<ListingOptions, 'client'>, call: Step, did: string): ListFault {
  const { list } = client.operations;
  return { steps: [call], breach: breachOf(list, 'the list is not what it should be', did) };
}

/** Creates another plant in the place of the one that is missing, and then the same again, to see what is there. */
async function explainMissing(
  { client, own }: ListingOptions,
  call: Call,
  { owner, id, content }: OwnPlant,
): Promise<ListFault> {
  const { list, create } = client.operations;
  const did = `the plant ${id}, ${show({ ...content })}, was created and is not listed`;
  const other = await client.create(owner, id, { name: `${own.freshMark()} other` }, [200, 409]);
  if (other.status !== 409) {
    return { steps: [call, other], breach: breachOf(create, 'a plant that was created is not there', did) };
  }
  const same = await client.create(owner, id, content, [200, 409]);
  const breach =
    same.status === 409
      ? breachOf(create, 'a plant is not stored as it was created', did)
      : breachOf(list, 'the list lacks a plant', did);
  return { steps: [call, other, same], breach };
}

/** Deletes what should not be there: where that succeeds, it was there. */
async function explainExtra(
  { client, own, owner }: ListingOptions,
  call: Call,
  mark: string,
  content: Content,
): Promise<ListFault> {
  const { list, create, remove } = client.operations;
  const former = own.former(mark);
  const plant = show({ ...content });
  if (former === undefined || former.owner !== owner) {
    const did = `${plant} is another owner's (or the two tokens belong to one owner)`;
    return { steps: [call], breach: breachOf(list, "the list shows another owner's plant", did) };
  }
  const again = await client.remove(owner, former.id, [204, 404]);
  const steps = [call, again];
  if (again.status !== 204) {
    return { steps, breach: breachOf(list, 'the list shows a plant that is gone', `${plant} is listed`) };
  }
  const breach =
    former.why === 'refused'
      ? breachOf(create, 'a plant that was refused is stored', `${plant} was refused, and is listed`)
      : breachOf(remove, 'a plant that was deleted is still there', `${plant} was deleted, and is listed`);
  return { steps, breach };
}

/** Creates it once more: a server that stored what it was sent answers 200 (and lists it wrongly). */
async function explainChange({ client }: ListingOptions, call: Call, plant: OwnPlant): Promise<ListFault> {
  const again = await client.create(plant.owner, plant.id, plant.content, [200, 409]);
  const { list, create } = client.operations;
  const did = `the plant ${plant.id} was created as ${show({ ...plant.content })}, and is listed otherwise`;
  return {
    steps: [call, again],
    breach: breachOf(again.status === 409 ? create : list, 'a plant is not listed as it was created', did),
  };
}

export function breachOf(
  { id, node }: PlantsClient['operations']['list'],
  rule: string,
  did: string,
): Breach {
  const path = node.at('description')?.path ?? node.path;
  const says = printable((node.text('description') ?? '').replace(/\s+/g, ' ').trim());
  return { rule, says, path, did, operation: id };
}
