import type { Change } from './change.js';

/** The result of a comparison. */
interface Comparison {
  readonly changes: readonly Change[];
  /** The versions of the old and of the new contract. */
  readonly versions: readonly [before: string, after: string];
  /** The place of the new version. */
  readonly versionPlace: string;
  /** Why the new version does not tell consumers what changed. */
  readonly versionFault: string | undefined;
  /** The omissions of the changelog. */
  readonly unsaid: readonly string[];
}

export const formats = {
  text: asText,
  json: asJson,
  markdown: asMarkdown,
  github: asAnnotations,
} satisfies Record<string, (comparison: Comparison) => string>;

function asText(comparison: Comparison): string {
  const changes = comparison.changes.map(({ breaking, place, operation, sentence }) => {
    const verdict = breaking ? painted(31, 'breaking  ') : painted(32, 'compatible');
    return `${verdict} ${place} ${operation}: ${sentence}`;
  });
  return [...changes, conclusionOf(comparison), ...comparison.unsaid].join('\n');
}

function asJson({ changes, versions, versionFault, unsaid }: Comparison): string {
  const [before, after] = versions;
  const version = { before, after, fault: versionFault ?? null };
  return JSON.stringify({ changes, version, changelog: unsaid }, undefined, 2);
}

/** For the description of a pull request, or a comment on it. */
function asMarkdown(comparison: Comparison): string {
  const sections = [true, false].flatMap((wanted) => {
    const changes = comparison.changes.filter(({ breaking }) => breaking === wanted);
    if (changes.length === 0) return [];
    const lines = changes.map(
      ({ operation, sentence, place }) => `- **${operation}** ${sentence} (${place})`,
    );
    return [`### ${wanted ? 'Breaking' : 'Compatible'}\n\n${lines.join('\n')}\n`];
  });
  return [...sections, [conclusionOf(comparison), ...comparison.unsaid].join('\n\n')].join('\n');
}

/** Annotations for GitHub Actions ("Workflow commands for GitHub Actions"). */
function asAnnotations(comparison: Comparison): string {
  const { changes, versionFault, versionPlace, unsaid } = comparison;
  return [
    ...changes.map(({ breaking, place, operation, sentence }) =>
      annotation(
        breaking && versionFault !== undefined ? 'error' : 'notice',
        place,
        `${operation}: ${sentence}`,
      ),
    ),
    ...(versionFault === undefined ? [] : [annotation('error', versionPlace, conclusionOf(comparison))]),
    ...unsaid.map((sentence) => `::error::${escaped(sentence)}`),
  ].join('\n');
}

function annotation(level: 'error' | 'notice', place: string, message: string): string {
  // A removed thing has its place in the old contract, `main:openapi/plants.yaml:12:3`: no line shows it.
  const [, file, line, column] = /^([^:]+):(\d+):(\d+)$/.exec(place) ?? [];
  if (file === undefined) return `::${level}::${escaped(`${place} ${message}`)}`;
  return `::${level} file=${file},line=${line},col=${column}::${escaped(message)}`;
}

function escaped(message: string): string {
  return message.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function conclusionOf({ changes, versions, versionPlace, versionFault }: Comparison): string {
  const breaking = changes.filter((change) => change.breaking).length;
  const all =
    changes.length === 0
      ? 'No changes'
      : `${changes.length} ${changes.length === 1 ? 'change' : 'changes'}, ${breaking} breaking`;
  const told = versions.join(' → ');
  if (versionFault !== undefined) return `${all}: ${versionFault} (${versionPlace}: ${told}).`;
  return breaking === 0 ? `${all}.` : `${all}; the major version says so (${told}).`;
}

/** In colour on a terminal, unless NO_COLOR is set and not empty (no-color.org). */
function painted(colour: number, text: string): string {
  return process.stdout.isTTY && !process.env['NO_COLOR'] ? `\x1b[${colour}m${text}\x1b[0m` : text;
}
