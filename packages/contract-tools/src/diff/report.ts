/** Turns a comparison into the results that all reporters write. */
import { styleText } from 'node:util';
import type { Item, Results, Safe } from '../base/report/results.js';
import { operationsOf, type ToldChange } from './told-once.js';

/** The result of a comparison. */
interface Comparison {
  readonly changes: readonly ToldChange[];
  /** The versions of the old and of the new contract. */
  readonly versions: readonly [before: string, after: string];
  /** The versions of OpenAPI that they are written in. */
  readonly openapi: readonly [before: string, after: string];
  /** Says with which commit a git ref was compared, if that is not the ref's own. */
  readonly mergeBase: string | undefined;
  /** The acceptances that let nothing through. */
  readonly stale: readonly string[];
  /** The place of the new version. */
  readonly versionPlace: string;
  /** Why the new version does not tell consumers what changed. */
  readonly versionFault: string | undefined;
  /** The omissions of the changelog. */
  readonly unsaid: readonly string[];
}

export function resultsOf(comparison: Comparison): Results {
  const { unsaid } = comparison;
  return {
    tool: 'diff:contract',
    items: [...itemsOf(comparison), ...unsaid.map(unsaidItem)],
    remarks: remarksOf(comparison),
    conclusion: [conclusionOf(comparison)],
    text: (safe) => asText(comparison, safe),
    json: () => asObject(comparison),
  };
}

function asText(comparison: Comparison, safe: Safe): string[] {
  const changes = comparison.changes.map((change) => {
    const { id, place, sentence } = change;
    const text = safe(`${place} ${operationsOf(change, maxNamed)}: ${sentence}`);
    return `${verdictOf(change)} ${text} [${id}]`;
  });
  const others = [...remarksOf(comparison), conclusionOf(comparison), ...comparison.unsaid];
  return [...changes, ...others.map(safe)];
}

function verdictOf({ breaking, accepted }: ToldChange): string {
  if (accepted) return styleText('yellow', 'accepted  ');
  return breaking ? styleText('red', 'breaking  ') : styleText('green', 'compatible');
}

/** A line of the terminal names so many operations; the other reports name all. */
const maxNamed = 3;

function remarksOf({ mergeBase, openapi: [before, after], stale }: Comparison): string[] {
  return [
    ...(mergeBase === undefined ? [] : [mergeBase]),
    ...(before === after ? [] : [`OpenAPI ${before} → ${after}.`]),
    ...stale,
  ];
}

function asObject({
  changes,
  versions,
  openapi,
  mergeBase,
  stale,
  versionFault,
  unsaid,
}: Comparison): object {
  const [before, after] = versions;
  return {
    changes,
    ...(mergeBase !== undefined && { mergeBase }),
    openapi: { before: openapi[0], after: openapi[1] },
    version: { before, after, fault: versionFault ?? null },
    changelog: unsaid,
    staleAcceptances: stale,
  };
}

/** Makes an item of each change. A breaking one has failed only if the version does not say so. */
function itemsOf({ changes, versionFault, versionPlace }: Comparison): Item[] {
  const ofChanges = changes.map((change): Item => {
    const { id, breaking, accepted, sentence, place, uses } = change;
    const message = `${sentence} [${id}]`;
    return {
      ...{ operation: operationsOf(change, 0), title: message, place, seconds: 0, message, details: uses },
      rule: id,
      verdict: breaking && versionFault !== undefined ? 'failed' : 'noted',
      heading: accepted ? 'Accepted' : breaking ? 'Breaking' : 'Compatible',
    };
  });
  const order = ['Breaking', 'Accepted', 'Compatible'];
  ofChanges.sort((a, b) => order.indexOf(a.heading) - order.indexOf(b.heading));
  if (versionFault === undefined) return ofChanges;
  const fault: Item = {
    operation: 'info.version',
    title: 'fits the changes',
    rule: 'version',
    place: versionPlace,
    seconds: 0,
    verdict: 'failed',
    message: versionFault,
    details: [],
    heading: 'Version',
  };
  return [...ofChanges, fault];
}

function unsaidItem(sentence: string): Item {
  return {
    operation: 'the changelog',
    title: sentence,
    rule: 'changelog',
    place: '',
    seconds: 0,
    verdict: 'failed',
    message: sentence,
    details: [],
    heading: 'Changelog',
  };
}

function conclusionOf({ changes, versions, versionPlace, versionFault }: Comparison): string {
  const breaking = changes.filter((change) => change.breaking).length;
  const accepted = changes.filter((change) => change.accepted).length;
  const all =
    changes.length === 0
      ? 'No changes'
      : `${changes.length} ${changes.length === 1 ? 'change' : 'changes'}, ${breaking} breaking${accepted === 0 ? '' : `, ${accepted} accepted`}`;
  const [before, after] = versions;
  const numbers = before === after ? `it is still ${after}` : `${before} → ${after}`;
  if (versionFault !== undefined) return `${all}: ${versionFault} (${versionPlace}: ${numbers}).`;
  return breaking === 0 ? `${all}.` : `${all}; the major version says so (${numbers}).`;
}
