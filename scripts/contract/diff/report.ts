/** Turns a comparison into the results that all reporters write. */
import { painted } from '../kit/progress.js';
import type { Item, Results, Safe } from '../kit/report/results.js';
import type { Change } from './change.js';

/** The result of a comparison. */
interface Comparison {
  readonly changes: readonly Change[];
  /** The versions of the old and of the new contract. */
  readonly versions: readonly [before: string, after: string];
  /** The versions of OpenAPI that they are written in. */
  readonly openapi: readonly [before: string, after: string];
  /** Says with which commit a git ref was compared, if that is not the ref's own. */
  readonly mergeBase: string | undefined;
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
  const changes = comparison.changes.map(({ breaking, place, operation, sentence }) => {
    const verdict = breaking ? painted(31, 'breaking  ') : painted(32, 'compatible');
    return `${verdict} ${safe(`${place} ${operation}: ${sentence}`)}`;
  });
  const others = [...remarksOf(comparison), conclusionOf(comparison), ...comparison.unsaid];
  return [...changes, ...others.map(safe)];
}

function remarksOf({ mergeBase, openapi: [before, after] }: Comparison): string[] {
  return [
    ...(mergeBase === undefined ? [] : [mergeBase]),
    ...(before === after ? [] : [`OpenAPI ${before} → ${after}.`]),
  ];
}

function asObject({ changes, versions, openapi, mergeBase, versionFault, unsaid }: Comparison): object {
  const [before, after] = versions;
  return {
    changes,
    ...(mergeBase !== undefined && { mergeBase }),
    openapi: { before: openapi[0], after: openapi[1] },
    version: { before, after, fault: versionFault ?? null },
    changelog: unsaid,
  };
}

/** Makes an item of each change. A breaking one has failed only if the version does not say so. */
function itemsOf({ changes, versionFault, versionPlace }: Comparison): Item[] {
  const ofChanges = changes.map(
    ({ breaking, operation, sentence, place }): Item => ({
      operation,
      title: sentence,
      place,
      seconds: 0,
      message: sentence,
      details: [],
      verdict: breaking && versionFault !== undefined ? 'failed' : 'noted',
      heading: breaking ? 'Breaking' : 'Compatible',
    }),
  );
  // Breaking changes stand first.
  ofChanges.sort((a, b) => a.heading.localeCompare(b.heading));
  if (versionFault === undefined) return ofChanges;
  const fault: Item = {
    operation: 'info.version',
    title: 'fits the changes',
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
  const all =
    changes.length === 0
      ? 'No changes'
      : `${changes.length} ${changes.length === 1 ? 'change' : 'changes'}, ${breaking} breaking`;
  const [before, after] = versions;
  const told = before === after ? `it is still ${after}` : `${before} → ${after}`;
  if (versionFault !== undefined) return `${all}: ${versionFault} (${versionPlace}: ${told}).`;
  return breaking === 0 ? `${all}.` : `${all}; the major version says so (${told}).`;
}
