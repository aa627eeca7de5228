/**
 * Tries whether what was uploaded is downloaded. An upload is a create, or an operation on an item or below it, whose body
 * holds a file; a download is a GET there that answers no JSON. No document says which of them belong together: a GET of
 * `/photos/{id}/thumbnail` shows another picture than the one that was uploaded. So a small file of ASCII is uploaded first,
 * and a download that answers just this file is taken for that of the upload, as is one at the path of a PUT that still
 * answers the file of the create. For further files, then, these hold:
 *
 * - The download answers the same bytes, and the media type of the upload if the document names it there.
 * - A member of the item such as `size` or `sha256` that was the length or the checksum of the first file is that of this
 *   one (file-facts.ts).
 * - A file name that is UTF-8 (RFC 7578, section 5.1) is not shown as Latin-1.
 * - The tag of the download changes if an upload replaces the file, and an upload with the old one as `If-Match` is refused.
 * - Another owner does not get the file, and nobody does when its item is deleted.
 */
import { headerValues } from '../../base/http/answer.js';
import { covers, isReadAsJson, withoutParameters } from '../../document/media-types.js';
import type { Operation } from '../../document/operations.js';
import { succeeded, successesOf } from '../../document/statuses.js';
import { comparedFiles, isPlainFile } from '../../values/files.js';
import { isObject, show, type ValueObject } from '../../values/json.js';
import { fits } from '../../values/valid-values.js';
import { plainRequest } from '../requests/plain-request.js';
import { isSilence } from '../requests/reply.js';
import { fileNames } from '../requests/write-body.js';
import type { Call } from '../resources/call.js';
import { conditionHeaders, tagOf } from '../resources/conditions.js';
import type { Id } from '../resources/ids.js';
import { makeItem, makeWhole } from '../resources/make-item.js';
import { shownItem } from '../resources/shown-item.js';
import { filledBody } from '../resources/updates.js';
import { doubt } from './denied.js';
import { type FileFact, factsIn } from './file-facts.js';
import { Trial } from './trial.js';

/** One way to upload a file: an operation, a part of its body, and a media type. */
interface Upload {
  readonly operation: Operation;
  readonly part: string;
  readonly type: string;
  readonly isCreate: boolean;
  /** What is uploaded, the small file first. */
  readonly files: readonly string[];
}

export function uploadsOn({ client: { resource }, run: { description, meaning } }: Trial): Upload[] {
  return description.operations.flatMap((operation) => {
    const { body, id, method } = operation;
    const isOnItem = isAt(operation, resource.itemPath) && meaning.heldBack(operation) === undefined;
    const isCreate = id === resource.create.id && method === 'POST';
    if (body?.parts === undefined || (!isCreate && !isOnItem)) return [];
    const { parts } = body;
    return [...parts].flatMap(([part, { types }]) => {
      const schema = body.schema.at('properties', part);
      if (schema === undefined || schema.text('type') === 'array') return [];
      return types.map((type) => ({
        ...{ part, type, isCreate },
        operation: {
          ...operation,
          body: { ...body, parts: new Map(parts).set(part, { kind: 'file', types: [type] }) },
        },
        files: comparedFiles(type).filter((file) => fits([schema], file)),
      }));
    });
  });
}

export function downloadsOn({ client: { resource }, run: { description } }: Trial): Operation[] {
  return description.operations.filter(
    (operation) =>
      operation.method === 'GET' &&
      isAt(operation, resource.itemPath) &&
      typesOf(operation).some((type) => !isReadAsJson(type) || type.startsWith('*')),
  );
}

/** Whether an operation is that of an item or below it, and names nothing else. */
function isAt({ path }: Operation, itemPath: string): boolean {
  return (path === itemPath || path.startsWith(`${itemPath}/`)) && !path.slice(itemPath.length).includes('{');
}

function typesOf(download: Operation): string[] {
  return successesOf(download).flatMap((status) => [
    ...(download.responses.get(status)?.content.keys() ?? []),
  ]);
}

export async function probeFiles(trial: Trial): Promise<void> {
  const unshown = new Set<string>();
  const facts: Facts = new Map();
  for (const upload of uploadsOn(trial)) {
    const isShown = await new FileTrial(trial, upload, facts).tryFiles();
    if (!isShown) unshown.add(upload.operation.id);
  }
  if (unshown.size > 0)
    trial.say(
      `nothing was compared of ${[...unshown].join(', ')}, because no download answers what it is sent`,
    );
}

/** What an item tells of the file that a download answers, by its id and the name of the member. */
type Facts = Map<string, ReadonlyMap<string, FileFact>>;

/** What was uploaded, and where it is. */
interface Sent {
  readonly id: Id;
  readonly file: string;
  readonly call: Call;
  /** What was downloaded before at the path of the upload. */
  readonly before: Call | undefined;
}

class FileTrial extends Trial {
  readonly #upload: Upload;
  readonly #facts: Facts;

