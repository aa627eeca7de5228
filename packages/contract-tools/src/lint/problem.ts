/** A problem that a linter found. */
export interface Problem {
  /** The path of the file, relative to the working directory. */
  readonly file: string;
  /** The line and the column count from 1. */
  readonly line: number;
  readonly column: number;
  readonly severity: 'error' | 'warning' | 'info' | 'hint';
  /** The name of the rule, with its origin in front: `redocly/operation-summary`. */
  readonly rule: string;
  readonly message: string;
}

/** Makes a problem of a place such as `openapi/plants.yaml:12:3`. */
export function problemAt(place: string, rule: string, message: string): Problem {
  const [, file = place, line = '1', column = '1'] = /^(.*):(\d+):(\d+)$/s.exec(place) ?? [];
  return {
    file,
    line: Number(line),
    column: Number(column),
    severity: 'error',
    rule: `contract/${rule}`,
    message,
  };
}
