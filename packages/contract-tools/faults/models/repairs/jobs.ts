/** Jobs, which are made below a workshop and live at a path of their own, with a tag that every change changes. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { matchesStrongly, matchesWeakly, opaque } from '../plain/conditions.js';
import { Problem, refuseIf } from '../plain/problem.js';
import type { Answered, Asked, Route } from '../plain/server.js';
import { isMembers, type Members, uuid } from '../plain/values.js';
import { listJobs } from './job-list.js';
import { jobCheck, replacementCheck, withDefaults, without } from './job-members.js';
import { find, type Job, type Store } from './store.js';

/** Writers who have checked the same tag both write after this time, if they are not kept apart. */
const raceMs = 20;

export function jobRoutes(store: Store): readonly Route[] {
  const jobs = new Jobs(store);
  const below = '/workshops/{workshopId}/jobs';
  const takes = ['application/json'];
  return [
    { operation: 'createJob', method: 'POST', path: below, takes, answer: (asked) => jobs.create(asked) },
    { operation: 'listJobs', method: 'GET', path: below, answer: (asked) => listJobs(store, asked) },
    { operation: 'getJob', method: 'GET', path: '/jobs/{jobId}', answer: (asked) => jobs.get(asked) },
    {
      operation: 'replaceJob',
      method: 'PUT',
      path: '/jobs/{jobId}',
      takes,
      answer: (asked) => jobs.replace(asked),
    },
    {
      operation: 'removeJob',
      method: 'DELETE',
      path: '/jobs/{jobId}',
      answer: (asked) => jobs.remove(asked),
    },
  ];
}