  constructor(trial: Trial, upload: Upload, facts: Facts) {
    super(trial);
    this.#upload = upload;
    this.#facts = facts;
  }

  /** @returns false if no download answers the small file */
  async tryFiles(): Promise<boolean> {
    const [small, ...others] = this.#upload.files;
    const first = small === undefined ? undefined : await this.#send(small);
    // Whether an upload must be taken is a matter of the valid requests.
    if (first === undefined) return true;
    const downloads = new Map<Operation, Call>();
    for (const download of downloadsOn(this)) {
      const got = await this.#get(download, first.id);
      if (isFile(got, first.file)) downloads.set(download, got);
      else if (isStale(this.#upload, download, first, got)) {
        this.#judge(download, first, got);
        return true;
      }
    }
    for (const [download, shown] of downloads) {
      this.#judgeType(download, first, shown);
      await this.#learnFacts(download, first);
      await this.#judgeShown(download, first, true);
      await this.#tryStranger(download, first);
      for (const file of others) {
        const sent = await this.#send(file, first.id);
        if (sent === undefined) continue;
        const got = await this.#get(download, sent.id);
        const isRight = this.#judge(download, sent, got);
        this.#judgeTag(download, sent, got);
        await this.#judgeShown(download, sent, isRight);
        await this.#tryOldTag(sent, got);
      }
      await this.#tryDelete(download);
    }
    return downloads.size > 0;
  }

  /** @returns undefined if it did not succeed */
  async #send(file: string, there?: Id): Promise<Sent | undefined> {
    const { client } = this;
    const { operation, isCreate, part } = this.#upload;
    this.begin(operation);
    if (isCreate) {
      const content = { ...client.plainContent('with a file'), [part]: file };
      const { id, call } = await makeItem(client, content, 'first', operation);
      return id === undefined ? undefined : { id, file, call, before: undefined };
    }
    const id = there ?? (await makeWhole(client, 'with a file'))?.id;
    if (id === undefined) return undefined;
    client.own.doubt('first', id);
    const atPath = downloadsOn(this).find(({ path }) => path === operation.path);
    const before = atPath && (await this.#get(atPath, id));
    const body = this.#bodyWith(file);
    const call = await client.item('first', operation, id, failuresToo(operation), { body });
    return succeeded(operation, call) ? { id, file, call, before } : undefined;
  }

  #bodyWith(file: string): ValueObject {
    const { operation, part } = this.#upload;
    const plain = filledBody(this.client, operation, plainRequest(operation).body) ?? null;
    return { ...(isObject(plain) ? plain : {}), [part]: file };
  }

