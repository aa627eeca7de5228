/** What createPlant, listPlants and deletePlant mean. This folder alone knows plants. */
import type { Answer } from '../answer-reader.js';
import { brief } from '../answers.js';
import { countBounds } from '../bounds.js';
import type { Operation } from '../description.js';
import type { Breach } from '../findings.js';
import { isObject, show, type Value } from '../json.js';
import type { Consequence, Focus, Meaning, Prepared, Purpose } from '../meaning.js';
import type { RequestValues } from '../request.js';
import { together } from '../run.js';
import { layersOf } from '../schema.js';
import { membersOf } from '../sites.js';
import { explainGone, explainStored } from './blame.js';
import { cleanUp } from './clean-up.js';
import {
  bodyOf,
  type ClientOptions,
  contentOf,
  PlantsClient,
  plantOperations,
  plantsOf,
  sameContent,
} from './client.js';
import { probeCrowd } from './crowd.js';
import { breachOf } from './listing.js';
import { type Content, edges, OwnPlants } from './own-plants.js';
import { probeSequences } from './sequences.js';

/** @returns undefined where the contract is not about plants */
export function plantsMeaning(options: Omit<ClientOptions, 'operations'>): Meaning | undefined {
  const operations = plantOperations(options.description);
  return operations && new PlantsMeaning(new PlantsClient({ ...options, operations }));
}

class PlantsMeaning implements Meaning {
  readonly strictJson = true;
  readonly #client: PlantsClient;
  readonly #own = new OwnPlants();
  /** Whether the plants at the edges are the checker's own; found out once. */
  #edges: Promise<boolean> | undefined;

  readonly probes: Meaning['probes'] = [
    (run) => probeCrowd(run, this.#client, this.#own),
    (run) => probeSequences(run, this.#client, this.#own),
  ];

  constructor(client: PlantsClient) {
    this.#client = client;
  }

  async prepare(
    operation: Operation,
    values: RequestValues,
    purpose: Purpose,
    focus?: Focus,
  ): Promise<Prepared | undefined> {
    const { create, list, remove } = this.#client.operations;
    switch (operation.id) {
      case create.id:
        return this.#prepareCreate(values, purpose, focus);
      case list.id:
        return this.#prepareList(values);
      case remove.id:
        return purpose === 'refused'
          ? this.#prepareRefusedRemove(values, focus)
          : this.#prepareRemove(values, focus);
      default:
        return undefined;
    }
  }

  cleanUp(): Promise<readonly string[]> {
    return cleanUp(this.#client, this.#own);
  }

  async #prepareCreate(
    values: RequestValues,
    purpose: Purpose,
    focus: Focus | undefined,
  ): Promise<Prepared | undefined> {
    const body = isObject(values.body) ? values.body : {};
    const atEdge = purpose === 'accepted' && focus?.where === '/id';
    const asked = body['id'];
    if (atEdge && !(typeof asked === 'bigint' && edges.includes(asked))) return undefined;
    const id = atEdge && typeof asked === 'bigint' ? asked : this.#own.freshId();
    const marked = this.#marked(body, id, focus);
    const content = contentOf(marked) ?? { name: '' };
    if (atEdge && this.#own.find('first', id)) await this.#client.remove('first', id, [204]);
    this.#own.add({ owner: 'first', id, content });
    const prepared = { values: { ...values, body: { ...marked, id } } };
    if (purpose === 'refused') return { ...prepared, untouched: () => this.#notCreated(id) };
    return {
      ...prepared,
      // Somebody else may have a plant at an edge.
      statuses: atEdge ? [200, 409] : [200],
      verify: (answer) => {
        if (answer.status === 409) this.#own.remove('first', id, 'refused');
        else this.#own.confirm('first', id);
        return answer.status === 409 ? [] : this.#checkEcho(answer, content);
      },
    };
  }

  /** The body with a mark in its name or its tag, whichever the case is not about; a generated one has it in either. */
  #marked(
    body: Readonly<Record<string, Value>>,
    id: bigint,
    focus: Focus | undefined,
  ): Record<string, Value> {
    const mark = this.#own.freshMark();
    const inTag =
      focus?.where === '/name' || (focus === undefined && typeof body['tag'] === 'string' && id % 2n === 0n);
    const member = inTag ? 'tag' : 'name';
    const text = body[member];
    // As long as the schema allows: what is cut off is the generated text's.
    const longest = this.#longest(member);
    const generated = focus === undefined && typeof text === 'string' ? text : '';
    return { ...body, [member]: [...mark, ...generated].slice(0, longest).join('') };
  }

  #longest(member: string): number | undefined {
    const { body } = this.#client.operations.create;
    const schemas = body === undefined ? [] : membersOf(layersOf(body.schema));
    const layers = schemas.find(({ name }) => name === member)?.schemas ?? [];
    return countBounds(layers, ['minLength', 'maxLength']).most;
  }

  #checkEcho(answer: Answer, content: Content): Breach[] {
    const answered = contentOf(bodyOf(answer));
    if (answered !== undefined && sameContent(answered, content)) return [];
    const { create } = this.#client.operations;
    const did = `${brief(answer)} after ${show({ ...content })} was sent`;
    return [breachOf(create, 'the answer is not what was sent', did)];
  }

  async #notCreated(id: bigint): Promise<Consequence | undefined> {
    const call = await this.#client.remove('first', id, [204, 404]);
    this.#own.remove('first', id, 'refused');
    return call.status === 204 ? explainStored(this.#client, this.#own, call, id) : undefined;
  }

  #prepareList(values: RequestValues): Prepared {
    const limit = Number(values.query['limit'] ?? Number.POSITIVE_INFINITY);
    const { list } = this.#client.operations;
    return {
      values,
      statuses: [200],
      verify: (answer) => {
        const count = plantsOf({ request: { method: '', target: '', headers: [] }, outcome: answer }).length;
        if (count <= limit) return [];
        return [
          breachOf(list, 'the list is longer than limit', `it has ${count} plants, and limit is ${limit}`),
        ];
      },
    };
  }

