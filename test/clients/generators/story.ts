/** The story that every generated client tells: what it got for each request, printed as JSON. */

export interface Plant {
  name: string;
  tag?: string | undefined;
}

export interface NewPlant<Id> extends Plant {
  id: Id;
}

/** The contract's Error. A story hands over what its client typed as an error, so a client without types fails. */
export interface Failure {
  error: number;
  message: string;
}

/** Each method returns a failure, or throws it, as the generated client does. */
export interface Client<Id> {
  create(plant: NewPlant<Id>): Promise<Plant | Failure>;
  list(limit?: number): Promise<Plant[] | Failure>;
  /** Returns what the generated client makes of a 204, whatever it is. */
  delete(id: Id): Promise<unknown>;
}

/** The story that those in other languages tell, too, and what the table of docs/clients.md says. */
interface Told {
  readonly steps: object;
  /** How the failure of the conflict reached the program. */
  readonly failure: 'returned' | 'thrown';
  /** What became of a 204. */
  readonly nothing: string;
}

/** The ids that are beyond a double of JavaScript: 2^53+1, and the ends of int64. */
const exactIds = [9_007_199_254_740_993n, 2n ** 63n - 1n, -(2n ** 63n)];

/**
 * @param connect makes the client of an address and a token
 * @param idOf makes an id of the client's type: `Number`, `String`, or the bigint itself
 */
export async function tell<Id>(
  connect: (url: string, token: string) => Client<Id>,
  idOf: (id: bigint) => Id,
): Promise<void> {
  const { PLANTS_URL = '', PLANTS_TOKEN = '' } = process.env;
  const client = connect(PLANTS_URL, PLANTS_TOKEN);
  const created = await client.create({ id: idOf(7n), name: 'Monstera deliciosa', tag: 'climber' });
  const another = await client.create({ id: idOf(-8n), name: 'Ficus' });
  const first = await client.list(1);
  const all = await client.list();
  const conflict = await answerTo(client.create({ id: idOf(7n), name: 'Fern' }));
  const badBody = await answerTo(client.create({ id: idOf(9n), name: '' }));
  const badLimit = await answerTo(client.list(0));
  const deleted = await client.delete(idOf(7n));
  const absent = await answerTo(client.delete(idOf(7n)));
  const refused = await answerTo(connect(PLANTS_URL, 'plant_x').list());
  // Last, because the list of a client that rounds them would have other plants.
  for (const id of exactIds) await answerTo(client.create({ id: idOf(id), name: `Fern ${id}` }));
  const told: Told = {
    steps: {
      created,
      another,
      first,
      all,
      conflict: conflict.answer,
      badBody: badBody.answer,
      badLimit: badLimit.answer,
      deleted: 'nothing',
      absent: absent.answer,
      refused: refused.answer,
    },
    failure: conflict.arrived,
    nothing: deleted === undefined ? 'undefined' : JSON.stringify(deleted),
  };
  console.log(JSON.stringify(told));
}

/** Waits for an answer, be it returned or thrown. */
async function answerTo(request: Promise<unknown>): Promise<{ answer: unknown; arrived: Told['failure'] }> {
  return request.then(
    (answer) => ({ answer, arrived: 'returned' }),
    (failure: unknown) => ({ answer: failure, arrived: 'thrown' }),
  );
}
