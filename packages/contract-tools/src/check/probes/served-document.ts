/**
 * Compares the document that the server serves with the one in hand: a difference means a stale deployment.
 */

import type { Path } from '../../../../exact-json/index.js';
import { fromYaml, isArray, isObject, readJson, sameValue, show, type Value } from '../../values/json.js';
import { lookAlike } from '../../values/look-alike.js';
import { brief } from '../answers/check-answer.js';
import { isSilence } from '../requests/reply.js';
import type { RowTrial } from './trial.js';

/** The path at which a server may publish its contract, outside the contract itself. */
const target = '/openapi.json';
const called = { id: `GET ${target}` };
/** A deployment may write its own address here. */
const ignored = new Set(['servers']);
/** More differences would not help the reader. */
const maxDifferences = 20;

/**
 * Records a finding for each difference, up to `maxDifferences`. A server that answers 404 publishes no
 * document, and gets a note instead.
 */
export async function probeServedDocument(trial: RowTrial): Promise<void> {
  const { recorder, exchange, description } = trial.run;
  const request = { method: 'GET', target, headers: [] };
  const outcome = await exchange.send(request);
  if (!isSilence(outcome) && outcome.status === 404) {
    recorder.note(`The server does not serve ${target}, so its document was not compared with the YAML.`);
    return;
  }
  trial.begin(called);
  const find = (rule: string, path: Path, says: string, did: string): void =>
    trial.record(called, target, [{ request, outcome }], { rule, says, path, did, by: trial.row.rule });
  if (isSilence(outcome) || outcome.status !== 200) {
    const did = isSilence(outcome) ? outcome.reason : brief(outcome);
    find('no document', [], `${target} is the document, or a 404`, did);
    return;
  }
  try {
    const inHand = fromYaml(description.written);
    for (const { path, says, did } of differences(inHand, readJson(outcome.body)).slice(0, maxDifferences)) {
      find(`differs at ${path.join('/')}`, path, says, did);
    }
  } catch (error) {
    find('no document', [], 'the document is JSON', error instanceof Error ? error.message : String(error));
  }
}

interface Difference {
  readonly path: Path;
  readonly says: string;
  readonly did: string;
}

function differences(inHand: Value | undefined, served: Value | undefined, path: Path = []): Difference[] {
  if (path.length === 1 && ignored.has(String(path[0]))) return [];
  const [mine, theirs] = [membersOf(inHand), membersOf(served)];
  if (mine !== undefined && theirs !== undefined && isArray(inHand) === isArray(served)) {
    const names = new Set([...mine.keys(), ...theirs.keys()]);
    return [...names].flatMap((name) => differences(mine.get(name), theirs.get(name), [...path, name]));
  }
  if (inHand !== undefined && served !== undefined && sameValue(inHand, served)) return [];
  const name = path.join('/');
  return [
    {
      path,
      says: `${name} is ${show(inHand)}`,
      did: `the served document has ${show(served)} there${lookAlike(inHand, served)}`,
    },
  ];
}

function membersOf(value: Value | undefined): Map<string, Value> | undefined {
  if (isArray(value)) return new Map(value.map((item, index) => [String(index), item]));
  return isObject(value) ? new Map(Object.entries(value)) : undefined;
}