  /** One generated id in two is an own plant's, which goes; the other is nobody's. */
  async #prepareRemove(values: RequestValues, focus: Focus | undefined): Promise<Prepared | undefined> {
    const asked = BigInt(values.path['id'] ?? 0);
    const atEdge = focus?.part === 'path';
    if (atEdge && !edges.includes(asked)) return undefined;
    const absent = !atEdge && asked % 2n !== 0n;
    const id = atEdge ? asked : this.#own.freshId();
    if (!absent && !(await this.#plant(id))) return undefined;
    return {
      values: { ...values, path: { id: String(id) } },
      statuses: [absent ? 404 : 204],
      verify: () => {
        this.#own.remove('first', id, 'deleted');
        return [];
      },
    };
  }

  /** A lenient server could take a broken id for one at an edge: nothing is tried unless the plants there are own ones. */
  async #prepareRefusedRemove(
    values: RequestValues,
    focus: Focus | undefined,
  ): Promise<Prepared | undefined> {
    if (focus?.part === 'path') {
      this.#edges ??= together(edges.map((id) => this.#plant(id))).then((own) => own.every(Boolean));
      if (!(await this.#edges)) return undefined;
    }
    const id = this.#own.freshId();
    if (!(await this.#plant(id))) return undefined;
    return {
      values: { ...values, path: { id: String(id) } },
      untouched: async () => {
        const call = await this.#client.remove('first', id, [204]);
        this.#own.remove('first', id, 'deleted');
        return call.status === 404 ? explainGone(this.#client, this.#own, call, id) : undefined;
      },
    };
  }

  /** @returns whether there is an own plant with this id, now if not before */
  async #plant(id: bigint): Promise<boolean> {
    if (this.#own.find('first', id)) return true;
    const content = { name: `${this.#own.freshMark()} to be deleted` };
    this.#own.add({ owner: 'first', id, content });
    const { status } = await this.#client.create('first', id, content, [200, 409]);
    if (status === 200) this.#own.confirm('first', id);
    // After any other answer it may be there, or not.
    else if (status === 409) this.#own.remove('first', id, 'refused');
    return status === 200;
  }
}