  #get(download: Operation, id: Id): Promise<Call> {
    return this.client.item('first', download, id, failuresToo(download));
  }

  async #shown(id: Id): Promise<ValueObject> {
    return (await shownItem(this.client, id))?.value ?? {};
  }

  /** @returns whether the file has come */
  #judge(download: Operation, sent: Sent, got: Call): boolean {
    const { outcome } = got;
    const [wanted, came] = [bytesOf(sent.file), isSilence(outcome) ? Buffer.alloc(0) : outcome.body];
    if (!succeeded(download, got) || isSilence(outcome)) {
      const did = `${wanted.length} bytes were uploaded, and the download was answered ${got.status ?? 'not at all'}`;
      this.#find(sent, [got], 'what was uploaded is not there', did);
      return false;
    }
    if (wanted.equals(came)) {
      this.#judgeType(download, sent, got);
      return true;
    }
    const at = wanted.findIndex((byte, index) => byte !== came[index]);
    const place = at < 0 ? wanted.length : at;
    const shown = (bytes: Buffer): string => bytes.subarray(place, place + 8).toString('hex') || 'the end';
    const did = `${wanted.length} bytes were uploaded, and ${came.length} came: from byte ${place} on, ${shown(came)} instead of ${shown(wanted)}`;
    this.#find(sent, [got], 'what is downloaded is not what was uploaded', did);
    return false;
  }

  /** What is uploaded as any bytes may be answered as what the server takes it for (RFC 9110, section 8.3). */
  #judgeType(download: Operation, sent: Sent, { outcome }: Call): void {
    const { type } = this.#upload;
    const isNamed = typesOf(download).some((one) => covers(one, type) && !one.startsWith('*'));
    if (isSilence(outcome) || !isNamed || type === 'application/octet-stream') return;
    const [came = 'none'] = headerValues(outcome, 'content-type');
    if (withoutParameters(came) === type) return;
    const did = `it was uploaded as ${type}, and the download has Content-Type ${came}`;
    this.#find(sent, [{ ...sent.call, outcome }], 'the media type of a file is not kept', did);
  }

  /** What another upload has shown to be the length of the file counts here, too. */
  async #learnFacts({ id }: Operation, sent: Sent): Promise<void> {
    const found = factsIn(await this.#shown(sent.id), bytesOf(sent.file));
    const known = this.#facts.get(id) ?? new Map<string, FileFact>();
    this.#facts.set(id, new Map([...known, ...found.map((fact) => [fact.member, fact] as const)]));
  }

  async #judgeShown(download: Operation, sent: Sent, isRight: boolean): Promise<void> {
    const shown = await this.#shown(sent.id);
    const facts = [...(this.#facts.get(download.id)?.values() ?? [])];
    const wrong = facts.find(({ member, of }) => shown[member] !== of(bytesOf(sent.file)));
    if (isRight && wrong !== undefined) {
      const { member, what } = wrong;
      const did = `${sent.file.length} bytes were uploaded, and "${member}" is ${show(shown[member] ?? null)}`;
      this.#find(sent, [], `the ${what} of a file is not that of what was uploaded`, did);
    }
    const garbled = Buffer.from(fileNames.odd).toString('latin1');
    const name = Object.entries(shown).find(([, value]) => value === garbled)?.[0];
    const did = `it was uploaded as ${fileNames.odd}, and "${name}" is ${garbled}`;
    if (name !== undefined) this.#find(sent, [], 'the name of a file is read as Latin-1', did);
  }

  #judgeTag(download: Operation, { before, call }: Sent, got: Call): void {
    const tag = tagOf(got.outcome);
    if (!this.isOn('conditions') || before === undefined || download.path !== this.#upload.operation.path)
      return;
    if (tag === undefined || tag !== tagOf(before.outcome)) return;
    const did = `other bytes were uploaded, and the tag still is ${tag}`;
    this.find(download, 'after an upload', [before, call, got], {
      ...{ rule: 'the tag stays when an upload changes the content', did, by: 'conditions' },
    });
  }

  /** RFC 9110, section 13.1.1: whoever knows the file that was replaced must not replace the new one. */
  async #tryOldTag({ id, before, call: upload }: Sent, got: Call): Promise<void> {
    const { operation, files } = this.#upload;
    const [old, now] = [before, got].map((one) => one && tagOf(one.outcome));
    const headers = before === undefined ? {} : conditionHeaders(operation, before.outcome);
    if (!this.isOn('conditions') || old === undefined || old === now || Object.keys(headers).length === 0)
      return;
    const values = {
      body: this.#bodyWith(files[0] ?? ''),
      headers: { ...plainRequest(operation).headers, ...headers },
    };
    const call = await this.client.item('first', operation, id, failuresToo(operation), values);
    if (!succeeded(operation, call)) return;
    const did = `the file has the tag ${now}, and an upload for ${old} was answered ${call.status}`;
    this.find(operation, 'with an old tag', [upload, got, call], {
      rule: 'an old tag is taken',
      did,
      by: 'conditions',
    });
  }

  async #tryStranger(download: Operation, { id, file }: Sent): Promise<void> {
    const { client, part } = this;
    if (part.known.length < 2 || !this.isOn('isolation') || !download.secured || download.anonymous) return;
    const call = await client.item('second', download, id, failuresToo(download), {
      path: client.pathTo(id),
    });
    if (!isFile(call, file)) return;
    this.find(download, 'by the second owner', [call], {
      rule: "another owner's item is reached by a path below it",
      did: `the second owner's request was answered ${call.status} with the file ${doubt}`,
      by: 'isolation',
    });
  }

  async #tryDelete(download: Operation): Promise<void> {
    const { client } = this;
    const { remove } = client.resource;
    const sent = remove && (await this.#send(this.#upload.files[0] ?? ''));
    if (remove === undefined || sent === undefined) return;
    const gone = await client.item('first', remove, sent.id);
    if (!succeeded(remove, gone)) return;
    const item = client.own.find('first', sent.id);
    if (item !== undefined) client.own.deleted(item, gone.status);
    const got = await this.#get(download, sent.id);
    if (gone.status === 202 || !isFile(got, sent.file)) return;
    this.find(download, 'after a delete', [sent.call, gone, got], {
      rule: 'a file is downloaded whose item is deleted',
      did: `${remove.id} was answered ${gone.status}, and the download ${got.status} with the file`,
    });
  }

  #find(sent: Sent, further: readonly Call[], rule: string, did: string): void {
    const { operation, type } = this.#upload;
    this.find(operation, `a file of ${type}`, [sent.call, ...further], { rule, did });
  }
}

/** RFC 9110, section 9.3.4: a PUT replaces the file that the item was made with. */
function isStale({ operation }: Upload, download: Operation, { call }: Sent, { outcome }: Call): boolean {
  const isReplaced = operation.method === 'PUT' && download.path === operation.path && call.status !== 202;
  return isReplaced && !isSilence(outcome) && isPlainFile(outcome.body);
}

function isFile({ outcome }: Call, file: string): boolean {
  return !isSilence(outcome) && outcome.body.equals(bytesOf(file));
}

function bytesOf(file: string): Buffer {
  return Buffer.from(file, 'latin1');
}

/** What is tried here is not whether an operation succeeds. */
function failuresToo({ responses }: Operation): number[] {
  return [...responses.keys()].filter((status) => status < 500);
}