class Jobs {
  readonly #store: Store;
  #lastNumber = 0;
  #lastId: string | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  create({ owner, path, body }: Asked): Answered {
    const workshop = this.#workshopOf(owner, path['workshopId']);
    refuseIf(jobCheck(this.#store)(body));
    const id = randomUUID();
    const number =
      isMembers(body) && this.#has('the number of a new job is taken from the client')
        ? (body['number'] ?? ++this.#lastNumber)
        : ++this.#lastNumber;
    const own = { id, number, workshopId: workshop.id, createdAt: new Date().toISOString() };
    const given = withDefaults(body, this.#store);
    const members = { ...given, ...own };
    const kept = this.#has('a new job forgets its contact') ? without(members, ['contact']) : members;
    const job = {
      owner: workshop.owner,
      workshopId: workshop.id,
      members: kept,
      revision: this.#store.nextRevision(),
    };
    this.#store.jobs.set(id, job);
    const location = this.#locationOf(id, workshop.id);
    this.#lastId = id;
    const etag = this.#has('the tag of the create is not that of the get') ? `"${id}"` : this.#tagOf(job);
    return { status: 201, headers: { location, etag }, body: members };
  }

  get({ owner, path, headers }: Asked): Answered {
    const job = this.#find(owner, path['jobId'], this.#has('another owner reads a job'));
    const etag = this.#tagOf(job);
    const condition = headers['if-none-match'];
    const isKnown =
      condition !== undefined && !this.#has('If-None-Match is ignored') && matchesWeakly(condition, etag);
    const isSecond = job.wasRead === true && this.#has('a second reader gets a 304 without a condition');
    job.wasRead = true;
    if (isKnown || isSecond) return { status: 304, headers: { etag } };
    return { status: 200, headers: { etag }, body: job.members };
  }

  async replace({ owner, path, headers, body }: Asked): Promise<Answered> {
    const job = this.#find(owner, path['jobId'], this.#has('another owner replaces a job'));
    const condition = headers['if-match'];
    if (condition === undefined && !this.#has('a replacement needs no tag'))
      throw new Problem(428, 'Send If-Match with the ETag of the job.');
    const isRefused =
      condition !== undefined && !this.#has('a stale tag replaces a job') && !this.#matches(condition, job);
    if (isRefused && !this.#has('a 412 is answered, and the job is replaced')) throw staleTag();
    refuseIf(replacementCheck(this.#store)(body));
    if (this.#has('two writers with one tag both win')) await pause(raceMs);
    const replaced = this.#replaced(job, body);
    this.#store.jobs.set(String(job.members['id']), replaced);
    if (isRefused) throw staleTag();
    return { status: 200, headers: { etag: this.#tagOf(replaced) }, body: replaced.members };
  }

  remove({ owner, path, headers }: Asked): Answered {
    const isOpen = this.#has('another owner removes a job') || owner === '';
    const job = this.#find(owner, path['jobId'], isOpen);
    const condition = headers['if-match'];
    const isStale = condition !== undefined && !matchesStrongly(condition, this.#tagOf(job));
    if (isStale && !this.#has('a stale tag removes a job')) throw staleTag();
    if (this.#has('a removed job stays in the list')) job.isRemoved = true;
    else this.#store.jobs.delete(String(job.members['id']));
    return { status: 204 };
  }

  #has(fault: Parameters<Store['has']>[0]): boolean {
    return this.#store.has(fault);
  }

  /** @returns whose workshop it is, and its id as it was made */
  #workshopOf(owner: string, id: string | undefined): { owner: string; id: string } {
    const isTaken = this.#has('a job is added to a workshop that nobody has');
    const isId = id !== undefined && uuid(id) === undefined;
    if (isTaken && isId && !this.#store.workshops.has(id)) return { owner, id };
    const isOpen = this.#has('another owner adds a job to a workshop');
    const found = find(this.#store.workshops, id, owner, isOpen);
    return { owner: found.owner, id: String(found.members['id']) };
  }

  #find(owner: string, id: string | undefined, isOpen: boolean): Job {
    const job = find(this.#store.jobs, id, owner, isOpen);
    if (job.isRemoved) throw new Problem(404, 'There is none.');
    return job;
  }

  #tagOf({ revision, members }: Job): string {
    return this.#has('the tag stays as it is when the job changes')
      ? `"${members['number']}"`
      : `"r${revision}"`;
  }

  #matches(condition: string, job: Job): boolean {
    const tag = this.#tagOf(job);
    if (this.#has('If-Match takes the weak form of a tag')) return matchesWeakly(condition, tag);
    if (this.#has('If-Match reads a list of tags as one tag')) return ['*', tag].includes(condition);
    if (this.#has('If-Match does not know the asterisk') && condition === '*') return false;
    if (this.#has('a tag without its quotes is taken'))
      return matchesStrongly(condition, tag) || `"${opaque(condition)}"` === tag;
    return matchesStrongly(condition, tag);
  }

  /** RFC 9110, section 9.3.4: the body is the whole job, apart from what only the server decides. */
  #replaced(job: Job, body: unknown): Job {
    const { id, number, workshopId, createdAt } = job.members;
    const isKept = this.#has('a replacement keeps what it leaves out');
    const given: Members = { ...(isKept && job.members), ...withDefaults(body, this.#store) };
    const isTheirs = isMembers(body) && this.#has('a replacement takes the number from the client');
    const own = {
      id,
      number: isTheirs ? (body['number'] ?? number) : number,
      workshopId,
      createdAt: this.#has('a replacement makes the job younger') ? new Date().toISOString() : createdAt,
    };
    return { ...job, members: { ...given, ...own }, revision: this.#store.nextRevision() };
  }

  #locationOf(id: string, workshopId: string): string {
    if (this.#has('the Location of a job leads to the job before it')) return `/jobs/${this.#lastId ?? id}`;
    return this.#has('the Location of a job leads below its workshop, where nothing is')
      ? `/workshops/${workshopId}/jobs/${id}`
      : `/jobs/${id}`;
  }
}

function staleTag(): Problem {
  return new Problem(412, 'The job has another ETag: somebody has changed it.');
}
