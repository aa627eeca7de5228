/**
 * Explains a start that fails because the process may not open enough files. By itself, that is a stack of
 * Node.js's module loader, which names none of the project's settings. This file has no imports, so that it
 * can be loaded even if Node.js cannot open the other files.
 */

/**
 * @returns a sentence for the operator; undefined if the process did not fail because it has too many files
 * open
 */
export function explainOpenFiles(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && error.code === 'EMFILE')) return undefined;
  return `The process may open only ${readLimit()} files and connections ("ulimit -n"), and that is too few to start: allow at least 1024, and one for each connection that MAX_CONNECTIONS admits.`;
}

/**
 * @returns how many files the process may open, from the report that Node.js documents in "Diagnostic report"
 */
function readLimit(): string {
  const report: { userLimits?: { open_files?: { soft: number | string } } } = JSON.parse(
    JSON.stringify(process.report.getReport()),
  );
  return String(report.userLimits?.open_files?.soft ?? 'so many');
}
